import { IconPlus, IconTrash } from '@tabler/icons-react';
import { ActionIcon, Button } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { uid } from '../flags/draft.ts';
import flagClasses from '../flags/flags.module.css';
import { ClauseEditor, newClause } from '../flags/rule-editor.tsx';
import { AddShare, ShareList } from '../flags/share-list.tsx';
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
  const change = (index: number, what: Partial<Rules[number]>) =>
    onChange(rules.map((rule, at) => (at === index ? { ...rule, ...what } : rule)));
  const edit = (index: number, clauses: Rules[number]['clauses']) => change(index, { clauses });
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
            <section className={flagClasses.card} key={rule.uid} aria-label={`Rule ${index + 1}`}>
              <div className={flagClasses.cardHead}>
                <h3 style={{ flex: 1 }}>Rule {index + 1}</h3>
                {!disabled && (
                  <ActionIcon
                    aria-label={`Delete rule ${index + 1}`}
                    onClick={() => onChange(rules.filter((_, at) => at !== index))}
                  >
                    <IconTrash size={15} stroke={1.6} />
                  </ActionIcon>
                )}
              </div>
              <div className={flagClasses.cardBody}>
                {rule.clauses.map((clause, at) => (
                  <ClauseEditor
                    key={clause.uid}
                    label={`Rule ${index + 1}, condition ${at + 1}`}
                    joint={at === 0 ? 'If' : 'and'}
                    clause={clause}
                    disabled={disabled}
                    errorAt={(path) => errorAt(`rules.${index}.clauses.${at}.${path}`)}
                    onChange={(next) =>
                      edit(
                        index,
                        rule.clauses.map((old, place) => (place === at ? next : old)),
                      )
                    }
                    onRemove={() =>
                      edit(
                        index,
                        rule.clauses.filter((_, place) => place !== at),
                      )
                    }
                  />
                ))}
                {!disabled && (
                  <div>
                    <Button
                      variant="subtle"
                      size="xs"
                      leftSection={<IconPlus size={14} />}
                      onClick={() => edit(index, [...rule.clauses, newClause()])}
                    >
                      Add condition
                    </Button>
                    <AddShare onAdd={(share) => change(index, { shares: [...(rule.shares ?? []), share] })} />
                  </div>
                )}
                <ShareList
                  label={`Rule ${index + 1}`}
                  shares={rule.shares ?? []}
                  disabled={disabled}
                  errorAt={(path) => errorAt(`rules.${index}.shares.${path}`)}
                  onChange={(shares) => change(index, { shares })}
                />
              </div>
            </section>
          ))}
        </div>
      )}
    </Panel>
  );
}
