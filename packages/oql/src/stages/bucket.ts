import { type Calendar, calendarOf, startOf } from '../calendar/buckets.ts';
import { type CalendarStep, noZone, timeZone } from '../calendar/zones.ts';
import type { Context } from '../check/context.ts';
import type { Environment } from '../check/environment.ts';
import { isQuantity, withArticle } from '../check/types.ts';
import { readAs, type Value } from '../check/value.ts';
import { replaceWith } from '../diagnostics/diagnostic.ts';
import { int64, integer, sql } from '../sql/sql.ts';
import type { Expression, ExpressionOf, Range } from '../syntax/ast.ts';
import { printString } from '../syntax/literals.ts';
import { nearest } from '../text/distance.ts';

export interface BucketKey {
  readonly value: Value;
  /** Present for time buckets. */
  readonly widthNs?: bigint;
  readonly calendar?: Calendar;
  readonly name: string;
}

const SECOND = 1_000_000_000n;
/** Widths that are easy to read, in seconds. */
const WIDTHS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800];
const WANTED_BUCKETS = 120n;
const MOST_BUCKETS = 11_000n;

/** The width that divides a range into about a hundred buckets. */
export function automaticWidth(rangeNs: bigint): bigint {
  const width = WIDTHS.find((seconds) => BigInt(seconds) * SECOND * WANTED_BUCKETS >= rangeNs) ?? 604800;
  return BigInt(width) * SECOND;
}

/**
 * `bucket(5m)` and `bucket(auto)` group by time, in steps that begin at the epoch, and so do `bucket(time, 5m)` and
 * `bucket(observed_time, 5m)`; `bucket(duration, 10ms)` and `bucket(n, 10)` group a quantity. The value of a bucket is its
 * start. `bucket(1d, "Europe/Berlin")` and `bucket(time, 1mo, "Europe/Berlin")` group by the days and months of a time zone,
 * `bucket(1mo)` by those of UTC.
 */
export function checkBucket(call: ExpressionOf<'call'>, env: Environment): BucketKey | undefined {
  const { ctx, relation } = env;
  const last = call.args.items.at(-1);
  const zone = call.args.items.length > 1 && last?.kind === 'string' ? last : undefined;
  const [first, second] = zone ? call.args.items.slice(0, -1) : call.args.items;
  if (first === undefined || call.args.items.length > (zone ? 3 : 2) || call.args.star) {
    const message =
      '`bucket` is written `bucket(5m)`, `bucket(auto)`, `bucket(FIELD, WIDTH)`, `bucket(1mo)` or `bucket(1d, "Europe/Berlin")`.';
    ctx.error('ARGUMENT_COUNT', call, message);
    return undefined;
  }
  if (zone || (second ?? first).kind === 'months') {
    return calendarBucket(second ? first : undefined, second ?? first, zone, env);
  }
  if (second && isMoment(first, env)) return timeBucket(env.check(first, env), first, second, env);
  if (second) return quantityBucket(env.check(first, env), env.check(second, env), call, env);
  const { time } = relation;
  if (!time) {
    if (!relation.unknown) ctx.error('NOT_ON_SOURCE', call, 'These rows have no time to group by.');
    return undefined;
  }
  return timeBucket(time, undefined, first, env);
}

/** Whether the first of two arguments is a timestamp, as in `bucket(time, 5m)`. Its mistakes are reported elsewhere. */
function isMoment(argument: Expression, env: Environment): boolean {
  const findings = env.ctx.findings.length;
  const { type } = env.check(argument, env);
  env.ctx.findings.length = findings;
  return type === 'timestamp';
}

/** @param field the field with the timestamp; undefined: the time of the row */
function timeBucket(
  time: Value,
  field: Expression | undefined,
  wanted: Expression,
  env: Environment,
): BucketKey | undefined {
  const { ctx, relation } = env;
  const rangeNs = relation.window.toNs - relation.window.fromNs;
  const auto = wanted.kind === 'path' && wanted.segments.join('.') === 'auto';
  const width = auto ? automaticWidth(rangeNs) : durationOf(env.check(wanted, env));
  if (width === undefined || width <= 0n) {
    ctx.error('INVALID_VALUE', wanted, 'The width of a bucket must be a duration such as `5m`, or `auto`.');
    return undefined;
  }
  if (rangeNs / width > MOST_BUCKETS) {
    ctx.error(
      'INVALID_VALUE',
      wanted,
      `That makes ${rangeNs / width} buckets; at most ${MOST_BUCKETS} are allowed. \`bucket(auto)\` chooses a width.`,
    );
    return undefined;
  }
  const value: Value = { type: 'timestamp', sql: beginning(time.sql, width), nullable: time.nullable };
  // Buckets of a timestamp other than the row's time are not a time series: it may be outside the window.
  const isOwn = field === undefined || (field.kind === 'path' && field.segments.join('.') === 'time');
  return isOwn ? { value, widthNs: width, name: 'time' } : { value, name: 'bucket' };
}

/** Days, weeks and months of a time zone: they begin at local midnight, and differ in length. */
function calendarBucket(
  field: Expression | undefined,
  wanted: Expression,
  zone: ExpressionOf<'string'> | undefined,
  env: Environment,
): BucketKey | undefined {
  const { ctx, relation } = env;
  const time = field ? env.check(field, env) : relation.time;
  if (!time || (field && time.type !== 'timestamp')) {
    if (!relation.unknown && !time?.broken) {
      ctx.error('NOT_ON_SOURCE', field ?? wanted, 'Buckets of the calendar need a time, and this is not a time.');
    }
    return undefined;
  }
  const place = zone ? checkZone(zone.value, zone, ctx) : 'UTC';
  if (place === undefined) return undefined;
  const step = stepOf(wanted, env);
  if (!step) {
    const message =
      'In a time zone, buckets must be whole days or months, as in `bucket(1d, "Europe/Berlin")`, `bucket(1w, "Europe/Berlin")` or `bucket(1mo, "Europe/Berlin")`.';
    ctx.error('INVALID_VALUE', wanted, message);
    return undefined;
  }
  const calendar = calendarOf(step, place);
  const value: Value = { type: 'timestamp', sql: startOf(calendar, time.sql), nullable: time.nullable };
  const isOwn = field === undefined || (field.kind === 'path' && field.segments.join('.') === 'time');
  if (!isOwn) return { value, name: 'bucket' };
  return { value, widthNs: step.count * (step.unit === 'day' ? DAY : 30n * DAY), calendar, name: 'time' };
}

const DAY = 86_400n * SECOND;
/** A century of months. */
const MOST_MONTHS = 1_200n;

function stepOf(wanted: Expression, env: Environment): CalendarStep | undefined {
  if (wanted.kind === 'months') {
    return wanted.months > 0n && wanted.months <= MOST_MONTHS ? { unit: 'month', count: wanted.months } : undefined;
  }
  const width = durationOf(env.check(wanted, env));
  if (width === undefined || width <= 0n || width % DAY !== 0n || width > 10_000n * DAY) return undefined;
  return { unit: 'day', count: width / DAY };
}

/** The time zone as the store names it; undefined if there is none, which is reported. */
export function checkZone(written: string, at: Range, ctx: Context): string | undefined {
  const zone = timeZone(written);
  if (zone !== undefined) return zone;
  const near = nearest(written, Intl.supportedValuesOf('timeZone'));
  const suggestion = near === undefined ? undefined : replaceWith(at, printString(near));
  ctx.error('INVALID_VALUE', at, noZone(written), suggestion);
  return undefined;
}

function durationOf(value: Value): bigint | undefined {
  return value.constant?.type === 'duration' ? value.constant.value : undefined;
}

function beginning(time: Value['sql'], width: bigint): Value['sql'] {
  if (width % SECOND === 0n) return sql`toStartOfInterval(${time}, toIntervalSecond(${integer(width / SECOND)}))`;
  const nanoseconds = sql`toUnixTimestamp64Nano(toDateTime64(${time}, 9, 'UTC'))`;
  return sql`fromUnixTimestamp64Nano(intDiv(${nanoseconds}, ${integer(width)}) * ${integer(width)}, 'UTC')`;
}

function quantityBucket(of: Value, width: Value, call: ExpressionOf<'call'>, env: Environment): BucketKey | undefined {
  if (of.broken || width.broken) return undefined;
  const quantity = of.type === 'any' ? readAs(of, 'float') : of;
  const { constant: known } = width;
  const size =
    known && (known.type === 'int' || known.type === 'duration' || known.type === 'bytes' || known.type === 'float')
      ? known
      : undefined;
  const fits =
    quantity &&
    size &&
    isQuantity(quantity.type) &&
    (quantity.type === size.type || ['int', 'float'].includes(quantity.type));
  const number = Number(size?.value ?? 0);
  if (!quantity || !size || !fits || number <= 0 || (size.type === 'duration' && quantity.type !== 'duration')) {
    env.ctx.error(
      'ARGUMENT_TYPE',
      call,
      `Buckets of ${withArticle(of.type)} need a width of the same type, greater than 0.`,
    );
    return undefined;
  }
  const whole = size.type !== 'float' && quantity.type !== 'float';
  const step = size.type === 'float' ? sql`${number}` : int64(size.value);
  const sqlText = whole
    ? sql`(toInt64(${quantity.sql}) - positiveModulo(toInt64(${quantity.sql}), ${step}))`
    : sql`(floor(${quantity.sql} / ${step}) * ${step})`;
  return {
    value: { type: whole ? quantity.type : 'float', sql: sqlText, nullable: quantity.nullable },
    name: 'bucket',
  };
}
