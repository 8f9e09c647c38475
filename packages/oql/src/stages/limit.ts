import type { Context } from '../check/context.ts';
import type { NumberLiteral } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';
import { inUsualOrder } from './order.ts';

/** More rows than any answer may have; it keeps counts in a range that every component supports. */
const MOST = 10_000_000;

/** A number of rows; undefined if it is invalid, which is reported. */
export function rowCount(literal: NumberLiteral, what: string, ctx: Context): number | undefined {
  if (literal.kind === 'int' && literal.value <= MOST) return Number(literal.value);
  if (literal.kind !== 'invalid') ctx.error('INVALID_VALUE', literal, `${what} is a whole number up to ${MOST}.`);
  return undefined;
}

export const limit: StageDefinition<'limit'> = {
  kind: 'limit',
  syntax: 'limit COUNT [offset COUNT]',
  doc: 'Keeps the first rows after it skips `offset` rows. Rows of a signal come newest first unless sorted.',
  examples: ['logs | limit 20', 'spans | sort -duration | limit 10 offset 10'],
  check(stage, input, ctx) {
    const count = rowCount(stage.count, 'A limit', ctx);
    const offset = stage.offset ? rowCount(stage.offset, 'An offset', ctx) : 0;
    if (count === undefined || offset === undefined) return input;
    const ordered = inUsualOrder(input);
    return { ...ordered, plan: { op: 'limit', input: ordered.plan, count, offset } };
  },
};
