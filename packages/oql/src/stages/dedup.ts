import { refuseHistogram } from '../check/histogram-value.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { stored } from '../functions/aggregate/stored.ts';
import type { StageDefinition } from './definition.ts';
import { inUsualOrder } from './order.ts';

export const dedup: StageDefinition<'dedup'> = {
  kind: 'dedup',
  syntax: 'dedup NAME, …',
  doc: 'Keeps the first row of each combination of these fields: the newest, unless the rows are sorted differently.',
  examples: ['logs | where severity >= error | dedup service.name | fields time, service.name, body'],
  check(stage, input, ctx) {
    const values = stage.paths.map((path) => resolve(path, rowsOf(input, ctx)));
    if (values.some((value) => value.broken || refuseHistogram(value, stage, ctx))) return input;
    const ordered = inUsualOrder(input);
    return { ...ordered, plan: { op: 'distinct', input: ordered.plan, by: values.map(stored) } };
  },
};
