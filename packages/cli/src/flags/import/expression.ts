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

/** How a clause reads and compares its attribute, other than as it is. */
export type Reading = Pick<ClauseDocument, 'as' | 'ignore_case'>;

/** Whether the attribute is one of some values, or none of them; without values, never. */
export function oneOf(
  attribute: string,
  values: ClauseDocument['values'],
  { none = false, ...reading }: Reading & { readonly none?: boolean } = {},
): Expression {
  if (values.length === 0) return none ? always : never;
  return clause({ attribute, op: none ? 'not_in' : 'in', values, ...reading });
}

/** Matches contexts without the attribute. */
export function missing(attribute: string): Expression {
  return clause({ attribute, op: 'exists', values: [], negate: true });
}

const ORDERS = {
  lt: (a: number, b: number) => a < b,
  lte: (a: number, b: number) => a <= b,
  gt: (a: number, b: number) => a > b,
  gte: (a: number, b: number) => a >= b,
};

/** An order comparison as in JavaScript, where a text can be a number, and a missing attribute is the number 0. */
export function orderWithMissing(
  attribute: string,
  op: keyof typeof ORDERS,
  value: ClauseDocument['values'][number],
): Expression {
  if (typeof value !== 'number') return clause({ attribute, op, values: [value] });
  const compared = clause({ attribute, op, values: [value], as: 'number' });
  return ORDERS[op](0, value) ? { kind: 'any', of: [compared, missing(attribute)] } : compared;
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

/** The attribute for the time of the evaluation, which no context lacks. */
export const NOW = 'now';

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
  if (from.op === 'in_segment' || from.op === 'exists' || from.attribute === NOW) return opposite;
  if (from.as === 'size') throw new NoEqual(`it asks for lists that do not have a certain size`);
  return { kind: 'any', of: [opposite, missing(from.attribute ?? '')] };
}

function limited(ways: ClauseDocument[][]): ClauseDocument[][] {
  if (ways.length > MAX_ALTERNATIVES || ways.some((clauses) => clauses.length > MAX_CLAUSES)) {
    throw new NoEqual('its condition is too complex for rules');
  }
  return ways;
}
