import { type Clause, type OperatorName, TARGETING_KEY } from '@fanion/flag-engine';
import { NotExpressible } from '../evaluation/index.ts';

/** A condition of an Unleash strategy. */
export interface Constraint {
  readonly contextName: string;
  readonly operator: string;
  readonly values: readonly string[];
  readonly value?: string;
  readonly inverted: boolean;
  readonly caseInsensitive?: true;
}

/**
 * What one clause needs. A missing attribute matches no negated comparison here, but every one in Unleash: the negated one
 * has an equal there only together with an alternative for the missing attribute (`merged`).
 */
export type Need =
  | { readonly constraint: Constraint }
  | { readonly ifPresent: Constraint }
  | { readonly missing: string };

const texts: Partial<Record<OperatorName, string>> = {
  starts_with: 'STR_STARTS_WITH',
  ends_with: 'STR_ENDS_WITH',
  contains: 'STR_CONTAINS',
};
const numbers: Partial<Record<OperatorName, string>> = {
  eq: 'NUM_EQ',
  lt: 'NUM_LT',
  lte: 'NUM_LTE',
  gt: 'NUM_GT',
  gte: 'NUM_GTE',
};
const versions: Partial<Record<OperatorName, string>> = {
  semver_eq: 'SEMVER_EQ',
  semver_lt: 'SEMVER_LT',
  semver_lte: 'SEMVER_LTE',
  semver_gt: 'SEMVER_GT',
  semver_gte: 'SEMVER_GTE',
};
const dates: Partial<Record<OperatorName, string>> = { before: 'DATE_BEFORE', after: 'DATE_AFTER' };
const positive: Partial<Record<OperatorName, OperatorName>> = { not_in: 'in', neq: 'eq' };

/**
 * What a clause other than `in_segment` needs.
 *
 * @throws NotExpressible
 */
export function needOf({ attribute = '', negate = false, ...clause }: Clause): Need {
  if (clause.context_kind !== undefined) throw new NotExpressible('reads a context kind');
  if (clause.op === 'exists') {
    if (!negate) throw new NotExpressible('requires an attribute of any value');
    return { missing: fieldOf(attribute) };
  }
  const op = positive[clause.op] ?? clause.op;
  if (dates[op] !== undefined) {
    const constraint = dateOf(attribute, { ...clause, op });
    // The time is never missing.
    return { constraint: negate ? inverse(constraint) : constraint };
  }
  const constraint = { contextName: fieldOf(attribute), inverted: false, ...comparisonOf({ ...clause, op }) };
  const isComplement = op !== clause.op;
  if (isComplement) return { constraint: negate ? constraint : inverse(constraint) };
  return negate ? { ifPresent: inverse(constraint) } : { constraint };
}

/** Matches exactly the other contexts. SDKs of before 2022 ignore `inverted`. */
export function inverse(constraint: Constraint): Constraint {
  if (constraint.operator === 'IN') return { ...constraint, operator: 'NOT_IN' };
  if (constraint.operator === 'NOT_IN') return { ...constraint, operator: 'IN' };
  return { ...constraint, inverted: !constraint.inverted };
}

export function isOneOf(attribute: string, values: readonly string[]): Constraint {
  return { contextName: fieldOf(attribute), operator: 'IN', values: trimmed(values), inverted: false };
}

type Comparison = Pick<Constraint, 'operator' | 'values' | 'value' | 'caseInsensitive'>;

function comparisonOf({ op, as, values, ignore_case = false }: Omit<Clause, 'attribute' | 'negate'>): Comparison {
  const number = numbers[op];
  if (number !== undefined && as === 'number') return { operator: number, values: [], value: String(only(values)) };
  if (as !== undefined && as !== 'text') throw new NotExpressible(`compares an attribute as ${as} by ${op}`);
  const text = texts[op];
  if (text !== undefined)
    return { operator: text, values: trimmed(values), ...(ignore_case && { caseInsensitive: true }) };
  if (op === 'in' || op === 'eq') {
    if (ignore_case) throw new NotExpressible(`ignores upper and lower case in ${op}`);
    return { operator: 'IN', values: trimmed(values) };
  }
  if (number !== undefined)
    throw new NotExpressible(`compares a number by ${op}: read the attribute as a number, since Unleash's are texts`);
  const version = versions[op];
  if (version !== undefined) return { operator: version, values: [], value: versionOf(only(values)) };
  throw new NotExpressible(`uses the operator ${op}`);
}

function dateOf(attribute: string, { op, values }: Pick<Clause, 'op' | 'values'>): Constraint {
  if (attribute !== 'now') throw new NotExpressible(`compares "${attribute}" with a time`);
  const time = only(values);
  const at = typeof time === 'number' ? time : Date.parse(String(time));
  if (!Number.isInteger(at) || Math.abs(at) > 8.64e15 || /\.\d{4}/.test(String(time)))
    throw new NotExpressible(`compares with the time ${time}`);
  const operator = dates[op] ?? '';
  return { contextName: 'currentTime', operator, values: [], value: new Date(at).toISOString(), inverted: false };
}

/** Unleash compares these with one value. */
function only(values: Clause['values']): Clause['values'][number] {
  const [value] = values;
  if (value === undefined || values.length > 1)
    throw new NotExpressible('compares an attribute with several numbers, versions or times');
  return value;
}

/** SDKs trim the values of a list, and drop empty ones. */
function trimmed(values: Clause['values']): readonly string[] {
  const isPlain = (value: unknown): value is string =>
    typeof value === 'string' && value !== '' && value.trim() === value;
  if (!values.every(isPlain))
    throw new NotExpressible(
      'compares with a number, a boolean, or a text that is empty or begins or ends with a space',
    );
  return values;
}

const versionForm = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[0-9A-Za-z.-]+)?(?:\+.*)?$/;

/** With all of its numbers, which the SDKs require. */
function versionOf(value: unknown): string {
  const text = String(value);
  const [, major, minor = '0', patch = '0', prerelease = ''] = versionForm.exec(text) ?? [];
  if (major === undefined || /\d{16}/.test(text)) throw new NotExpressible(`compares with the version ${text}`);
  return `${major}.${minor}.${patch}${prerelease}`;
}

/** Fields with a meaning of their own in one of the two products, beside names that SDKs' languages give to every object. */
const reserved = new Set(['', 'now', 'currentTime', 'properties', 'featureToggle', '__proto__']);

function fieldOf(attribute: string): string {
  if (attribute === TARGETING_KEY) return 'userId';
  if (attribute.startsWith('/')) throw new NotExpressible(`reads the JSON pointer ${attribute}`);
  if (reserved.has(attribute) || attribute in Object.prototype)
    throw new NotExpressible(`reads the attribute "${attribute}"`);
  return attribute;
}
