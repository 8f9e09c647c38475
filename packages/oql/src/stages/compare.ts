import type { Context } from '../check/context.ts';
import type { Column, Relation } from '../check/relation.ts';
import { keep } from '../check/store.ts';
import { resultValue, taggedValue } from '../check/tagged.ts';
import { isQuantity } from '../check/types.ts';
import type { Definition, Plan, UnionColumn } from '../plan/plan.ts';
import { aggregate, column, integer, type Sql, sql } from '../sql/sql.ts';
import type { StageDefinition } from './definition.ts';

export const compare: StageDefinition<'compare'> = {
  kind: 'compare',
  syntax: 'compare DURATION',
  doc: 'Adds to each result its value that long ago (`NAME_before`) and its relative change (`NAME_change`).',
  examples: [
    'spans | where service.name == "cart" | stats p95=p95(duration) by bucket(10m) | compare 1d',
    'logs | stats n=count() by service.name | compare 7d',
  ],
  check(stage, input, ctx) {
    const { offset } = stage;
    const shift = offset.kind === 'duration' ? offset.nanoseconds : 0n;
    if (shift <= 0n) {
      if (offset.kind !== 'invalid')
        ctx.error('INVALID_VALUE', offset, 'The time to compare with must be a duration, such as `1d`.');
      return input;
    }
    if (!input.keys) {
      if (!input.unknown) ctx.error('NOT_AVAILABLE', stage, '`compare` must follow `stats`.');
      return input;
    }
    if (input.bucket?.days) {
      const message =
        '`compare` needs buckets of equal width, and days of a time zone have 23, 24 or 25 hours. `lag(x, 7)` in `extend` is the same day of the week before.';
      ctx.error('NOT_AVAILABLE', stage, message);
      return input;
    }
    if (input.bucket && shift % input.bucket.widthNs !== 0n) {
      ctx.error('INVALID_VALUE', offset, 'With buckets, the time to compare with must be a multiple of their width.');
      return input;
    }
    const before = ctx.again({ fromNs: input.window.fromNs - shift, toNs: input.window.toNs - shift });
    if (!before) return input;
    return sideBySide(input, before, shift, ctx);
  },
};

/** The union of both results, each marked, grouped to one row for each combination of keys. */
function sideBySide(now: Relation, before: Relation, shiftNs: bigint, ctx: Context): Relation {
  const isNow = ctx.fresh();
  const union: UnionColumn[] = [{ id: isNow, values: [sql`true`, sql`false`] }];
  const keys: Definition[] = [];
  const columns: Column[] = [];
  const aggregates: Definition[] = [];
  now.columns.forEach(({ name, value }, i) => {
    const then = before.columns[i]?.value ?? value;
    const kept = keep(value);
    const isKey = now.keys?.includes(name) ?? false;
    const shifted = name === now.bucket?.column ? later(keep(then).sql, shiftNs) : keep(then).sql;
    const id = ctx.fresh();
    union.push({ id, values: [kept.sql, shifted] });
    if (isKey) {
      const key = ctx.fresh();
      keys.push({ id: key, value: column(id) });
      columns.push({ name, value: kept.restore(column(key)) });
      return;
    }
    const valueAt = (mark: Sql) => {
      const result = ctx.fresh();
      aggregates.push({ id: result, value: aggregate('anyOrNullIf', [column(id), mark]) });
      return column(result);
    };
    const current = valueAt(column(isNow));
    const earlier = valueAt(sql`(NOT ${column(isNow)})`);
    columns.push({ name, value: resultValue(value.type, current, true, value.elements) });
    columns.push({ name: `${name}_before`, value: resultValue(value.type, earlier, true, value.elements) });
    const numbers = [current, earlier].map((of) =>
      value.type === 'any' ? taggedValue(of).dynamic?.read('float') : of,
    );
    const [after, since] = numbers;
    if (after && since && (isQuantity(value.type) || value.type === 'any')) {
      columns.push({
        name: `${name}_change`,
        value: { type: 'float', sql: sql`(${after} / nullIf(${since}, 0) - 1)`, nullable: true },
      });
    }
  });
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'union', inputs: [now.plan, before.plan], columns: union },
    keys,
    aggregates,
  };
  const time = columns.find((one) => one.name === now.bucket?.column)?.value;
  return { ...now, plan, columns, sorted: false, ...(time ? { time } : {}) };
}

function later(time: Sql, byNs: bigint): Sql {
  return byNs % 1_000_000_000n === 0n
    ? sql`(${time} + toIntervalSecond(${integer(byNs / 1_000_000_000n)}))`
    : sql`(${time} + toIntervalNanosecond(${integer(byNs)}))`;
}
