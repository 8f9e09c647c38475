import { type Clause, type OperatorName, TARGETING_KEY } from '@fanion/flag-engine';
import { NotExpressible } from '../evaluation/index.ts';

export interface LaunchDarklyClause {
  readonly contextKind?: string;
  readonly attribute: string;
  readonly op: string;
  readonly values: readonly unknown[];
  readonly negate: boolean;
}

/**
 * Operators that mean the same there. Patterns are missing since SDKs use the regular expressions of their language, and
 * times because SDKs read other forms of them.
 */
const operators: Partial<Record<OperatorName, string>> = {
  in: 'in',
  eq: 'in',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
  contains: 'contains',
  lt: 'lessThan',
  lte: 'lessThanOrEqual',
  gt: 'greaterThan',
  gte: 'greaterThanOrEqual',
  semver_eq: 'semVerEqual',
  semver_lt: 'semVerLessThan',
  semver_gt: 'semVerGreaterThan',
};

/** The kind of context that is read where a flag names none. */
export const userKind = 'user';

/** @throws NotExpressible */
export function clauseOf(clause: Clause): LaunchDarklyClause {
  const { op, values, negate = false, as, ignore_case, attribute = '', context_kind = userKind } = clause;
  if (op === 'in_segment') return { attribute: '', op: 'segmentMatch', values, negate };
  const known = operators[op];
  if (known === undefined) throw new NotExpressible(`uses the operator ${op}`);
  if (as !== undefined) throw new NotExpressible(`reads an attribute as ${as}`);
  if (ignore_case === true) throw new NotExpressible('ignores upper and lower case');
  return { contextKind: context_kind, attribute: attributeOf(attribute), op: known, values, negate };
}

/** Names with a meaning of their own in one of the two products. `anonymous` is never missing in LaunchDarkly. */
const reserved = new Set(['kind', '_meta', 'anonymous', 'now', '']);

/** @throws NotExpressible */
function attributeOf(name: string): string {
  if (name === TARGETING_KEY) return 'key';
  if (name.startsWith('/')) throw new NotExpressible(`reads the JSON pointer ${name}`);
  if (reserved.has(name)) throw new NotExpressible(`reads the attribute "${name}"`);
  return name;
}
