import type { Context } from '../check/context.ts';
import { checkCondition, checkExpression } from '../check/expression.ts';
import type { Relation } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import { keep } from '../check/store.ts';
import { withArticle } from '../check/types.ts';
import { condition, isNull, type Value } from '../check/value.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { aggregate, call, column, integer, type Sql, some, sql, strings } from '../sql/sql.ts';
import type { StageOf } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';

const MOST_STEPS = 16;

export const funnel: StageDefinition<'funnel'> = {
  kind: 'funnel',
  syntax: 'funnel by KEY within DURATION [NAME]{CONDITION} -> [NAME]{CONDITION} …',
  doc: 'Counts how many keys (users, sessions, traces) reached each of several steps in time order, the last at most `within` after the first. Returns one row for each step: how many reached it, and their share of the first step and of the previous step. A key counts once; rows without a key are left out.',
  examples: [
    'logs | funnel by user.id within 30m cart{event_name == "cart"} -> checkout{event_name == "checkout"} -> paid{event_name == "paid"}',
    'spans | where kind == server | funnel by session.id within 1h {http.route == "/cart"} -> {http.route == "/pay"}',
  ],
  check(stage, input, ctx) {
    const env = rowsOf(input, ctx);
    const key = checkExpression(stage.by.value, env);
    const steps = stage.steps.map(({ predicate }) => checkCondition(predicate, env));
    const withinNs = withinOf(stage, ctx);
    if (!input.time && !input.unknown)
      ctx.error('NOT_ON_SOURCE', stage, 'A funnel needs a time, and these rows have none.');
    if (key.type === 'map' || key.type === 'array') {
      ctx.error('TYPE_MISMATCH', stage.by, `A funnel needs a single value as its key, not ${withArticle(key.type)}.`);
      return { ...input, unknown: true };
    }
    if (steps.length > MOST_STEPS) ctx.error('INVALID_VALUE', stage, `A funnel has at most ${MOST_STEPS} steps.`);
    const isBroken = key.broken || steps.some((step) => step.broken) || steps.length > MOST_STEPS;
    if (isBroken || withinNs === undefined || !input.time) return { ...input, unknown: true };
    return counted(stage, input, { key, steps, withinNs, time: input.time.sql }, ctx);
  },
};

function withinOf({ within }: StageOf<'funnel'>, ctx: Context): bigint | undefined {
  if (within.kind === 'duration' && within.nanoseconds > 0n) return within.nanoseconds;
  if (within.kind !== 'invalid')
    ctx.error('INVALID_VALUE', within, 'The time limit of a funnel must be a duration, such as `30m`.');
  return undefined;
}

interface Steps {
  readonly key: Value;
  readonly steps: readonly Value[];
  readonly withinNs: bigint;
  readonly time: Sql;
}

/**
 * The furthest step that each key reached. ClickHouse's `windowFunnel` is not used: if an event matches two consecutive
 * steps, it loses the earlier time of the first one and counts too few (2026-11, version 26.7).
 */
function furthest(input: Relation, { key, steps, withinNs, time }: Steps, ctx: Context) {
  const [keyId, moment, fits, level] = [ctx.fresh(), ctx.fresh(), ctx.fresh(), ctx.fresh()];
  // Events with the same time have no order, so they count as one event.
  const mask = joinedBits(steps.map(condition));
  const moments: Plan = {
    op: 'aggregate',
    input: { op: 'filter', input: input.plan, predicate: sql`(NOT ${isNull(key)} AND ${some(steps.map(condition))})` },
    keys: [
      { id: keyId, value: keep(key).sql },
      { id: moment, value: sql`toUnixTimestamp64Nano(toDateTime64(${time}, 9, 'UTC'))` },
    ],
    aggregates: [{ id: fits, value: aggregate('groupBitOr', [mask]) }],
  };
  // For each step, the latest start of a chain of events that reached it: the later, the more time is left.
  const events = sql`arraySort(${aggregate('groupArray', [sql`(${column(moment)}, ${column(fits)})`])})`;
  const none = sql`arrayResize(CAST([], 'Array(Int64)'), ${steps.length})`;
  const before = sql`arrayConcat([e.1], arrayPopBack(began))`;
  const next = sql`arrayMap((own, previous, i) -> if(bitTest(e.2, i) AND previous != 0 AND e.1 - previous <= ${integer(withinNs)}, greatest(own, previous), own), began, ${before}, range(${steps.length}))`;
  const perKey: Plan = {
    op: 'aggregate',
    input: moments,
    keys: [{ id: ctx.fresh(), value: column(keyId) }],
    aggregates: [
      { id: level, value: sql`arrayCount(x -> x != 0, arrayFold((began, e) -> ${next}, ${events}, ${none}))` },
    ],
  };
  return { perKey, level };
}

/** Bit `i` is set if condition `i` holds. */
function joinedBits(conditions: readonly Sql[]): Sql {
  const bits = conditions.map((holds, i) => sql`if(${holds}, ${2 ** i}, 0)`);
  return bits.slice(1).reduce((sum, bit) => sql`(${sum} + ${bit})`, sql`toUInt32(${bits[0] ?? sql`0`})`);
}

function counted(stage: StageOf<'funnel'>, input: Relation, found: Steps, ctx: Context): Relation {
  const { steps } = found;
  const { perKey, level } = furthest(input, found, ctx);
  const reached = steps.map(
    (_, i): Definition => ({
      id: ctx.fresh(),
      value: aggregate('countIf', [sql`(${column(level)} >= ${i + 1})`]),
    }),
  );
  const totals: Plan = { op: 'aggregate', input: perKey, keys: [], aggregates: reached };
  const [name, place, count, before, first] = [ctx.fresh(), ctx.fresh(), ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const counts = reached.map(({ id }) => column(id));
  const firstCount = counts[0] ?? sql`0`;
  const plan: Plan = {
    op: 'unnest',
    input: totals,
    columns: [
      { id: name, value: strings(stage.steps.map((step, i) => step.name?.text ?? String(i + 1))) },
      {
        id: place,
        value: call(
          'array',
          steps.map((_, i) => sql`${i + 1}`),
        ),
      },
      { id: count, value: call('array', counts) },
      { id: before, value: call('array', [firstCount, ...counts.slice(0, -1)]) },
      {
        id: first,
        value: call(
          'array',
          steps.map(() => firstCount),
        ),
      },
    ],
  };
  const share = (of: number): Value => ({
    type: 'float',
    sql: sql`(${column(count)} / nullIf(${column(of)}, 0))`,
    nullable: true,
  });
  return {
    plan: { op: 'sort', input: plan, orders: [{ value: column(place), descending: false }] },
    columns: [
      { name: 'step', value: { type: 'string', sql: column(name), nullable: false } },
      { name: 'reached', value: { type: 'int', sql: column(count), nullable: false } },
      { name: 'share', value: share(first) },
      { name: 'share_of_previous', value: share(before) },
    ],
    window: input.window,
    sorted: true,
  };
}
