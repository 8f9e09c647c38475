import type { Calendar } from '../calendar/buckets.ts';
import type { Context } from '../check/context.ts';
import { checkExpression } from '../check/expression.ts';
import { expected, missable } from '../check/integers.ts';
import type { Column } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { store } from '../check/store.ts';
import { isQuantity, type OqlType } from '../check/types.ts';
import { readAs, type Value } from '../check/value.ts';
import type { Definition, Fill, Plan, Window } from '../plan/plan.ts';
import { type ColumnId, column, int64, integer, list, moment, type Sql, sql } from '../sql/sql.ts';
import type { StageDefinition } from './definition.ts';

const SECOND = 1_000_000_000n;

/** Returns the value for a gap, given the column, which is null there. */
type Filler = (value: Sql) => Sql;

export const fill: StageDefinition<'fill'> = {
  kind: 'fill',
  syntax: 'fill VALUE | fill prev | fill linear',
  doc: 'Adds the missing buckets to every series, with a fixed value, the previous value, or linear interpolation.',
  examples: [
    'logs | stats n=count() by bucket(1m) | fill 0',
    'logs | stats n=count() by bucket(1d, "Europe/Dublin"), service.name | fill 0',
    'spans | stats p95=p95(duration) by bucket(1m), service.name | fill linear',
  ],
  check(stage, input, ctx) {
    const { bucket } = input;
    if (!bucket || !input.keys) {
      if (!input.unknown) ctx.error('NEEDS_BUCKET', stage, '`fill` must follow a `stats … by bucket(…)`.');
      return input;
    }
    if (!bucket.calendar && bucket.widthNs % SECOND !== 0n) {
      ctx.error('NOT_AVAILABLE', stage, '`fill` needs buckets of whole seconds.');
      return input;
    }
    const constant = typeof stage.fill === 'string' ? undefined : checkExpression(stage.fill, rowsOf(input, ctx));
    if (constant?.broken) return input;
    const definitions: Definition[] = [];
    const kept = input.columns.map((original) => {
      const isKey = input.keys?.includes(original.name) ?? false;
      const stored = store(
        isKey
          ? original.value
          : asNullable(original.value, typeof stage.fill === 'string' || isQuantity(constant?.type ?? 'null')),
        ctx.fresh,
      );
      definitions.push(stored.definition);
      return { name: original.name, value: stored.value, id: stored.definition.id, isKey };
    });
    const time = kept.find((one) => one.name === bucket.column);
    if (!time) {
      ctx.error('NEEDS_BUCKET', stage, `\`fill\` needs the column \`${bucket.column}\`.`);
      return input;
    }
    const keys = kept.filter((one) => one.isKey && one !== time).map((one) => one.id);
    const steps = bucket.calendar
      ? calendarSteps(bucket.calendar, time.id, input.window, ctx)
      : { definitions: [], step: time.id, range: equalSteps(bucket.widthNs, input.window), after: [], time: time.id };
    // The engine fills an answer without rows, too, with a group of empty keys that nobody has: there it leaves out the mark.
    const mark = keys.length > 0 ? [{ id: ctx.fresh(), value: sql`materialize(1)` }] : [];
    const rows: Plan = { op: 'extend', input: input.plan, columns: [...definitions, ...steps.definitions, ...mark] };
    const { step, range } = steps;
    const every: Plan = { op: 'fill', input: rows, step, keys: [...mark.map(({ id }) => id), ...keys], range };
    const filled = mark.reduce<Plan>(
      (plan, { id }) => ({ op: 'filter', input: plan, predicate: sql`(${column(id)} = 1)` }),
      every,
    );
    const timed: Plan = steps.after.length > 0 ? { op: 'extend', input: filled, columns: steps.after } : filled;
    const newTime: Value = { ...time.value, sql: column(steps.time) };
    const columns: Column[] = [];
    const replaced: Definition[] = [];
    for (const one of kept) {
      const fits = !one.isKey && canFill(one.value.type, constant?.type);
      if (!fits) {
        columns.push({ name: one.name, value: one === time ? newTime : one.value });
        continue;
      }
      const id = ctx.fresh();
      const filler = constant
        ? withConstant(one.value.type, constant)
        : between(stage.fill === 'linear', steps.time, keys);
      const integer = expected(one.value);
      replaced.push({ id, value: filler(integer ? one.value.sql : column(one.id)) });
      const type = one.value.type === 'int' && constant?.type === 'float' ? 'float' : one.value.type;
      const value: Value = { type, sql: column(id), nullable: !constant };
      if (!integer) {
        columns.push({ name: one.name, value });
        continue;
      }
      const digits = ctx.fresh();
      // A gap has none, and neither has an interpolated or constant value.
      const known = sql`if(isNull(${one.value.sql}), NULL, ${integer.sql})`;
      const previous = sql`ifNull(${between(false, steps.time, keys)(known)}, 0)`;
      replaced.push({ id: digits, value: stage.fill === 'prev' ? previous : integer.sql });
      columns.push({ name: one.name, value: { ...value, integer: { sql: column(digits), isExpected: true } } });
    }
    const op = constant ? 'extend' : 'window';
    return { ...input, plan: { op, input: timed, columns: replaced }, columns, time: newTime, sorted: false };
  },
};

interface Steps {
  /** What is computed before the gaps are filled, and after it. */
  readonly definitions: readonly Definition[];
  readonly after: readonly Definition[];
  readonly step: ColumnId;
  readonly range: Fill['range'];
  /** The time of each row, also of those that were missing. */
  readonly time: ColumnId;
}

function equalSteps(widthNs: bigint, { fromNs, toNs }: Window): Fill['range'] {
  const at = (nanoseconds: bigint) => sql`toDateTime(${int64(nanoseconds / SECOND)}, 'UTC')`;
  return {
    from: at(fromNs - (fromNs % widthNs)),
    to: at(toNs + SECOND - 1n),
    by: sql`toIntervalSecond(${integer(widthNs / SECOND)})`,
  };
}

/** Buckets of the calendar differ in width, so their numbers are filled, and give the times. */
function calendarSteps(calendar: Calendar, time: ColumnId, { fromNs, toNs }: Window, ctx: Context): Steps {
  const [number, filledTime] = [ctx.fresh(), ctx.fresh()];
  const numberAt = (nanoseconds: bigint) => calendar.number(moment(nanoseconds));
  return {
    definitions: [{ id: number, value: calendar.number(column(time)) }],
    after: [{ id: filledTime, value: calendar.start(column(number)) }],
    step: number,
    range: { from: numberAt(fromNs), to: sql`(${numberAt(toNs - 1n)} + 1)`, by: sql`1` },
    time: filledTime,
  };
}

/** A nullable column, for gaps. Interpolated values are numbers, so of a column of any type only the numbers stay. */
function asNullable(value: Value, isNumeric: boolean): Value {
  const read = isNumeric && value.type === 'any' ? readAs(value, 'float') : undefined;
  return read ?? missable(value) ?? { ...value, sql: sql`toNullable(${value.sql})`, nullable: true };
}

function canFill(type: OqlType, filler: OqlType | undefined): boolean {
  if (filler === undefined) return isQuantity(type);
  return type === filler || (isQuantity(type) && (filler === 'int' || filler === 'float'));
}

/** Converts both to one type of the store, which has different types for counts and literals. */
function withConstant(type: OqlType, { type: given, sql: constant }: Value): Filler {
  if (!isQuantity(type)) return (value) => sql`ifNull(${value}, ${constant})`;
  if (type === 'float' || given === 'float') {
    return (value) => sql`ifNull(toFloat64(${value}), toFloat64(${constant}))`;
  }
  return (value) => sql`ifNull(toInt64(${value}), toInt64(${constant}))`;
}

/** Fills a gap from the nearest neighbors with a value. Gaps before the first and after the last value stay. */
function between(linear: boolean, time: ColumnId, keys: readonly ColumnId[]): Filler {
  const partition = keys.length > 0 ? sql`PARTITION BY ${list(keys.map(column))} ` : sql``;
  const t = column(time);
  const before = (of: Sql) =>
    sql`last_value(${of}) IGNORE NULLS OVER (${partition}ORDER BY ${t} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
  const after = (of: Sql) =>
    sql`first_value(${of}) IGNORE NULLS OVER (${partition}ORDER BY ${t} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)`;
  return (value) => {
    if (!linear) return before(value);
    const at = sql`if(isNull(${value}), NULL, toUnixTimestamp(${t}))`;
    const slope = sql`(${after(value)} - ${before(value)}) / (${after(at)} - ${before(at)})`;
    return sql`if(isNull(${value}), ${before(value)} + ${slope} * (toUnixTimestamp(${t}) - ${before(at)}), ${value})`;
  };
}
