import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { ActionIcon, Button, Select, TagsInput, TextInput } from '../../ui/mantine.ts';
import { type ClauseDraft, type RuleDraft, type Scalar, uid } from './draft.ts';
import classes from './flags.module.css';
import { OPERATORS, operatorInfo, parseScalar, type ScalarKind, scalarKind } from './operators.ts';
import { ReadingEditor, readable } from './reading-editor.tsx';
import { SegmentsInput } from './segments-input.tsx';
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

export function newClause(): ClauseDraft {
  return { uid: uid(), attribute: '', op: 'in', values: [], negate: false };
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

const NEGATED = '!';
const OPERATOR_CHOICES = OPERATORS.flatMap(({ op, label, negated }) =>
  // `not_in` and `neq` are negated forms that also match a missing attribute; offering their negations would confuse.
  op === 'not_in' || op === 'neq'
    ? [{ value: op, label }]
    : [
        { value: op, label },
        { value: NEGATED + op, label: negated },
      ],
);

/** One condition: an attribute, an operator, and the values to compare with. */
export function ClauseEditor({
  label,
  joint,
  clause,
  disabled,
  errorAt,
  onChange,
  onRemove,
}: {
  label: string;
  joint: string;
  clause: ClauseDraft;
  disabled: boolean;
  errorAt: (path: string) => string | undefined;
  onChange: (clause: ClauseDraft) => void;
  onRemove: () => void;
}) {
  const info = operatorInfo(clause.op);
  return (
    <div className={classes.clause}>
      <span className={classes.joint}>{joint}</span>
      {info.values === 'segment' ? (
        <span style={{ lineHeight: '30px' }}>the unit</span>
      ) : (
        <TextInput
          aria-label={`${label}: attribute`}
          placeholder="country"
          disabled={disabled}
          error={errorAt('attribute')}
          value={clause.attribute}
          onChange={(event) => onChange({ ...clause, attribute: event.currentTarget.value })}
        />
      )}
      <OperatorSelect
        label={`${label}: operator`}
        clause={clause}
        disabled={disabled}
        error={errorAt('op')}
        onChange={onChange}
      />
      <div className={classes.operand}>
        <Operand label={label} clause={clause} disabled={disabled} errorAt={errorAt} onChange={onChange} />
      </div>
      {disabled ? (
        <span />
      ) : (
        <ActionIcon aria-label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
          <IconTrash size={15} stroke={1.6} />
        </ActionIcon>
      )}
      {info.values !== 'segment' && (
        <ReadingEditor label={label} clause={clause} disabled={disabled} errorAt={errorAt} onChange={onChange} />
      )}
    </div>
  );
}

/** The values of a condition, as far as its operator takes some. */
function Operand(props: ValuesProps) {
  const { label, clause, disabled, errorAt, onChange } = props;
  const { values } = operatorInfo(clause.op);
  if (values === 'none') return null;
  if (values !== 'segment') return <ValuesEditor {...props} />;
  return (
    <SegmentsInput
      label={`${label}: values`}
      value={clause.values.map(String)}
      disabled={disabled}
      error={errorAt('values')}
      onChange={(next) => onChange({ ...clause, values: next })}
    />
  );
}

function OperatorSelect({
  label,
  clause,
  disabled,
  error,
  onChange,
}: {
  label: string;
  clause: ClauseDraft;
  disabled: boolean;
  error: string | undefined;
  onChange: (clause: ClauseDraft) => void;
}) {
  const info = operatorInfo(clause.op);
  const chosen = (clause.negate ? NEGATED : '') + clause.op;
  const choices = OPERATOR_CHOICES.some((choice) => choice.value === chosen)
    ? OPERATOR_CHOICES
    : [...OPERATOR_CHOICES, { value: chosen, label: clause.negate ? info.negated : info.label }];
  const setOperator = (next: string) => {
    const negate = next.startsWith(NEGATED);
    const op = negate ? next.slice(1) : next;
    const kind = scalarKind(op, clause.values);
    onChange({ ...readable(clause, op), op, negate, values: op === 'exists' ? [] : retype(clause.values, kind) });
  };
  return (
    <Select
      className={classes.operator}
      aria-label={label}
      searchable
      disabled={disabled}
      error={error}
      value={chosen}
      data={choices}
      onChange={(next) => next !== null && setOperator(next)}
    />
  );
}

const KINDS: { value: ScalarKind; label: string }[] = [
  { value: 'text', label: 'text' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'true/false' },
];

interface ValuesProps {
  label: string;
  clause: ClauseDraft;
  disabled: boolean;
  errorAt: (path: string) => string | undefined;
  onChange: (clause: ClauseDraft) => void;
}

function ValuesEditor({ label, clause, disabled, errorAt, onChange }: ValuesProps) {
  const info = operatorInfo(clause.op);
  const kind =
    clause.values.length === 0 && info.values === 'any'
      ? (clause.emptyKind ?? 'text')
      : scalarKind(clause.op, clause.values);
  const error =
    errorAt('values') ??
    clause.values.map((_, index) => errorAt(`values.${index}`)).find((message) => message !== undefined);
  const setValues = (texts: string[]) => {
    const values = texts.map((text) => parseScalar(text, kind)).filter((value): value is Scalar => value !== null);
    onChange({ ...clause, values });
  };
  return (
    <div className={classes.values}>
      {info.values === 'any' && (
        <Select
          aria-label={`${label}: type of the values`}
          w={100}
          disabled={disabled}
          value={kind}
          data={KINDS}
          onChange={(next) => {
            const typed = KINDS.find((candidate) => candidate.value === next)?.value ?? 'text';
            onChange({ ...clause, emptyKind: typed, values: retype(clause.values, typed) });
          }}
        />
      )}
      <TagsInput
        aria-label={`${label}: values`}
        placeholder={
          clause.values.length === 0 ? (info.hint ?? (kind === 'boolean' ? 'true' : 'Type, then Enter')) : ''
        }
        disabled={disabled}
        error={error}
        acceptValueOnBlur
        splitChars={kind === 'text' && info.values === 'text' ? [] : [',']}
        value={clause.values.map(String)}
        onChange={setValues}
      />
    </div>
  );
}

/** Converts the values to another type; values that cannot be converted are dropped. */
function retype(values: readonly Scalar[], kind: ScalarKind): Scalar[] {
  return values.map((value) => parseScalar(String(value), kind)).filter((value): value is Scalar => value !== null);
}
