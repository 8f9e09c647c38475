import type { Context } from '../check/context.ts';
import { refuseHistogram } from '../check/histogram-value.ts';
import type { Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { stored } from '../functions/aggregate/stored.ts';
import { printPath, printStage } from '../syntax/print.ts';
import type { StageDefinition } from './definition.ts';
import { inUsualOrder } from './order.ts';

/** Describes the first row, by the order of the rows. */
function firstRow({ sorted, keys, time }: Relation, ctx: Context): string {
  const order = ctx.preceding.findLast(({ kind }) => kind === 'sort' || kind === 'top');
  if (sorted) return order ? `the first row by \`${printStage(order)}\`` : 'the first row in their order';
  if (keys) return 'the first row in the order of the keys';
  return time ? 'the newest row' : 'any row';
}

export const dedup: StageDefinition<'dedup'> = {
  kind: 'dedup',
  syntax: 'dedup NAME, …',
  doc: 'Keeps one row of each combination of these fields: the first in the order of the last `sort`. Unsorted rows of a signal are newest first, so that the newest stays; `sort time` before it keeps the oldest. Unsorted groups are in the order of their keys. `oql/explain` says which row it keeps.',
  examples: [
    'spans | sort -duration | dedup trace_id | fields trace_id, name, duration',
    'logs | where severity >= error | dedup service.name | fields time, service.name, body',
  ],
  check(stage, input, ctx) {
    const values = stage.paths.map((path) => resolve(path, rowsOf(input, ctx)));
    if (values.some((value) => value.broken || refuseHistogram(value, stage, ctx))) return input;
    const ordered = inUsualOrder(input);
    const by = stage.paths.map((path) => `\`${printPath(path)}\``).join(' and ');
    return {
      ...ordered,
      plan: { op: 'distinct', input: ordered.plan, by: values.map(stored) },
      keeps: `${firstRow(input, ctx)} of each ${by}`,
    };
  },
};
