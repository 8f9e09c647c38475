import type { Checked } from '../check/check.ts';
import type { AttributeScope } from '../check/relation.ts';
import { ANCHOR_LOOKBACK_NS } from '../metrics/anchored.ts';
import { classicOf } from '../metrics/classic.ts';
import { firstOf, overBy } from '../metrics/ends.ts';
import type { Window } from '../plan/plan.ts';
import type { Scope } from '../print/print.ts';
import { METRIC_FIELDS } from '../schema/metrics.ts';
import type { Expression, Query, Stage, StageOf } from '../syntax/ast.ts';
import type { RecentAggregate, RecentCondition, RecentLabel, RecentPlace, RecentQuestion } from './question.ts';

interface Options {
  readonly scope: Scope;
  readonly nowNs: bigint;
}

const MILLISECOND = 1_000_000n;

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
  if (source.kind !== 'metric' || lets.length > 0 || classicOf(source.metric) || checked.rollUps.length > 0) return;
  const others = stages.filter(({ kind }) => kind !== 'where');
  const conditions = stages.flatMap((stage) => (stage.kind === 'where' ? conditionsOf(stage.predicate, checked) : []));
  const [last, range, ...more] = [...others].reverse();
  if (!last || more.length > 0 || stages.slice(-others.length).some(({ kind }) => kind === 'where')) return;
  if (range && range.kind !== 'range' && range.kind !== 'promrate') return;
  const grouping = groupingOf(last);
  const keys = grouping?.by.map(({ value }) => (isBucket(value) ? 'bucket' : labelOf(value, checked)));
  if (!grouping || !all(grouping.aggregates) || !keys || !all(keys) || !all(conditions)) return;
  const time = timeOf(range, checked, keys.includes('bucket'), nowNs);
  if (!time) return;
  const { window, ...of } = time;
  return {
    metric: source.metric,
    // A range of Prometheus begins after its first moment. It leaves out a point there by itself.
    fromMs: ms(window.fromNs),
    toMs: ms(window.toNs + MILLISECOND - 1n),
    ...(scope.project !== undefined && { project: scope.project }),
    ...(scope.environment !== undefined && { environment: scope.environment }),
    conditions,
    ...of,
    keys,
    aggregates: grouping.aggregates,
  };
}

function all<T>(of: readonly (T | undefined)[]): of is readonly T[] {
  return of.every((one) => one !== undefined);
}

function groupingOf(stage: Stage) {
  if ((stage.kind !== 'stats' && stage.kind !== 'aggregate') || stage.without) return undefined;
  const aggregates =
    stage.kind === 'stats'
      ? stage.aggregates.map(({ value }) => (value.kind === 'call' ? aggregateOf(value) : undefined))
      : // Short for an aggregate of the value, and for a count of rows.
        [stage.args?.items.length ? aggregateOf({ ...stage, args: stage.args }) : named(stage.name.text)];
  return { aggregates, by: stage.by };
}

function aggregateOf({ name, args }: Pick<Extract<Expression, { kind: 'call' }>, 'name' | 'args'>) {
  const [of, ...others] = args.items;
  if (args.star || others.length > 0) return undefined;
  if (of === undefined) return name.text === 'count' ? 'count' : undefined;
  const isOfValue = of.kind === 'path' && of.segments.join('.') === 'value' && of.index === undefined;
  return isOfValue && name.text !== 'count' ? named(name.text) : undefined;
}

function named(name: string): RecentAggregate | undefined {
  return (['sum', 'avg', 'min', 'max', 'count'] as const).find((one) => one === name);
}

/** `bucket(5m)` or `bucket(auto)`. */
function isBucket(value: Expression): boolean {
  return value.kind === 'call' && value.name.text === 'bucket' && value.args.items.length === 1 && !value.args.star;
}

const PLACES: Readonly<Record<AttributeScope, readonly RecentPlace[] | undefined>> = {
  either: ['attributes', 'resource'],
  signal: ['attributes'],
  resource: ['resource'],
  scope: undefined,
};

/** The label of a series that a path means; undefined if it is another field, or may be inside of a map. */
function labelOf(path: Expression, { attributes }: Checked): RecentLabel | undefined {
  if (path.kind !== 'path' || path.index !== undefined) return undefined;
  const name = path.segments.join('.');
  if (name === 'service.name') return { places: ['own'], keys: ['service'] };
  if (name === 'environment') return { places: ['own'], keys: ['environment'] };
  const use = Object.hasOwn(METRIC_FIELDS, name) ? undefined : attributes.get(name);
  const places = use && PLACES[use.scope];
  const keys = use?.keys.filter((key) => typeof key === 'string');
  return places && keys && keys.length === use.keys.length ? { places, keys } : undefined;
}

/** Conditions that all must be met: `==` and `!=` with a text and `in` with texts, joined by `and`. Undefined for others. */
function conditionsOf(of: Expression, checked: Checked): readonly (RecentCondition | undefined)[] {
  // What is left of a condition with a variable of any value.
  if (of.kind === 'bool' && of.value) return [];
  if (of.kind === 'and') return of.operands.flatMap((operand) => conditionsOf(operand, checked));
  if (of.kind === 'compare' && (of.operator === '==' || of.operator === '!=')) {
    const [path, text] = of.left.kind === 'string' ? [of.right, of.left] : [of.left, of.right];
    return [among(path, [text], of.operator === '!=', checked)];
  }
  return [of.kind === 'in' && of.set.kind === 'list' ? among(of.value, of.set.items, of.negated, checked) : undefined];
}

function among(path: Expression, items: readonly Expression[], isNegated: boolean, checked: Checked) {
  const label = labelOf(path, checked);
  const texts = items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
  return label && texts.length === items.length && items.length > 0 ? { label, texts, isNegated } : undefined;
}

/** The same times as in `metrics/ends.ts`, `metrics/range.ts` and `stages/bucket.ts`; undefined if one has a part of a millisecond. */
function timeOf(
  stage: StageOf<'range'> | StageOf<'promrate'> | undefined,
  { relation, window }: Checked,
  isBucketed: boolean,
  nowNs: bigint,
): (Pick<RecentQuestion, 'fn' | 'buckets'> & { readonly window: Window }) | undefined {
  const { fromNs } = window;
  if (isBucketed !== (relation.bucket !== undefined) || relation.bucket?.calendar) return undefined;
  const stepNs = relation.bucket?.widthNs;
  const adds = stage?.kind === 'range' && stage.fn !== 'rate' && stage.duration === undefined;
  const toNs = stage && !adds ? overBy(window, nowNs) : window.toNs;
  const { firstBucket, firstEnd } = firstOf(window, { endNs: toNs, ...(stepNs !== undefined && { stepNs }) });
  const step = stepNs ?? toNs - fromNs;
  const overNs = stage?.duration?.kind === 'duration' ? stage.duration.nanoseconds : step;
  if (overNs <= 0n || toNs <= fromNs || [fromNs, toNs, step, overNs].some((time) => time % MILLISECOND !== 0n)) return;

  const count = Number((toNs - firstBucket + step - 1n) / step);
  const buckets = { firstMs: ms(firstBucket), stepMs: ms(step), count, endMs: ms(toNs) };
  if (stage === undefined) return { window, fn: { kind: 'values' }, buckets };
  const overMs = ms(overNs);
  if (stage.kind === 'promrate') {
    const read = { fromNs: firstEnd - overNs + 1n, toNs: toNs + 1n };
    return { window: read, fn: { kind: 'prometheus', perSecond: stage.fn === 'promrate', overMs }, buckets };
  }
  const begin = adds && stepNs !== undefined ? firstBucket : firstEnd - overNs;
  const rangeFrom = begin < fromNs || stepNs === undefined ? begin : fromNs;
  const lookback = rangeFrom - ANCHOR_LOOKBACK_NS;
  const isCut = stepNs !== undefined && !adds && toNs % stepNs !== 0n;
  const fn = { kind: 'growth', fn: stage.fn, overMs, fromMs: ms(rangeFrom) } as const;
  return {
    window: { fromNs: lookback < fromNs ? lookback : fromNs, toNs },
    fn: isCut ? { ...fn, cutMs: ms(toNs - overNs) } : fn,
    buckets,
  };
}

function ms(nanoseconds: bigint): number {
  return Number(nanoseconds / MILLISECOND);
}
