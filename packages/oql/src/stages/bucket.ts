import type { Environment } from '../check/environment.ts';
import { isQuantity, withArticle } from '../check/types.ts';
import { readAs, type Value } from '../check/value.ts';
import { int64, integer, sql } from '../sql/sql.ts';
import type { Expression, ExpressionOf } from '../syntax/ast.ts';

export interface BucketKey {
  readonly value: Value;
  /** Present for buckets of time. */
  readonly widthNs?: bigint;
  readonly name: string;
}

const SECOND = 1_000_000_000n;
/** Widths that people read easily, in seconds. */
const WIDTHS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 604800];
const WANTED_BUCKETS = 120n;
const MOST_BUCKETS = 11_000n;

/** The width that makes about a hundred buckets of a range. */
export function automaticWidth(rangeNs: bigint): bigint {
  const width = WIDTHS.find((seconds) => BigInt(seconds) * SECOND * WANTED_BUCKETS >= rangeNs) ?? 604800;
  return BigInt(width) * SECOND;
}

/**
 * `bucket(5m)` and `bucket(auto)` group by time, in steps that begin at the epoch, and so do `bucket(time, 5m)` and
 * `bucket(observed_time, 5m)`; `bucket(duration, 10ms)` and `bucket(n, 10)` group a quantity. A bucket is named by its beginning.
 */
export function checkBucket(call: ExpressionOf<'call'>, env: Environment): BucketKey | undefined {
  const { ctx, relation } = env;
  const [first, second] = call.args.items;
  if (first === undefined || call.args.items.length > 2 || call.args.star) {
    ctx.error('ARGUMENT_COUNT', call, '`bucket` is written `bucket(5m)`, `bucket(auto)` or `bucket(FIELD, WIDTH)`.');
    return undefined;
  }
  if (second && isMoment(first, env)) return timeBucket(env.check(first, env), first, second, env);
  if (second) return quantityBucket(env.check(first, env), env.check(second, env), call, env);
  const { time } = relation;
  if (!time) {
    if (!relation.unknown) ctx.error('NOT_ON_SOURCE', call, 'These rows have no time to be grouped by.');
    return undefined;
  }
  return timeBucket(time, undefined, first, env);
}

/** Whether the first of two arguments is a moment, as in `bucket(time, 5m)`; what is wrong with it is told elsewhere. */
function isMoment(argument: Expression, env: Environment): boolean {
  const findings = env.ctx.findings.length;
  const { type } = env.check(argument, env);
  env.ctx.findings.length = findings;
  return type === 'timestamp';
}

/** @param field what the moment is called; undefined: it is the time of the row */
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
    ctx.error('INVALID_VALUE', wanted, 'The width of a bucket is a duration such as `5m`, or `auto`.');
    return undefined;
  }
  if (rangeNs / width > MOST_BUCKETS) {
    ctx.error(
      'INVALID_VALUE',
      wanted,
      `That makes ${rangeNs / width} buckets; at most ${MOST_BUCKETS} are possible. \`bucket(auto)\` finds a width.`,
    );
    return undefined;
  }
  const value: Value = { type: 'timestamp', sql: startOf(time.sql, width), nullable: time.nullable };
  // Buckets of another moment than the row's own are no time series: it may lie anywhere.
  const isOwn = field === undefined || (field.kind === 'path' && field.segments.join('.') === 'time');
  return isOwn ? { value, widthNs: width, name: 'time' } : { value, name: 'bucket' };
}

function durationOf(value: Value): bigint | undefined {
  return value.constant?.type === 'duration' ? value.constant.value : undefined;
}

function startOf(time: Value['sql'], width: bigint): Value['sql'] {
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
      `Buckets of ${withArticle(of.type)} have a width of the same kind, greater than 0.`,
    );
    return undefined;
  }
  const whole = size.type !== 'float' && quantity.type !== 'float';
  const step = size.type === 'float' ? sql`${number}` : int64(size.value);
  const sqlText = whole
    ? sql`(intDiv(${quantity.sql}, ${step}) * ${step})`
    : sql`(floor(${quantity.sql} / ${step}) * ${step})`;
  return {
    value: { type: whole ? quantity.type : 'float', sql: sqlText, nullable: quantity.nullable },
    name: 'bucket',
  };
}
