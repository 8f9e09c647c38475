import type { Context } from '../check/context.ts';
import type { Classic } from '../check/relation.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { rewrite } from '../rules/columns.ts';
import { aggregate, column, type Sql, sql, text } from '../sql/sql.ts';
import type { Stage } from '../syntax/ast.ts';
import { NO_DISTRIBUTION } from './distribution.ts';
import type { Grown } from './grown.ts';
import { EXPLICIT, explicitKeysOf } from './shape.ts';

const ENDING = '_bucket';

/** The histogram that `metric NAME_bucket` reads; undefined for other names. */
export function classicOf(metric: string): Classic | undefined {
  if (!metric.endsWith(ENDING) || metric.length === ENDING.length) return undefined;
  return { buckets: metric, sum: `${metric.slice(0, -ENDING.length)}_sum` };
}

/** The points of a metric together with those of its sums. */
export function withSums(plan: Plan, classic: { readonly isOwn: Sql } | undefined): Plan {
  if (!classic) return plan;
  return rewrite(plan, (node) => (node.op === 'filter' && node.predicate === classic.isOwn ? node.input : node));
}

/** Whether stages, or parts of one, use the bucket label `le`: if so, they read the counters themselves. */
export function mentionsBound(of: readonly Stage[] | readonly object[]): boolean {
  return of.some(isAboutBound);
}

function isAboutBound(node: object): boolean {
  if ('kind' in node && node.kind === 'path') {
    const isSegment = 'segments' in node && Array.isArray(node.segments) && node.segments.at(-1) === 'le';
    return isSegment || ('index' in node && node.index === 'le');
  }
  return Object.values(node).some((part) => typeof part === 'object' && part !== null && isAboutBound(part));
}

/**
 * Merges the rows of a histogram's buckets, which have the same labels except `le`, into one row. Each bucket grows
 * independently, as in Prometheus, so a loss in one does not affect the others. A histogram without the bucket `+Inf` has
 * no quantile. Rows that are not buckets stay as they are.
 */
export function gatherBuckets(grown: Grown, { buckets, sum }: Classic, ctx: Context): Grown {
  const read = (name: string): Sql => {
    const id = grown.about.get(name);
    return id === undefined ? sql`NULL` : column(id);
  };
  const made: Definition[] = [];
  const define = (value: Sql): Sql => {
    const id = ctx.fresh();
    made.push({ id, value });
    return column(id);
  };
  const le = define(sql`toFloat64OrNull(${read('attributes')}['le'])`);
  const isBucket = define(sql`(${read('metric')} = ${text(buckets)} AND isNotNull(${le}))`);
  const isSum = define(sql`(${read('metric')} = ${text(sum)})`);
  const labels = sql`mapFilter((k, v) -> k != 'le', ${read('attributes')})`;
  const identity = sql`cityHash64(${read('project')}, ${read('environment')}, ${read('scope_name')}, toString(mapSort(${read('resource')})), toString(mapSort(${labels})))`;
  const histogram = define(sql`if(${isBucket} OR ${isSum}, ${identity}, ${column(grown.series)})`);

  const gathered: Definition[] = [];
  const gather = (fn: string, args: readonly Sql[]): Sql => {
    const id = ctx.fresh();
    gathered.push({ id, value: aggregate(fn, args) });
    return column(id);
  };
  const [series, start] = [ctx.fresh(), ctx.fresh()];
  const about = new Map([...grown.about.keys()].map((name) => [name, ctx.fresh()]));
  for (const [name, id] of about) {
    gathered.push({ id, value: aggregate('any', [name === 'attributes' ? labels : read(name)]) });
  }
  const pair = sql`(assumeNotNull(${le}), ifNull(toFloat64(${grown.value}), 0.))`;
  const pairs = gather('groupArrayIf', [pair, isBucket]);
  const value = gather('anyOrNullIf', [grown.own ?? grown.value, sql`(NOT ${isBucket} AND NOT ${isSum})`]);
  const total = gather('sumOrNullIf', [grown.value, isSum]);
  const own = { count: gather('any', [grown.count]), sum: gather('any', [grown.sum]) };
  // Bounds are shared only where there are no counters.
  const distribution = grown.distribution && !('bounds' in grown.distribution) ? grown.distribution : undefined;
  const { shapes, counts } = distribution ?? NO_DISTRIBUTION;
  const ownShapes = gather('anyMap', [shapes]);
  const ownCounts = gather('anyMap', [counts]);
  const rows = gather('countIf', [sql`(NOT ${isSum})`]);
  const grouped: Plan = {
    op: 'aggregate',
    input: { op: 'extend', input: grown.plan, columns: made },
    keys: [
      { id: series, value: histogram },
      { id: start, value: column(grown.start) },
    ],
    aggregates: gathered,
  };

  const results: Definition[] = [];
  const result = (value: Sql): Sql => {
    const id = ctx.fresh();
    results.push({ id, value });
    return column(id);
  };
  const isNone = sql`empty(${pairs})`;
  const bounds = result(sql`arraySort(arrayDistinct(arrayMap(p -> p.1, ${pairs})))`);
  // A bound written in two ways (`1` and `1.0`) is one bucket.
  const upTo = result(sql`arrayMap(b -> arraySum(p -> if(p.1 = b, p.2, 0.), ${pairs}), ${bounds})`);
  const isWhole = sql`(${bounds}[-1] = inf)`;
  const keys = explicitKeysOf(
    () => sql`arrayPopBack(${bounds})`,
    () => sql`length(${bounds})`,
  );
  const allKeys = result(sql`if(${isWhole}, ${keys}, [(-inf, inf, toInt8(${EXPLICIT}))])`);
  const each = sql`arrayMap((n, before) -> n - before, ${upTo}, arrayPopBack(arrayPushFront(${upTo}, 0.)))`;
  const shape = result(sql`cityHash64(${allKeys})`);
  return {
    ...grown,
    plan: {
      op: 'extend',
      input: { op: 'filter', input: grouped, predicate: sql`(${rows} > 0)` },
      columns: results,
    },
    series,
    start,
    about,
    value,
    count: result(sql`multiIf(${isNone}, ${own.count}, ${isWhole}, ${upTo}[-1], NULL)`),
    sum: result(sql`if(${isNone}, ${own.sum}, ${total})`),
    distribution: {
      shapes: result(sql`if(${isNone}, ${ownShapes}, map(${shape}, ${allKeys}))`),
      counts: result(sql`if(${isNone}, ${ownCounts}, map(${shape}, if(${isWhole}, ${each}, [${upTo}[-1]])))`),
      explicit: distribution?.explicit ?? true,
      classic: true,
    },
  };
}
