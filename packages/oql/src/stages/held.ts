import type { Context } from '../check/context.ts';
import { checkCondition } from '../check/expression.ts';
import type { Bucket, Relation } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { condition } from '../check/value.ts';
import { lastSpan, over, windowsOf } from '../check/windows.ts';
import type { Plan } from '../plan/plan.ts';
import { aggregate, column, integer, moment, sql } from '../sql/sql.ts';
import type { StageKind, StageOf } from '../syntax/ast.ts';
import { printExpression } from '../syntax/print.ts';
import type { StageDefinition } from './definition.ts';

/** More buckets are probably a mistake, and all are read before the range. */
const MOST_BUCKETS = 1_000n;
/** Stages that may stand between the groups and the condition: they mean the same in a longer range. */
const BETWEEN: ReadonlySet<StageKind> = new Set(['where', 'held', 'extend', 'fields', 'omit', 'fill', 'sort']);

/**
 * Keeps the buckets at which a condition has held for a time: in their own bucket and in all those of that time before it,
 * of the same series. A bucket without a row ends it. The range is extended by that time, so that its first buckets are known too.
 */
export const held: StageDefinition<'held'> = {
  kind: 'held',
  syntax: 'where CONDITION for DURATION',
  doc: 'Keeps the buckets at which a condition has held for a time.',
  // Documented with `where`.
  examples: [],
  check(stage, input, ctx) {
    const buckets = bucketsOf(stage, input, ctx);
    if (!buckets) return { ...input, unknown: true };
    const { bucket, count } = buckets;
    const firstNs = input.window.fromNs - (input.window.fromNs % bucket.widthNs);
    const wide = ctx.again({ fromNs: firstNs - (count - 1n) * bucket.widthNs, toNs: input.window.toNs });
    if (!wide) return { ...input, unknown: true };
    const predicate = checkCondition(stage.predicate, rowsOf(wide, ctx));
    const { series, number } = windowsOf(wide);
    const start = wide.columns.find(({ name }) => name === bucket.column)?.value;
    if (predicate.broken || !number || !start) return { ...input, unknown: true };
    const [holds, times] = [ctx.fresh(), ctx.fresh()];
    const extent = { partition: series, order: number, rows: lastSpan(count) };
    const counted: Plan = {
      op: 'window',
      input: { op: 'extend', input: wide.plan, columns: [{ id: holds, value: condition(predicate) }] },
      columns: [{ id: times, value: over(aggregate('countIf', [column(holds)]), extent) }],
    };
    const isHeld = sql`(${column(times)} = ${integer(count)} AND ${start.sql} >= ${moment(firstNs)})`;
    return {
      ...wide,
      plan: { op: 'filter', input: counted, predicate: isHeld },
      window: input.window,
      sorted: false,
    };
  },
};

/** The buckets of the rows, and how many of them the time has; undefined if it has no whole number of them, which is reported. */
function bucketsOf(
  stage: StageOf<'held'>,
  input: Relation,
  ctx: Context,
): { bucket: Bucket; count: bigint } | undefined {
  const { duration, predicate } = stage;
  const { bucket } = input;
  if (duration.kind === 'invalid') return undefined;
  if (!bucket || !input.keys) {
    const held = `where ${printExpression(predicate)} for ${printExpression(duration)}`;
    const message = `\`for\` needs groups by time, which tell how long the condition has held: put \`stats … by bucket(1m)\` before \`${held}\`.`;
    if (!input.unknown) ctx.error('NEEDS_BUCKET', duration, message);
    return undefined;
  }
  if (bucket.calendar) {
    ctx.error('NOT_AVAILABLE', duration, '`for` needs buckets of equal width, such as `bucket(1h)`.');
    return undefined;
  }
  const { preceding } = ctx;
  const groups = preceding.findLastIndex(({ kind }) => kind === 'stats' || kind === 'aggregate');
  const other = preceding.slice(groups + 1).find(({ kind }) => !BETWEEN.has(kind));
  if (groups < 0 || other) {
    const message = `\`for\` reads the buckets before the range too, so it must come right after the groups: put ${other ? `\`${other.kind}\`` : 'other stages'} after it.`;
    ctx.error('NOT_AVAILABLE', duration, message);
    return undefined;
  }
  const ns = duration.kind === 'duration' ? duration.nanoseconds : 0n;
  if (ns <= 0n || ns % bucket.widthNs !== 0n || ns / bucket.widthNs > MOST_BUCKETS) {
    const width = printExpression({ kind: 'duration', nanoseconds: bucket.widthNs, start: 0, end: 0 });
    const message = `The time must be a multiple of the width of the buckets, which is ${width}, up to ${MOST_BUCKETS} of them.`;
    ctx.error('INVALID_VALUE', duration, message);
    return undefined;
  }
  return { bucket, count: ns / bucket.widthNs };
}
