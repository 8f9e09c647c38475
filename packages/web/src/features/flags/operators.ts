/** The type of a clause's values: `text`, `number`, `boolean`, or `any` of these by choice. */
export type ValueKind = 'any' | 'text' | 'number' | 'date' | 'segment' | 'none';

export interface OperatorInfo {
  op: string;
  label: string;
  /** The same when the clause is negated. */
  negated: string;
  values: ValueKind;
  hint?: string;
}

/** All operators in words, in the order of the menu. */
export const OPERATORS: readonly OperatorInfo[] = [
  { op: 'in', label: 'is one of', negated: 'is none of', values: 'any' },
  { op: 'not_in', label: 'is none of (also when missing)', negated: 'is one of or missing', values: 'any' },
  { op: 'eq', label: 'equals', negated: 'does not equal', values: 'any' },
  { op: 'neq', label: 'does not equal (also when missing)', negated: 'equals', values: 'any' },
  { op: 'starts_with', label: 'starts with', negated: 'does not start with', values: 'text' },
  { op: 'ends_with', label: 'ends with', negated: 'does not end with', values: 'text' },
  { op: 'contains', label: 'contains', negated: 'does not contain', values: 'text' },
  {
    op: 'matches',
    label: 'matches the pattern',
    negated: 'does not match the pattern',
    values: 'text',
    hint: 'RE2 regular expressions',
  },
  { op: 'lt', label: 'is less than', negated: 'is not less than', values: 'number' },
  { op: 'lte', label: 'is at most', negated: 'is not at most', values: 'number' },
  { op: 'gt', label: 'is greater than', negated: 'is not greater than', values: 'number' },
  { op: 'gte', label: 'is at least', negated: 'is not at least', values: 'number' },
  {
    op: 'before',
    label: 'is before',
    negated: 'is not before',
    values: 'date',
    hint: 'RFC 3339, such as 2026-01-31T00:00:00Z',
  },
  {
    op: 'after',
    label: 'is after',
    negated: 'is not after',
    values: 'date',
    hint: 'RFC 3339, such as 2026-01-31T00:00:00Z',
  },
  { op: 'semver_eq', label: 'is the version', negated: 'is not the version', values: 'text', hint: 'such as 2.1.0' },
  {
    op: 'semver_lt',
    label: 'is a version below',
    negated: 'is not a version below',
    values: 'text',
    hint: 'such as 2.1.0',
  },
  {
    op: 'semver_gt',
    label: 'is a version above',
    negated: 'is not a version above',
    values: 'text',
    hint: 'such as 2.1.0',
  },
  {
    op: 'semver_lte',
    label: 'is a version up to',
    negated: 'is not a version up to',
    values: 'text',
    hint: 'such as 2.1.0',
  },
  {
    op: 'semver_gte',
    label: 'is a version from',
    negated: 'is not a version from',
    values: 'text',
    hint: 'such as 2.1.0',
  },
  {
    op: 'semver_caret',
    label: 'is a version in the range ^',
    negated: 'is not a version in the range ^',
    values: 'text',
    hint: 'such as 2.1.0, without the sign',
  },
  {
    op: 'semver_tilde',
    label: 'is a version in the range ~',
    negated: 'is not a version in the range ~',
    values: 'text',
    hint: 'such as 2.1.0, without the sign',
  },
  {
    op: 'semver_same_major',
    label: 'is a version of the same major as',
    negated: 'is not a version of the same major as',
    values: 'text',
    hint: 'such as 2.1.0',
  },
  {
    op: 'semver_same_minor',
    label: 'is a version of the same minor as',
    negated: 'is not a version of the same minor as',
    values: 'text',
    hint: 'such as 2.1.0',
  },
  {
    op: 'cidr',
    label: 'is in the network',
    negated: 'is not in the network',
    values: 'text',
    hint: 'such as 10.0.0.0/8',
  },
  { op: 'exists', label: 'is set', negated: 'is not set', values: 'none' },
  {
    op: 'in_segment',
    label: 'is in the segment',
    negated: 'is not in the segment',
    values: 'segment',
    hint: 'keys of segments',
  },
];

const BY_NAME = new Map(OPERATORS.map((operator) => [operator.op, operator]));

/** Aliases, which are kept as written. */
const ALIASES: Readonly<Record<string, string>> = { in_cidr: 'cidr' };

export function operatorInfo(op: string): OperatorInfo {
  return BY_NAME.get(op) ?? BY_NAME.get(ALIASES[op] ?? '') ?? { op, label: op, negated: `not ${op}`, values: 'any' };
}

export type ScalarKind = 'text' | 'number' | 'boolean';

/** The type of a clause's values: by its operator, or else by its present values. */
export function scalarKind(op: string, values: readonly unknown[]): ScalarKind {
  const { values: kind } = operatorInfo(op);
  if (kind === 'number') return 'number';
  if (kind !== 'any') return 'text';
  const first = values[0];
  return typeof first === 'number' ? 'number' : typeof first === 'boolean' ? 'boolean' : 'text';
}

/** Parses an entered value; null if it does not have the type. */
export function parseScalar(text: string, kind: ScalarKind): string | number | boolean | null {
  if (kind === 'text') return text;
  const trimmed = text.trim();
  if (kind === 'boolean') return trimmed === 'true' ? true : trimmed === 'false' ? false : null;
  const number = Number(trimmed);
  return trimmed === '' || !Number.isFinite(number) ? null : number;
}

export type Reading = 'number' | 'text' | 'version' | 'size';

const NUMBERS: ReadonlySet<string> = new Set(['lt', 'lte', 'gt', 'gte']);
const EQUALITIES: ReadonlySet<string> = new Set(['in', 'not_in', 'eq', 'neq']);
const LETTERS: ReadonlySet<string> = new Set(['starts_with', 'ends_with', 'contains', 'matches']);

/** The conversions of an attribute that an operator supports; see the engine's `Clause.as`. */
export function readingsOf(op: string): Reading[] {
  if (EQUALITIES.has(op)) return ['number', 'text', 'size'];
  if (NUMBERS.has(op)) return ['number', 'size'];
  if (op.startsWith('semver_')) return ['version', 'text'];
  return LETTERS.has(op) || op === 'cidr' || op === 'in_cidr' ? ['text'] : [];
}

/** Whether an operator can ignore upper and lower case. */
export function foldsCase(op: string): boolean {
  return EQUALITIES.has(op) || LETTERS.has(op);
}
