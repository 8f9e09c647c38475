import { IconPlus, IconTrash } from '@tabler/icons-react';
import { ActionIcon, Button, Select, TagsInput, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { newClause } from './clause-editor.tsx';
import { CODE_DEFAULT, variantOf } from './code-default.ts';
import { type Draft, type RuleDraft, type TargetDraft, type Targeting, uid } from './draft.ts';
import classes from './flags.module.css';
import { RuleEditor } from './rule-editor.tsx';
import { ServeEditor } from './serve-editor.tsx';
import type { TargetingIssue } from './targeting-issues.ts';
import { percentText } from './weights.ts';

interface Props {
  draft: Draft;
  variants: readonly string[];
  /** An active ramp of the default: the default cannot be edited until the ramp ends. */
  ramp: Targeting['ramp'];
  disabled: boolean;
  issues: readonly TargetingIssue[];
  onChange: (draft: Draft) => void;
}

/** Targets, rules and the default, in evaluation order. */
export function TargetingEditor(props: Props) {
  const { draft, variants, ramp, disabled, onChange } = props;
  return (
    <>
      <Targets {...props} />
      <Rules {...props} />
      <Panel title="Everybody else">
        <div className={classes.serveLine}>
          <span className="dim">gets</span>
          <div style={{ flex: 1 }}>
            <ServeEditor
              label="Everybody else gets"
              serve={draft.fallthrough}
              variants={variants}
              disabled={disabled || ramp !== null}
              onChange={(fallthrough) => onChange({ ...draft, fallthrough })}
            />
          </div>
        </div>
        {ramp !== null && (
          <p className="dim">
            The ramp serves {percentText(ramp.weight)}% {ramp.variant} instead of this. You can change it when the ramp
            ends.
          </p>
        )}
      </Panel>
      <Panel title="While the flag is off">
        <div className={classes.serveLine}>
          <span className="dim">everybody gets</span>
          <Select
            aria-label="While off, everybody gets"
            w={220}
            disabled={disabled}
            value={draft.offVariant ?? CODE_DEFAULT.value}
            data={[...variants, CODE_DEFAULT]}
            onChange={(next) => next !== null && onChange({ ...draft, offVariant: variantOf(next) })}
          />
        </div>
      </Panel>
    </>
  );
}

function Targets({ draft, variants, disabled, issues, onChange }: Props) {
  const set = (targets: TargetDraft[]) => onChange({ ...draft, targets });
  const edit = (index: number, change: Partial<TargetDraft>) =>
    set(draft.targets.map((target, at) => (at === index ? { ...target, ...change } : target)));
  const error = issues.find((issue) => issue.path.startsWith('targets'))?.message;
  return (
    <Panel
      title="Individual targets"
      actions={
        !disabled && (
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() =>
              set([...draft.targets, { uid: uid(), variant: variants[0] ?? '', attribute: '', values: [] }])
            }
          >
            Add target
          </Button>
        )
      }
    >
      {draft.targets.length === 0 ? (
        <p className="dim">No targets. Targets take precedence over rules.</p>
      ) : (
        <div className={classes.flow}>
          {draft.targets.map((target, index) => (
            <div className={classes.target} key={target.uid}>
              <Select
                aria-label={`Target ${index + 1}: variant`}
                disabled={disabled}
                value={target.variant}
                data={[...variants]}
                onChange={(next) => next !== null && edit(index, { variant: next })}
              />
              <div>
                <TextInput
                  aria-label={`Target ${index + 1}: attribute`}
                  placeholder="targetingKey"
                  disabled={disabled}
                  value={target.attribute}
                  onChange={(event) => edit(index, { attribute: event.currentTarget.value })}
                />
                {target.contextKind !== undefined && <p className="dim">of {target.contextKind}</p>}
              </div>
              <TagsInput
                aria-label={`Target ${index + 1}: values`}
                placeholder={target.values.length === 0 ? 'user-1, then Enter' : ''}
                acceptValueOnBlur
                disabled={disabled}
                value={target.values}
                error={index === 0 ? error : undefined}
                onChange={(values) => edit(index, { values })}
              />
              {disabled ? (
                <span />
              ) : (
                <ActionIcon
                  aria-label={`Remove target ${index + 1}`}
                  onClick={() => set(draft.targets.filter((_, at) => at !== index))}
                >
                  <IconTrash size={15} stroke={1.6} />
                </ActionIcon>
              )}
            </div>
          ))}
        </div>
      )}
    </Panel>
  );
}

function Rules({ draft, variants, disabled, issues, onChange }: Props) {
  const set = (rules: RuleDraft[]) => onChange({ ...draft, rules });
  const move = (index: number, by: -1 | 1) => {
    const rules = [...draft.rules];
    const [rule] = rules.splice(index, 1);
    if (rule) rules.splice(index + by, 0, rule);
    set(rules);
  };
  const add = () =>
    set([
      ...draft.rules,
      {
        uid: uid(),
        id: undefined,
        description: '',
        clauses: [newClause()],
        serve: { kind: 'variant', variant: variants[0] ?? '' },
      },
    ]);
  return (
    <Panel
      title="Rules"
      actions={
        !disabled && (
          <Button variant="subtle" size="xs" leftSection={<IconPlus size={14} />} onClick={add}>
            Add rule
          </Button>
        )
      }
    >
      {draft.rules.length === 0 ? (
        <p className="dim">No rules. The first rule whose conditions all match decides.</p>
      ) : (
        <div className={classes.flow}>
          {draft.rules.map((rule, index) => (
            <RuleEditor
              key={rule.uid}
              rule={rule}
              number={index + 1}
              variants={variants}
              disabled={disabled}
              errorAt={(path) => issues.find((issue) => issue.path === `rules.${index}.${path}`)?.message}
              onChange={(next) => set(draft.rules.map((old, at) => (at === index ? next : old)))}
              onRemove={() => set(draft.rules.filter((_, at) => at !== index))}
              onMove={(by) => move(index, by)}
              isFirst={index === 0}
              isLast={index === draft.rules.length - 1}
            />
          ))}
        </div>
      )}
    </Panel>
  );
}
