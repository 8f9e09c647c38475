import { IconPlus, IconTrash } from '@tabler/icons-react';
import { ActionIcon, Button } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ClauseEditor, newClause } from '../flags/clause-editor.tsx';
import { uid } from '../flags/draft.ts';
import flagClasses from '../flags/flags.module.css';
import { AddParts } from '../flags/rule-editor.tsx';
import { ShareList } from '../flags/share-list.tsx';
import type { SegmentDraft } from './segment-draft.ts';
import classes from './segments.module.css';

type Rules = SegmentDraft['rules'];

/** The rules of a segment: it includes every unit that matches all conditions of any rule. */
export function SegmentRules({
  rules,
  disabled,
  errorAt,
  onChange,
}: {
  rules: Rules;
  disabled: boolean;
  /** Errors from the server by path: `rules.0.clauses.1.values`. */
  errorAt: (path: string) => string | undefined;
  onChange: (rules: Rules) => void;
}) {
  return (
    <Panel
      title="Rules"
      actions={
        !disabled && (
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...rules, { uid: uid(), clauses: [newClause()] }])}
          >
            Add rule
          </Button>
        )
      }
    >
      {rules.length === 0 ? (
        <p className="dim">No rules: only the included keys are in the segment.</p>
      ) : (
        <div className={classes.flow}>
          {rules.map((rule, index) => (
            <SegmentRule
              key={rule.uid}
              number={index + 1}
              rule={rule}
              disabled={disabled}
              errorAt={(path) => errorAt(`rules.${index}.${path}`)}
              onChange={(what) => onChange(rules.map((old, at) => (at === index ? { ...old, ...what } : old)))}
              onRemove={() => onChange(rules.filter((_, at) => at !== index))}
            />
          ))}
        </div>
      )}
    </Panel>
  );
}

function SegmentRule({
  number,
  rule,
  disabled,
  errorAt,
  onChange,
  onRemove,
}: {
  number: number;
  rule: Rules[number];
  disabled: boolean;
  /** Errors by path within the rule: `clauses.1.values`. */
  errorAt: (path: string) => string | undefined;
  onChange: (what: Partial<Rules[number]>) => void;
  onRemove: () => void;
}) {
  return (
    <section className={flagClasses.card} aria-label={`Rule ${number}`}>
      <div className={flagClasses.cardHead}>
        <h3 style={{ flex: 1 }}>Rule {number}</h3>
        {!disabled && (
          <ActionIcon aria-label={`Delete rule ${number}`} onClick={onRemove}>
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        )}
      </div>
      <div className={flagClasses.cardBody}>
        {rule.clauses.map((clause, at) => (
          <ClauseEditor
            key={clause.uid}
            label={`Rule ${number}, condition ${at + 1}`}
            joint={at === 0 ? 'If' : 'and'}
            clause={clause}
            disabled={disabled}
            errorAt={(path) => errorAt(`clauses.${at}.${path}`)}
            onChange={(next) => onChange({ clauses: rule.clauses.map((old, place) => (place === at ? next : old)) })}
            onRemove={() => onChange({ clauses: rule.clauses.filter((_, place) => place !== at) })}
          />
        ))}
        {!disabled && (
          <AddParts
            onClause={() => onChange({ clauses: [...rule.clauses, newClause()] })}
            onShare={(share) => onChange({ shares: [...(rule.shares ?? []), share] })}
          />
        )}
        <ShareList
          label={`Rule ${number}`}
          shares={rule.shares ?? []}
          disabled={disabled}
          errorAt={(path) => errorAt(`shares.${path}`)}
          onChange={(shares) => onChange({ shares })}
        />
      </div>
    </section>
  );
}
