import { NoEqual } from '../../files/report.ts';
import type { ClauseDocument } from '../document.ts';

/** A condition of any form, over clauses. */
export type Expression =
  | { readonly kind: 'clause'; readonly clause: ClauseDocument }
  /** True when all parts are true; always true without parts. */
  | { readonly kind: 'all'; readonly of: readonly Expression[] }
  /** True when one part is true; never true without parts. */
  | { readonly kind: 'any'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression };

export const always: Expression = { kind: 'all', of: [] };
export const never: Expression = { kind: 'any', of: [] };

export function clause(fields: Omit<ClauseDocument, 'negate'> & { readonly negate?: boolean }): Expression {
  return { kind: 'clause', clause: { negate: false, ...fields } };
}

/** Whether the attribute is one of some values, or none of them; without values, never. */
export function oneOf(attribute: string, values: ClauseDocument['values'], none = false): Expression {
  if (values.length === 0) return none ? always : never;
  return clause({ attribute, op: none ? 'not_in' : 'in', values });
}

/**
 * A comparison of versions. "At or above" becomes "not below", which would also match a value that is not a version. The
 * second clause excludes those: every version is above the one it names.
 */
export function versionClause(
  attribute: string,
  op: ClauseDocument['op'],
  value: string | number | boolean,
  negate: boolean,
): Expression {
  const compared = clause({ attribute, op, values: [value], negate });
  if (!negate) return compared;
  return { kind: 'all', of: [compared, clause({ attribute, op: 'semver_gt', values: ['0.0.0-0'] })] };
}

const ORDERS = {
  lt: (a: number, b: number) => a < b,
  lte: (a: number, b: number) => a <= b,
  gt: (a: number, b: number) => a > b,
  gte: (a: number, b: number) => a >= b,
};

/** An order comparison as in JavaScript, where a missing attribute is the number 0. */
export function orderWithMissing(
  attribute: string,
  op: keyof typeof ORDERS,
  value: ClauseDocument['values'][number],
): Expression {
  const compared = clause({ attribute, op, values: [value] });
  if (typeof value !== 'number' || !ORDERS[op](0, value)) return compared;
  return { kind: 'any', of: [compared, clause({ attribute, op: 'exists', values: [], negate: true })] };
}

const MAX_ALTERNATIVES = 50;
const MAX_CLAUSES = 50;

/**
 * The expression as rules: one list of clauses for each way to be true, all of which must match (disjunctive normal
 * form). `[[]]` is always true, `[]` never.
 *
 * @throws NoEqual when that needs more rules than a flag should have
 */
export function alternatives(expression: Expression): ClauseDocument[][] {
  switch (expression.kind) {
    case 'clause':
      return [[expression.clause]];
    case 'any':
      return limited(expression.of.flatMap(alternatives));
    case 'all':
      return expression.of.reduce<ClauseDocument[][]>(
        (ways, part) => {
          const more = alternatives(part);
          return limited(ways.flatMap((way) => more.map((clauses) => [...way, ...clauses])));
        },
        [[]],
      );
    case 'not':
      return alternatives(negated(expression.of));
  }
}

/**
 * The negation. Here, a clause on a missing attribute matches neither plain nor negated; elsewhere, the negation of a
 * clause that does not match matches. `in` has an exact opposite; the others need a clause for the missing attribute.
 */
function negated(expression: Expression): Expression {
  switch (expression.kind) {
    case 'not':
      return expression.of;
    case 'all':
      return { kind: 'any', of: expression.of.map(negated) };
    case 'any':
      return { kind: 'all', of: expression.of.map(negated) };
    case 'clause':
      return negatedClause(expression.clause);
  }
}

const COMPLEMENT: Readonly<Partial<Record<ClauseDocument['op'], ClauseDocument['op']>>> = {
  in: 'not_in',
  not_in: 'in',
  eq: 'neq',
  neq: 'eq',
};

function negatedClause(from: ClauseDocument): Expression {
  const op = COMPLEMENT[from.op];
  if (op !== undefined && !from.negate) return { kind: 'clause', clause: { ...from, op } };
  const opposite: Expression = { kind: 'clause', clause: { ...from, negate: !from.negate } };
  if (from.op === 'in_segment' || from.op === 'exists') return opposite;
  const { attribute } = from;
  const missing = clause({ ...(attribute !== undefined && { attribute }), op: 'exists', values: [], negate: true });
  return { kind: 'any', of: [opposite, missing] };
}

function limited(ways: ClauseDocument[][]): ClauseDocument[][] {
  if (ways.length > MAX_ALTERNATIVES || ways.some((clauses) => clauses.length > MAX_CLAUSES)) {
    throw new NoEqual('its condition is too complex for rules');
  }
  return ways;
}

/** A literal text as an RE2 pattern that ignores case, anchored as requested. */
export function ignoringCase(text: string, { start = false, end = false } = {}): string {
  return `(?i)${start ? '^' : ''}${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}${end ? '$' : ''}`;
}
