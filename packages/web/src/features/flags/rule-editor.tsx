import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { ActionIcon, Button, TextInput } from '../../ui/mantine.ts';
import { ClauseEditor, newClause } from './clause-editor.tsx';
import type { ClauseDraft, RuleDraft } from './draft.ts';
import classes from './flags.module.css';
import { ServeEditor } from './serve-editor.tsx';
import { AddShare, ShareList } from './share-list.tsx';

export interface RuleEditorProps {
  rule: RuleDraft;
  number: number;
  variants: readonly string[];
  disabled: boolean;
  /** Errors by path within the rule: `clauses.0.values`. */
  errorAt: (path: string) => string | undefined;
  onChange: (rule: RuleDraft) => void;
  onRemove: () => void;
  onMove: ((by: -1 | 1) => void) | undefined;
  isFirst: boolean;
  isLast: boolean;
}

/** One rule: if all conditions match, serve a variant or a split. */
export function RuleEditor(props: RuleEditorProps) {
  const { rule, number, variants, disabled, errorAt, onChange } = props;
  const setClause = (index: number, clause: ClauseDraft) =>
    onChange({ ...rule, clauses: rule.clauses.map((old, at) => (at === index ? clause : old)) });
  return (
    <section className={classes.card} aria-label={`Rule ${number}`}>
      <RuleHead {...props} />
      <div className={classes.cardBody}>
        {rule.clauses.length === 0 && <span className="dim">Without conditions, the rule matches everybody.</span>}
        {rule.clauses.map((clause, index) => (
          <ClauseEditor
            key={clause.uid}
            label={`Rule ${number}, condition ${index + 1}`}
            joint={index === 0 ? 'If' : 'and'}
            clause={clause}
            disabled={disabled}
            errorAt={(path) => errorAt(`clauses.${index}.${path}`)}
            onChange={(next) => setClause(index, next)}
            onRemove={() => onChange({ ...rule, clauses: rule.clauses.filter((_, at) => at !== index) })}
          />
        ))}
        {!disabled && (
          <AddParts
            onClause={() => onChange({ ...rule, clauses: [...rule.clauses, newClause()] })}
            onShare={(share) => onChange({ ...rule, shares: [...(rule.shares ?? []), share] })}
          />
        )}
        <ShareList
          label={`Rule ${number}`}
          shares={rule.shares ?? []}
          disabled={disabled}
          errorAt={(path) => errorAt(`shares.${path}`)}
          onChange={(shares) => onChange({ ...rule, shares })}
        />
        <div className={classes.serveLine}>
          <span className={classes.joint} style={{ width: 34 }}>
            serve
          </span>
          <div style={{ flex: 1 }}>
            <ServeEditor
              label={`Rule ${number}: serve`}
              serve={rule.serve}
              variants={variants}
              disabled={disabled}
              onChange={(serve) => onChange({ ...rule, serve })}
            />
          </div>
        </div>
      </div>
    </section>
  );
}

function RuleHead({ rule, number, disabled, onChange, onRemove, onMove, isFirst, isLast }: RuleEditorProps) {
  return (
    <div className={classes.cardHead}>
      <h3>Rule {number}</h3>
      <TextInput
        aria-label={`Rule ${number}: description`}
        placeholder="Description"
        variant="unstyled"
        style={{ flex: 1 }}
        disabled={disabled}
        value={rule.description}
        onChange={(event) => onChange({ ...rule, description: event.currentTarget.value })}
      />
      {!disabled && (
        <>
          <ActionIcon aria-label={`Move rule ${number} up`} disabled={isFirst} onClick={() => onMove?.(-1)}>
            <IconArrowUp size={15} stroke={1.6} />
          </ActionIcon>
          <ActionIcon aria-label={`Move rule ${number} down`} disabled={isLast} onClick={() => onMove?.(1)}>
            <IconArrowDown size={15} stroke={1.6} />
          </ActionIcon>
          <ActionIcon aria-label={`Delete rule ${number}`} onClick={onRemove}>
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        </>
      )}
    </div>
  );
}

/** The buttons that add a condition or a share to a rule. */
export function AddParts({
  onClause,
  onShare,
}: {
  onClause: () => void;
  onShare: Parameters<typeof AddShare>[0]['onAdd'];
}) {
  return (
    <div>
      <Button variant="subtle" size="xs" leftSection={<IconPlus size={14} />} onClick={onClause}>
        Add condition
      </Button>
      <AddShare onAdd={onShare} />
    </div>
  );
}
