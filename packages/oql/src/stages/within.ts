import type { Context } from '../check/context.ts';
import { refuseHistogram } from '../check/histogram-value.ts';
import type { Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { withArticle } from '../check/types.ts';
import type { Groups } from '../check/windows.ts';
import { stored } from '../functions/aggregate/stored.ts';
import type { Order } from '../plan/plan.ts';
import type { Path } from '../syntax/ast.ts';
import { ordersOf } from './order.ts';

export interface Within extends Groups {
  /** The order of the groups. */
  readonly orders: readonly Order[];
}

/** The groups that `within` names; undefined if a field is invalid, which is reported. */
export function checkWithin(paths: readonly Path[], input: Relation, ctx: Context): Within | undefined {
  const env = rowsOf(input, ctx);
  const fields = paths.map((path) => ({ path, value: resolve(path, env) }));
  for (const { path, value } of fields) {
    if (value.broken || refuseHistogram(value, path, ctx)) return undefined;
    if (value.type === 'map' || value.type === 'array') {
      ctx.error('TYPE_MISMATCH', path, `Rows cannot be grouped by ${withArticle(value.type)}.`);
      return undefined;
    }
  }
  return {
    names: paths.map(({ segments }) => segments.join('.')),
    values: fields.map(({ value }) => stored(value)),
    orders: fields.flatMap(({ value }) => ordersOf(value, false)),
  };
}
