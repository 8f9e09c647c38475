import type { Context } from '../check/context.ts';
import type { Column, Relation } from '../check/relation.ts';
import { noteSampled } from '../check/sampled.ts';
import { store } from '../check/store.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { aggregate, column, integer, type Sql, sql } from '../sql/sql.ts';
import type { NumberLiteral, StageKind, StageOf } from '../syntax/ast.ts';
import { printExpression } from '../syntax/print.ts';
import type { StageDefinition } from './definition.ts';
import { checkKeys } from './stats.ts';

const SECOND = 1_000_000_000n;
const [USUAL, LONGEST] = [3_600n * SECOND, 7n * 86_400n * SECOND];
const MOST_MOMENTS = 10_000n;
/** Stages that may stand before it: they keep rows one by one, so that they mean the same in a longer range. */
const BEFORE: ReadonlySet<StageKind> = new Set(['where', 'extend', 'sample']);
const NAME = 'concurrency';

/** How many spans run at each moment. */
export const concurrency: StageDefinition<'concurrency'> = {
  kind: 'concurrency',
  syntax: 'concurrency WIDTH [over DURATION] [by [NAME=]KEY, …]',
  doc: 'How many spans were in flight at the start of each bucket of time in the range: those with `time <= t < end`, each counted for the spans that it represents. Spans that began up to an hour before the range count too; `over` sets a longer time, up to seven days. A moment without a span has no row: `fill 0` adds it.',
  examples: [
    'spans | where kind == server | concurrency 1m by service.name',
    'spans | where name == "nightly export" | concurrency 5m over 1d | fill 0',
    'spans | where kind == client | concurrency 10s by service.name | stats most=max(concurrency) by service.name',
  ],
  check(stage, input, ctx) {
    const unknown = { ...input, unknown: true as const };
    if (input.unknown) return unknown;
    const times = timesOf(stage, input, ctx);
    if (!times) return unknown;
    const { widthNs, lookBackNs } = times;
    const { fromNs, toNs } = input.window;
    const wide = ctx.preceding.every(({ kind }) => BEFORE.has(kind))
      ? ctx.again({ fromNs: fromNs - lookBackNs, toNs })
      : undefined;
    if (wide?.rows?.signal !== 'spans' || !isPlain(wide.plan)) {
      const message =
        '`concurrency` counts spans that run at the same time: put it right after the conditions, as in `spans | where kind == server | concurrency 1m`.';
      ctx.error('NOT_ON_SOURCE', stage, message);
      return unknown;
    }
    return (
      counted(stage, wide, { widthNs, first: ceil(fromNs, widthNs), end: ceil(toNs, widthNs), toNs }, ctx) ?? unknown
    );
  },
};

function ceil(at: bigint, width: bigint): bigint {
  return (at + width - 1n) / width;
}

function isPlain(plan: Plan): boolean {
  return plan.op === 'scan' || ((plan.op === 'filter' || plan.op === 'extend') && isPlain(plan.input));
}

function timesOf({ width, over }: StageOf<'concurrency'>, { window }: Relation, ctx: Context) {
  const widthNs = width.kind === 'duration' ? width.nanoseconds : 0n;
  const rangeNs = window.toNs - window.fromNs;
  if (widthNs < SECOND || widthNs % SECOND !== 0n) {
    if (width.kind !== 'invalid')
      ctx.error('INVALID_VALUE', width, 'The distance of the moments is whole seconds, such as `1m`.');
    return undefined;
  }
  if (rangeNs / widthNs > MOST_MOMENTS) {
    const message = `That makes ${rangeNs / widthNs} moments; at most ${MOST_MOMENTS} are allowed. Choose a longer distance than \`${printExpression(width)}\`.`;
    ctx.error('INVALID_VALUE', width, message);
    return undefined;
  }
  const lookBackNs = over === undefined ? USUAL : durationOf(over);
  if (lookBackNs <= 0n || lookBackNs > LONGEST) {
    if (over?.kind !== 'invalid')
      ctx.error('INVALID_VALUE', over ?? width, 'The longest time that a span may have run is a duration up to `7d`.');
    return undefined;
  }
  return { widthNs, lookBackNs };
}

function durationOf(literal: NumberLiteral): bigint {
  return literal.kind === 'duration' ? literal.nanoseconds : 0n;
}

interface Grid {
  readonly widthNs: bigint;
  /** The numbers of the first moment, and of the one after the last. */
  readonly first: bigint;
  readonly end: bigint;
  readonly toNs: bigint;
}

/** Adds the weight of a span at the first moment at which it runs, subtracts it at the first at which it has ended, and sums up. */
function counted(stage: StageOf<'concurrency'>, spans: Relation, grid: Grid, ctx: Context): Relation | undefined {
  const { widthNs, first, end } = grid;
  const by = keysOf(stage, spans, ctx);
  if (by === undefined) return undefined;
  const { running, from, to } = runningAt(spans, grid, ctx);
  noteSampled({ ...spans, plan: running }, ctx);
  const weight = sql`toFloat64(${spans.weight ?? sql`1`})`;
  const changes = ctx.fresh();
  const grouped: Plan = {
    op: 'aggregate',
    input: running,
    keys: by.definitions,
    aggregates: [
      {
        id: changes,
        value: aggregate('sumMap', [sql`[${column(from)}, ${column(to)}]`, sql`[${weight}, -${weight}]`]),
      },
    ],
  };
  const part = (i: number) => sql`tupleElement(${column(changes)}, ${i})`;
  const next = sql`arrayPushBack(arrayPopFront(${part(1)}), ${integer(end)})`;
  const [moments, counts] = [ctx.fresh(), ctx.fresh()];
  const each: Plan = {
    op: 'unnest',
    input: grouped,
    columns: [
      { id: moments, value: sql`arrayFlatten(arrayMap((a, b) -> range(a, b), ${part(1)}, ${next}))` },
      {
        id: counts,
        value: sql`arrayFlatten(arrayMap((a, b, n) -> arrayMap(k -> n, range(a, b)), ${part(1)}, ${next}, arrayCumSum(${part(2)})))`,
      },
    ],
  };
  const number = sql`toInt64(round(${column(counts)}))`;
  const time = sql`toDateTime(${column(moments)} * ${integer(widthNs / SECOND)}, 'UTC')`;
  const at = store({ type: 'timestamp', sql: time, nullable: false }, ctx.fresh);
  const amount = store({ type: 'int', sql: number, nullable: false }, ctx.fresh);
  const plan: Plan = {
    op: 'extend',
    input: { op: 'filter', input: each, predicate: sql`(${number} > 0)` },
    columns: [at.definition, amount.definition],
  };
  const keys = by.columns.map(({ name }) => name);
  const columns: Column[] = [{ name: 'time', value: at.value }, ...by.columns, { name: NAME, value: amount.value }];
  return {
    plan,
    columns,
    window: { fromNs: first * widthNs, toNs: grid.toNs },
    sorted: false,
    keys: ['time', ...keys],
    bucket: { column: 'time', widthNs, moments: true },
    time: at.value,
  };
}

/** The keys of the groups; undefined after an error. */
function keysOf(stage: StageOf<'concurrency'>, spans: Relation, ctx: Context) {
  const by = checkKeys(stage.by, spans, ctx);
  if (by.columns.length < stage.by.length) return undefined;
  const taken = by.columns.find(({ name }) => name === 'time' || name === NAME);
  if (by.bucket || taken) {
    const message =
      '`concurrency` has its own moments, in `time`, and its own column `concurrency`: use other keys, or other names.';
    ctx.error('DUPLICATE_NAME', stage, message);
    return undefined;
  }
  return by;
}

/** The spans that run at one of the moments, each with the first such moment and the first at which it has ended. */
function runningAt(spans: Relation, { widthNs, first, end }: Grid, ctx: Context) {
  const begin = sql`toUnixTimestamp64Nano(${spans.rows?.intrinsic('time')?.sql ?? sql`NULL`})`;
  const over = sql`(${begin} + toInt64(${spans.rows?.intrinsic('duration')?.sql ?? sql`0`}))`;
  const numberAt = (at: Sql) => sql`intDiv(${at} + ${integer(widthNs - 1n)}, ${integer(widthNs)})`;
  const [from, to] = [ctx.fresh(), ctx.fresh()];
  const numbers: Definition[] = [
    { id: from, value: sql`greatest(${numberAt(begin)}, ${integer(first)})` },
    { id: to, value: sql`least(${numberAt(over)}, ${integer(end)})` },
  ];
  const running: Plan = {
    op: 'filter',
    input: { op: 'extend', input: spans.plan, columns: numbers },
    predicate: sql`(${column(from)} < ${column(to)})`,
  };
  return { running, from, to };
}
