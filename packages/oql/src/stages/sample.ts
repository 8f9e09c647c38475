import type { Context } from '../check/context.ts';
import type { Relation } from '../check/relation.ts';
import { resolve } from '../check/resolve.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { keep } from '../check/store.ts';
import { call, type Sql, sql } from '../sql/sql.ts';
import type { StageDefinition } from './definition.ts';

/** Fields that decide whether a row is kept: its trace, so that traces stay complete; otherwise the row itself. */
const IDENTITY: Readonly<Record<string, readonly string[]>> = {
  spans: ['trace_id'],
  traces: ['trace_id'],
  events: ['trace_id'],
  links: ['trace_id'],
  logs: ['time', 'body'],
  metric: ['series', 'time'],
};
const PARTS = 1_000_000;

export const sample: StageDefinition<'sample'> = {
  kind: 'sample',
  syntax: 'sample SHARE',
  doc: 'Keeps a share of the rows (for spans, of whole traces), the same rows each time. Counts, sums and quantiles of spans are scaled up to all spans.',
  examples: ['spans | sample 0.1 | stats n=count(), p99=p99(duration) by service.name'],
  check(stage, input, ctx) {
    const { fraction } = stage;
    const share =
      fraction.kind === 'float' ? fraction.value : fraction.kind === 'int' ? Number(fraction.value) : Number.NaN;
    if (!(share > 0 && share <= 1)) {
      if (fraction.kind !== 'invalid')
        ctx.error('INVALID_VALUE', fraction, 'A sample must be a share between 0 and 1, such as 0.1.');
      return input;
    }
    const identity = identityOf(input, ctx);
    if (!identity) {
      if (!input.unknown)
        ctx.error(
          'NOT_ON_SOURCE',
          stage,
          '`sample` works on the rows of a signal: use it before `stats` and `fields`.',
        );
      return { ...input, unknown: true };
    }
    const predicate = sql`(cityHash64(${identity}) % ${PARTS} < ${Math.round(share * PARTS)})`;
    const weight = input.weight ? sql`(${input.weight} / ${share})` : sql`toFloat64(${1 / share})`;
    return { ...input, plan: { op: 'filter', input: input.plan, predicate }, weight, weighs: 'sample' };
  },
};

function identityOf(input: Relation, ctx: Context): Sql | undefined {
  const names = input.rows && IDENTITY[input.rows.signal];
  if (!names) return undefined;
  const values = names.map(
    (name) =>
      keep(resolve({ kind: 'path', segments: [name], start: 0, end: 0 }, rowsOf({ ...input, columns: [] }, ctx))).sql,
  );
  return values.length === 1 ? values[0] : call('tuple', values);
}
