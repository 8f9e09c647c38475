import type { Checked } from '../check/check.ts';
import { ANCHOR_LOOKBACK_NS } from '../metrics/anchored.ts';
import { classicOf } from '../metrics/classic.ts';
import { firstOf, overBy } from '../metrics/ends.ts';
import type { Window } from '../plan/plan.ts';
import type { Scope } from '../print/print.ts';
import type { Aliased, Expression, Query, Stage, StageOf } from '../syntax/ast.ts';
import type { RecentAggregate, RecentBuckets, RecentCondition, RecentFunction, RecentQuestion } from './question.ts';
import { conditionOf, labelOf, readsLabels } from './recognise-labels.ts';

interface Options {
  readonly scope: Scope;
  readonly nowNs: bigint;
}

const MILLISECOND = 1_000_000n;
const DAY = 86_400_000_000_000n;

type Grouping = Pick<StageOf<'stats'>, 'aggregates' | 'by'>;

/**
 * The question that a query asks of the number points of one metric; undefined if it needs more than these, or has another form than
 * `metric NAME | where … | promrate … | sum by …`. The query has no errors.
 */
export function recentQuestionOf(
  { lets, pipeline }: Query,
  checked: Checked,
  { scope, nowNs }: Options,
): RecentQuestion | undefined {
  const { source, stages } = pipeline;
  if (source.kind !== 'metric' || lets.length > 0 || classicOf(source.metric)) return undefined;
  if (checked.rollUps.length > 0) return undefined;
  const filters = stages.findIndex(({ kind }) => kind !== 'where');
  const [first, second, ...others] = stages.slice(filters);
  if (filters < 0 || !first || others.length > 0) return undefined;
  const grouping = groupingOf(second ?? first);
  if (!grouping || (second && first.kind !== 'range' && first.kind !== 'promrate')) return undefined;

  const aggregates = grouping.aggregates.map(({ value }) => aggregateOf(value));
  const keys = grouping.by.map(({ value }) => (isBucket(value) ? 'bucket' : labelOf(value, checked)));
  const condition = conditionsOf(stages.slice(0, filters), checked);
  if (!all(aggregates) || !all(keys) || condition === 'other') return undefined;
  const time = timeOf(second ? first : undefined, checked, keys.includes('bucket'), nowNs);
  if (!time) return undefined;

  const { window, fn, buckets } = time;
  const needsSeries = (condition && readsLabels(condition)) || keys.some((key) => key !== 'bucket');
  return {
    metric: source.metric,
    // A range of Prometheus begins after its first moment. It leaves out a point there by itself.
    fromMs: ms(window.fromNs),
    toMs: ceiledMs(window.toNs),
    ...(scope.project !== undefined && { project: scope.project }),
    ...(scope.environment !== undefined && { environment: scope.environment }),
    ...(needsSeries && { days: { from: Number(window.fromNs / DAY), to: Number(window.toNs / DAY) } }),
    ...(condition && { condition }),
    fn,
    buckets,
    keys,
    aggregates,
  };
}

function all<T>(of: readonly (T | undefined)[]): of is readonly T[] {
  return of.every((one) => one !== undefined);
}

function groupingOf(stage: Stage): Grouping | undefined {
  if ((stage.kind !== 'stats' && stage.kind !== 'aggregate') || stage.without) return undefined;
  if (stage.kind === 'stats') return stage;
  const { name, by, start, end } = stage;
  const args = stage.args ?? { items: [], star: false, start, end };
  // Short for an aggregate of the value, and for a count of rows.
  const items =
    args.items.length > 0 || name.text === 'count'
      ? args.items
      : [{ kind: 'path' as const, segments: ['value'], start, end }];
  return { aggregates: [{ value: { kind: 'call', name, args: { ...args, items }, start, end }, start, end }], by };
}

const OF_VALUES: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max'] satisfies RecentAggregate[]);

function aggregateOf(value: Expression): RecentAggregate | undefined {
  if (value.kind !== 'call') return undefined;
  const { name, args } = value;
  const [of] = args.items;
  if (name.text === 'count') return of === undefined && !args.star ? 'count' : undefined;
  const isOfValue = of?.kind === 'path' && of.segments.join('.') === 'value' && of.index === undefined;
  return isOfValue && args.items.length === 1 && isAggregate(name.text) ? name.text : undefined;
}

function isAggregate(name: string): name is RecentAggregate {
  return OF_VALUES.has(name);
}

/** `bucket(5m)` or `bucket(auto)`. */
function isBucket(value: Aliased['value']): boolean {
  return value.kind === 'call' && value.name.text === 'bucket' && value.args.items.length === 1 && !value.args.star;
}

/** Combines the conditions of all `where` stages; undefined without such a stage, `other` if one is not supported. */
function conditionsOf(stages: readonly Stage[], checked: Checked): RecentCondition | undefined | 'other' {
  const found = stages.map((stage) => (stage.kind === 'where' ? conditionOf(stage.predicate, checked) : undefined));
  if (!all(found)) return 'other';
  return found.length > 1 ? { kind: 'and', of: found } : found[0];
}

interface Time {
  /** Of the points that are read. */
  readonly window: Window;
  readonly fn: RecentFunction;
  readonly buckets: RecentBuckets;
}

/** The same times as in `metrics/ends.ts`, `metrics/range.ts` and `stages/bucket.ts`; undefined if one has a part of a millisecond. */
function timeOf(
  stage: Stage | undefined,
  { relation, window }: Checked,
  isBucketed: boolean,
  nowNs: bigint,
): Time | undefined {
  const { fromNs } = window;
  if (isBucketed !== (relation.bucket !== undefined) || relation.bucket?.calendar) return undefined;
  const stepNs = relation.bucket?.widthNs;
  const firstNs = stepNs === undefined ? fromNs : fromNs - (fromNs % stepNs);
  const over = stage && (stage.kind === 'range' || stage.kind === 'promrate') ? stage.duration : undefined;
  const adds = stage?.kind === 'range' && stage.fn !== 'rate' && over === undefined;
  const toNs = stage && !adds ? overBy(window, nowNs) : window.toNs;
  const overNs = over?.kind === 'duration' ? over.nanoseconds : (stepNs ?? toNs - fromNs);
  const times = [fromNs, toNs, stepNs ?? 0n, overNs];
  if (overNs <= 0n || toNs <= fromNs || times.some((time) => time % MILLISECOND !== 0n)) return undefined;

  const count = stepNs === undefined ? 1 : Number((toNs - firstNs + stepNs - 1n) / stepNs);
  const buckets = { firstMs: ms(firstNs), stepMs: stepNs === undefined ? null : ms(stepNs), count, toMs: ms(toNs) };
  const { firstEnd } = firstOf(window, { endNs: toNs, ...(stepNs !== undefined && { stepNs }) });
  if (stage?.kind === 'promrate') {
    const read = { fromNs: firstEnd - overNs + 1n, toNs: toNs + 1n };
    return {
      window: read,
      fn: { kind: 'prometheus', perSecond: stage.fn === 'promrate', overMs: ms(overNs) },
      buckets,
    };
  }
  if (stage?.kind === 'range') {
    const begin = adds && stepNs !== undefined ? firstNs : firstEnd - overNs;
    const rangeFrom = begin < fromNs || stepNs === undefined ? begin : fromNs;
    const lookback = rangeFrom - ANCHOR_LOOKBACK_NS;
    const read = { fromNs: lookback < fromNs ? lookback : fromNs, toNs };
    const isCut = stepNs !== undefined && !adds && toNs % stepNs !== 0n;
    const fn = { kind: 'growth', fn: stage.fn, overMs: ms(overNs), fromMs: ms(rangeFrom) } as const;
    return { window: read, fn: isCut ? { ...fn, cutMs: ms(toNs - overNs) } : fn, buckets };
  }
  return { window, fn: { kind: 'values' }, buckets };
}

function ms(nanoseconds: bigint): number {
  return Number(nanoseconds / MILLISECOND);
}

function ceiledMs(nanoseconds: bigint): number {
  return ms(nanoseconds + MILLISECOND - 1n);
}
