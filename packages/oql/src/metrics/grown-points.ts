import type { Context } from '../check/context.ts';
import { flagsOf } from '../check/histogram-value.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { Plan, UnionColumn } from '../plan/plan.ts';
import { column, type Sql, sql } from '../sql/sql.ts';
import { anchored, anchorless, beginsInRange, isInRange, withDelta } from './anchored.ts';
import { bucketDifferences } from './differences.ts';
import { NO_DISTRIBUTION } from './distribution.ts';
import { withExponential } from './exponential.ts';
import { neighboursOf } from './neighbours.ts';
import { overPoints } from './range.ts';
import { keysOf, type Read } from './shape.ts';

/**
 * The points of a metric, with the growth of histogram buckets in the range. So a quantile of `metric x` covers what was
 * counted in the range, and does not count the whole history again with every point.
 */
export function withGrownBuckets(relation: Relation, points: MetricPoints, ctx: Context): Relation {
  if (points.classic) return overPoints(relation, points, ctx);
  if (points.histograms === 'none' || !points.has('metric_histograms')) return relation;
  const range = anchored(relation, points, { fromNs: relation.window.fromNs, endNs: relation.window.toNs }, ctx);
  ctx.anchorless.push(...anchorless({ ...points, has: (table) => table === 'metric_histograms' }, range, ctx));
  const inRange = (input: Plan): Plan => ({ op: 'filter', input, predicate: isInRange(points, range) });
  const [shapes, counts] = [ctx.fresh(), ctx.fresh()];
  const { columns: shaped, read, shape, changeTo } = withExponential(points, range, ctx);
  const near = neighboursOf({ series: points.series, read }, ctx);
  const { input, isDelta } = withDelta(points, range, range.histograms, shaped, ctx);
  const grown = grownCounts(read, near.before, {
    isDelta,
    isFirst: near.isFirst,
    begins: beginsInRange(points, range),
  });
  const histograms: Plan = {
    op: 'extend',
    input: { op: 'window', input, columns: near.columns },
    columns: [
      { id: shapes, value: sql`map(${shape}, ${keysOf(read)})` },
      { id: counts, value: sql`map(${shape}, ${grown})` },
    ],
  };
  const numbers: Plan | false = points.has('metric_points') && {
    op: 'extend',
    input: range.numbers,
    columns: [
      { id: shapes, value: NO_DISTRIBUTION.shapes },
      { id: counts, value: NO_DISTRIBUTION.counts },
    ],
  };

  const inputs = [...(numbers ? [inRange(numbers)] : []), inRange(histograms)];
  const alike = (value: Sql) => inputs.map(() => value);
  const own = new Map(
    ['series', ...points.columns].map((name): [string, UnionColumn] => {
      const value = points.read(name);
      return [name, { id: value.kind === 'column' ? value.id : ctx.fresh(), values: alike(value) }];
    }),
  );
  const columns: UnionColumn[] = [
    ...own.values(),
    ...[shapes, counts].map((id) => ({ id, values: alike(column(id)) })),
  ];
  const about = points.lookup(range.window);
  const plan: Plan = {
    op: 'join',
    mode: 'inner',
    lookup: true,
    left: { op: 'union', inputs, columns },
    right: about.plan,
    on: [{ left: points.series, right: column(about.series) }],
  };
  const readFrom: Read = (name) => {
    const id = own.get(name)?.id ?? about.columns.get(name);
    return id === undefined ? points.read(name) : column(id);
  };
  const distribution = {
    shapes: column(shapes),
    counts: column(counts),
    explicit: changeTo === undefined,
    everywhere: !numbers,
  };
  const value = {
    type: 'float' as const,
    sql: points.read('value'),
    nullable: true,
    distribution,
    observed: { sum: points.read('sum'), count: points.read('count') },
    recorded: { min: points.read('min'), max: points.read('max') },
    ...flagsOf(points.histograms),
  };
  return { ...relation, plan, rows: points.rowsFrom(readFrom), columns: [{ name: 'value', value }] };
}

interface Marks {
  readonly isDelta: Sql | undefined;
  readonly isFirst: Sql;
  readonly begins: Sql;
}

/** How much each of a point's buckets grew since the previous point. */
function grownCounts(read: Read, before: (value: Sql) => Sql, { isDelta, isFirst, begins }: Marks): Sql {
  const { explicit, exponential } = bucketDifferences(read, (name) => before(read(name)));
  const begun = sql`(${read('start_time')} > ${before(read('start_time'))} OR ${read('count')} < ${before(read('count'))})`;
  const isWhole = sql`(${isDelta ? sql`${isDelta} OR ` : sql``}(${isFirst} AND ${begins}) OR (NOT ${isFirst} AND ${begun}))`;
  const grown = ({ now, comparable, difference }: typeof explicit) =>
    sql`multiIf(${isWhole}, ${now}, ${isFirst}, arrayMap(n -> 0., ${now}), ${comparable}, ${difference}, ${now})`;
  return sql`arrayConcat(${grown(explicit)}, ${grown(exponential)})`;
}
