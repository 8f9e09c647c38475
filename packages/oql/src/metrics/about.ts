import type { MetricPoints, SeriesLookup } from '../check/relation.ts';
import type { Plan, Window } from '../plan/plan.ts';
import { columnsOf, substitute } from '../rules/columns.ts';
import { conjuncts } from '../rules/push-filters.ts';
import { all, type ColumnId, column, type Sql } from '../sql/sql.ts';
import { withSums } from './classic.ts';

/**
 * Looks up the metadata of the points' series again, only for series that meet the preceding conditions on labels.
 * Otherwise a query over fifty of a million series would gather the labels of all of them.
 */
export function lookUpAgain(points: MetricPoints, plan: Plan, window: Window): SeriesLookup {
  const about = points.lookup(window);
  const names = new Map<ColumnId, Sql>();
  for (const name of points.about) {
    const [own, again] = [points.read(name), about.columns.get(name)];
    if (own.kind === 'column' && again !== undefined) names.set(own.id, column(again));
  }
  const isAboutSeries = (part: Sql) => {
    const columns = [...columnsOf(part)];
    return columns.length > 0 && columns.every((id) => names.has(id));
  };
  const conditions: Sql[] = [];
  // Sums of classic histograms are read too, under another name.
  for (let node = withSums(plan, points.classic); node.op === 'filter' || node.op === 'extend'; node = node.input) {
    if (node.op === 'filter') conditions.push(...conjuncts(node.predicate).filter(isAboutSeries));
  }
  if (conditions.length === 0) return about;
  const predicate = all(conditions.map((part) => substitute(part, names)));
  return { ...about, plan: { op: 'filter', input: about.plan, predicate } };
}
