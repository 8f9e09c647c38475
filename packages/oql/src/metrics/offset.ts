import type { MetricPoints, Relation, SeriesLookup } from '../check/relation.ts';
import type { Plan, Window } from '../plan/plan.ts';
import { mapQueries, rewrite, scansOf } from '../rules/columns.ts';

/** The points of a metric from an earlier window, each moved later by the same time: PromQL's `offset`. */
export function offsetBy(relation: Relation, points: MetricPoints, byNs: bigint): Relation {
  const { rows } = relation;
  if (!rows) return relation;
  const ago = ({ fromNs, toNs }: Window): Window => ({ fromNs: fromNs - byNs, toNs: toNs - byNs });
  const later = (plan: Plan): Plan =>
    rewrite(plan, (node) => (node.op === 'scan' ? { ...node, shiftNs: (node.shiftNs ?? 0n) + byNs } : node));
  // Metric names are matched in the earlier window; sub-queries that the user wrote read the current one.
  const isOfNames = (plan: Plan) => scansOf(plan).every(({ table }) => table === 'metric_series');
  const shifted = (plan: Plan): Plan =>
    mapQueries(later(plan), (query) => (isOfNames(query.plan) ? later(query.plan) : query.plan));
  const lookup = (window: Window): SeriesLookup => {
    const found = points.lookup(window);
    return { ...found, plan: shifted(found.plan) };
  };
  return {
    ...relation,
    plan: shifted(relation.plan),
    rows: {
      ...rows,
      points: { ...points, lookup, anySeries: (trait, window) => points.anySeries(trait, ago(window)) },
    },
  };
}
