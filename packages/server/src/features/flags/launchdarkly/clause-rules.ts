import { type Clause, type OperatorName, parseInstant, type Scalar, TARGETING_KEY } from '@fanion/flag-engine';
import { NotExpressible, portablePattern } from '../evaluation/index.ts';

export interface LaunchDarklyClause {
  readonly contextKind?: string;
  readonly attribute: string;
  readonly op: string;
  readonly values: readonly unknown[];
  readonly negate: boolean;
}

/** Operators that mean the same there, for times of RFC 3339 and for patterns that mean the same in every language. */
const operators: Partial<Record<OperatorName, string>> = {
  in: 'in',
  eq: 'in',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
  contains: 'contains',
  matches: 'matches',
  before: 'before',
  after: 'after',
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
  return {
    contextKind: context_kind,
    attribute: attributeOf(attribute),
    op: known,
    values: values.map(valueIn(op)),
    negate,
  };
}

/** Writes a value of a clause. @throws NotExpressible */
function valueIn(op: string): (value: Scalar) => Scalar {
  switch (op) {
    case 'matches':
      return (value) => {
        const portable = portablePattern(String(value), false);
        if (portable === undefined)
          throw new NotExpressible('uses a pattern that means something else in other languages');
        return portable.pattern;
      };
    case 'before':
    case 'after':
      return (value) => {
        const instant = parseInstant(value);
        if (instant === undefined || !Number.isInteger(instant))
          throw new NotExpressible('compares with a time that is no whole millisecond');
        return instant;
      };
    default:
      return (value) => value;
  }
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
