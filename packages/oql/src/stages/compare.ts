import { type CalendarStep, earlier } from '../calendar/zones.ts';
import type { Context } from '../check/context.ts';
import { expected, missable, ofPair } from '../check/integers.ts';
import type { Bucket, Column, Relation } from '../check/relation.ts';
import { keep } from '../check/store.ts';
import { resultValue } from '../check/tagged.ts';
import { isQuantity } from '../check/types.ts';
import type { Value } from '../check/value.ts';
import type { Definition, Plan, UnionColumn, Window } from '../plan/plan.ts';
import { aggregate, column, integer, type Sql, sql } from '../sql/sql.ts';
import type { NumberLiteral, StageOf } from '../syntax/ast.ts';
import { checkZone } from './bucket.ts';
import type { StageDefinition } from './definition.ts';
import { comparePatterns } from './patterns.ts';

/** How far back the result is that this one is compared with. */
interface Before {
  readonly window: Window;
  /** The bucket of this result that a bucket of the earlier one is compared with. */
  readonly later: (time: Sql) => Sql;
}

export const compare: StageDefinition<'compare'> = {
  kind: 'compare',
  syntax: 'compare DURATION ["TIME ZONE"]',
  doc: 'Adds to each result its value that long ago (`NAME_before`) and its relative change (`NAME_change`). `compare 1mo` is the same time of the month before; with a time zone, or after buckets of one, days and months are those of its calendar. After `patterns`: which patterns are new, gone, more or less frequent (`state`), by the largest difference.',
  examples: [
    'spans | where service.name == "cart" | stats p95=p95(duration) by bucket(10m) | compare 1d',
    'logs | stats n=count() by service.name | compare 7d',
    'logs | stats n=count() by service.name | compare 1mo "Europe/Dublin"',
    'logs | where severity >= warn | patterns by service.name | compare 1d',
    'spans | stats n=count() by bucket(1mo, "Europe/Dublin") | compare 1y',
  ],
  check(stage, input, ctx) {
    const last = ctx.preceding.at(-1);
    const patterns = ctx.preceding.find(({ kind }) => kind === 'patterns');
    if (last?.kind === 'patterns' && !input.bucket && !input.unknown) {
      const before = beforeWindow(stage, input.window, ctx);
      const compared = before && comparePatterns(last, before.window, ctx);
      return compared ?? { ...input, unknown: true };
    }
    if (patterns && !input.keys && !input.unknown) {
      ctx.error('NOT_AVAILABLE', stage, input.bucket ? PATTERNS_OF_BUCKETS : PATTERNS_CHANGED);
      return { ...input, unknown: true };
    }
    if (!input.keys) {
      if (!input.unknown) ctx.error('NOT_AVAILABLE', stage, '`compare` must follow `stats`.');
      return input;
    }
    const before = input.bucket
      ? beforeBuckets(stage, input.bucket, input.window, ctx)
      : beforeWindow(stage, input.window, ctx);
    const earlierResult = before && ctx.again(before.window);
    return before && earlierResult ? sideBySide(input, earlierResult, before.later, ctx) : input;
  },
};

function beforeWindow(stage: StageOf<'compare'>, window: Window, ctx: Context): Before | undefined {
  const { offset, zone } = stage;
  const later = (time: Sql) => time;
  if (offset.kind !== 'months' && !zone) {
    const shift = durationOf(offset, ctx);
    return shift === undefined ? undefined : { window: shifted(window, (at) => at - shift), later };
  }
  const step = stepOf(offset, ctx);
  const place = zone ? checkZone(zone.text, zone, ctx) : 'UTC';
  if (!step || place === undefined) return undefined;
  return { window: shifted(window, (at) => earlier(at, step, place)), later };
}

function beforeBuckets(stage: StageOf<'compare'>, bucket: Bucket, window: Window, ctx: Context): Before | undefined {
  const { offset, zone } = stage;
  const { calendar, widthNs } = bucket;
  if (!calendar) {
    if (offset.kind === 'months' || zone) {
      const message =
        'Days and months of the calendar differ in length, so these buckets have no counterparts: group by `bucket(1mo, "Europe/Dublin")` or `bucket(1d, "Europe/Dublin")`, or compare with a duration, such as `compare 4w`.';
      ctx.error('NOT_AVAILABLE', zone ?? offset, message);
      return undefined;
    }
    const shift = durationOf(offset, ctx);
    if (shift === undefined) return undefined;
    if (shift % widthNs !== 0n) {
      ctx.error('INVALID_VALUE', offset, 'With buckets, the time to compare with must be a multiple of their width.');
      return undefined;
    }
    return { window: shifted(window, (at) => at - shift), later: (time) => plus(time, shift) };
  }
  if (zone && checkZone(zone.text, zone, ctx) !== calendar.zone) {
    ctx.error('INVALID_VALUE', zone, `These buckets are of the time zone "${calendar.zone}": leave out the other one.`);
    return undefined;
  }
  const step = stepOf(offset, ctx);
  if (!step) return undefined;
  if (step.unit !== calendar.unit) {
    const message =
      calendar.unit === 'day'
        ? 'Months differ in length, so their days have no counterparts: group by `bucket(1mo, …)`, or compare with days or weeks, such as `compare 4w`.'
        : 'Buckets of months are compared with months or years, such as `compare 1mo`.';
    ctx.error('NOT_AVAILABLE', offset, message);
    return undefined;
  }
  if (step.count % calendar.count !== 0n) {
    ctx.error('INVALID_VALUE', offset, 'With buckets, the time to compare with must be a multiple of their width.');
    return undefined;
  }
  const buckets = integer(step.count / calendar.count);
  return {
    window: shifted(window, (at) => earlier(at, step, calendar.zone)),
    later: (time) => calendar.start(sql`(${calendar.number(time)} + ${buckets})`),
  };
}

const PATTERNS_OF_BUCKETS =
  'After `patterns`, `compare` compares all lines of two time ranges, not those of each bucket: leave out `bucket(…)`, as in `logs | patterns by service.name | compare 1d`.';
const PATTERNS_CHANGED =
  'After `patterns`, `compare` must come next, so that the lines of both time ranges are grouped together: move it there, as in `logs | patterns | compare 1d | where state == "new"`.';

const DAY = 86_400_000_000_000n;
const INVALID = 'The time to compare with must be a duration, such as `1d`, or months of the calendar, such as `1mo`.';

function durationOf(offset: NumberLiteral, ctx: Context): bigint | undefined {
  if (offset.kind === 'duration' && offset.nanoseconds > 0n) return offset.nanoseconds;
  if (offset.kind !== 'invalid') ctx.error('INVALID_VALUE', offset, INVALID);
  return undefined;
}

/** A century, so that the earlier window has dates that every component supports. */
const LONGEST: Readonly<Record<CalendarStep['unit'], bigint>> = { day: 36_500n, month: 1_200n };

function stepOf(offset: NumberLiteral, ctx: Context): CalendarStep | undefined {
  const step: CalendarStep | undefined =
    offset.kind === 'months'
      ? { unit: 'month', count: offset.months }
      : offset.kind === 'duration' && offset.nanoseconds % DAY === 0n
        ? { unit: 'day', count: offset.nanoseconds / DAY }
        : undefined;
  if (step && step.count > 0n && step.count <= LONGEST[step.unit]) return step;
  const message = 'In a time zone, the time to compare with must be whole days or months, such as `1d`, `1w` or `1mo`.';
  if (offset.kind !== 'invalid') ctx.error('INVALID_VALUE', offset, message);
  return undefined;
}

function shifted({ fromNs, toNs }: Window, by: (at: bigint) => bigint): Window {
  return { fromNs: by(fromNs), toNs: by(toNs) };
}

/** The union of both results, each marked, grouped to one row for each combination of keys. */
function sideBySide(now: Relation, before: Relation, later: Before['later'], ctx: Context): Relation {
  const isNow = ctx.fresh();
  const union: UnionColumn[] = [{ id: isNow, values: [sql`true`, sql`false`] }];
  const keys: Definition[] = [];
  const columns: Column[] = [];
  const aggregates: Definition[] = [];
  now.columns.forEach(({ name, value }, i) => {
    const then = before.columns[i]?.value ?? value;
    const isKey = now.keys?.includes(name) ?? false;
    const kept = keep((isKey ? undefined : missable(value)) ?? value);
    const earlierKept = keep((isKey ? undefined : missable(then)) ?? then).sql;
    const shifted = name === now.bucket?.column ? later(earlierKept) : earlierKept;
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
    const [after, since] = [current, earlier].map(
      (of): Value =>
        expected(value)
          ? { type: value.type, nullable: true, ...ofPair(of) }
          : resultValue(value.type, of, true, value.elements),
    );
    if (!after || !since) return;
    columns.push({ name, value: after }, { name: `${name}_before`, value: since });
    if (isQuantity(value.type) || value.type === 'any') {
      const number = (of: Value) => of.dynamic?.read('float') ?? of.sql;
      const change = sql`(${number(after)} / nullIf(${number(since)}, 0) - 1)`;
      columns.push({ name: `${name}_change`, value: { type: 'float', sql: change, nullable: true } });
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

function plus(time: Sql, byNs: bigint): Sql {
  return byNs % 1_000_000_000n === 0n
    ? sql`(${time} + toIntervalSecond(${integer(byNs / 1_000_000_000n)}))`
    : sql`(${time} + toIntervalNanosecond(${integer(byNs)}))`;
}
