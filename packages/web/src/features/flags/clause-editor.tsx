import { IconTrash } from '@tabler/icons-react';
import { ActionIcon, Select, TagsInput, TextInput } from '../../ui/mantine.ts';
import { type ClauseDraft, type Scalar, uid } from './draft.ts';
import classes from './flags.module.css';
import { OPERATORS, operatorInfo, parseScalar, type ScalarKind, scalarKind } from './operators.ts';
import { type ClauseProps, ReadingEditor, readable } from './reading-editor.tsx';
import { SegmentsInput } from './segments-input.tsx';

export function newClause(): ClauseDraft {
  return { uid: uid(), attribute: '', op: 'in', values: [], negate: false };
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
  joint,
  onRemove,
  ...clauseProps
}: ClauseProps & { joint: string; onRemove: () => void }) {
  const { label, clause, disabled, errorAt, onChange } = clauseProps;
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
      <OperatorSelect {...clauseProps} />
      <div className={classes.operand}>
        <Operand {...clauseProps} />
      </div>
      {disabled ? (
        <span />
      ) : (
        <ActionIcon aria-label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
          <IconTrash size={15} stroke={1.6} />
        </ActionIcon>
      )}
      {info.values !== 'segment' && <ReadingEditor {...clauseProps} />}
    </div>
  );
}

/** The values of a condition, as far as its operator takes some. */
function Operand(props: ClauseProps) {
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

function OperatorSelect({ label, clause, disabled, errorAt, onChange }: ClauseProps) {
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
      aria-label={`${label}: operator`}
      searchable
      disabled={disabled}
      error={errorAt('op')}
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

function ValuesEditor({ label, clause, disabled, errorAt, onChange }: ClauseProps) {
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
