import { Button } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { ClauseEditor, newClause } from '../flags/clause-editor.tsx';
import type { ClauseDraft } from '../flags/draft.ts';
import classes from './experiments.module.css';

/** Who takes part: conditions as those of a rule; none: everybody. */
export function AudienceFields({
  audience,
  problem,
  onChange,
}: {
  audience: readonly ClauseDraft[];
  problem: string | undefined;
  onChange: (audience: readonly ClauseDraft[]) => void;
}) {
  return (
    <fieldset className={classes.variants}>
      <legend>Who takes part</legend>
      {audience.length === 0 && <span className="dim">Everyone whom no target or rule matches.</span>}
      {audience.map((clause, i) => (
        <ClauseEditor
          key={clause.uid}
          label={`Condition ${i + 1}`}
          joint={i === 0 ? 'If' : 'and'}
          clause={clause}
          disabled={false}
          errorAt={() => undefined}
          onChange={(next) => onChange(audience.map((one) => (one.uid === next.uid ? next : one)))}
          onRemove={() => onChange(audience.filter(({ uid }) => uid !== clause.uid))}
        />
      ))}
      <div>
        <Button size="xs" variant="subtle" onClick={() => onChange([...audience, newClause()])}>
          Add condition
        </Button>
      </div>
      {audience.length > 0 && <span className="dim">Everyone else gets what the flag’s targeting serves.</span>}
      {problem !== undefined && <Notice kind="error">{problem}.</Notice>}
    </fieldset>
  );
}
