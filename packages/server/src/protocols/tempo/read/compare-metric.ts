import { printQuery, type Tree } from '@fanion/oql';
import { compileFor } from '../../../features/telemetry/query/index.ts';
import { fail } from '../../../platform/fail.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import type { Place } from '../../read/request.ts';
import type { QueryParts } from './ask.ts';
import { type Compare, comparedSeries } from './compare-metric-rules.ts';
import { countCompared } from './compare-metric-store.ts';
import { query } from './oql-tree.ts';
import type { Bounds, Series } from './series-rules.ts';

/** Spans of one `compare()`. */
const maxCompared = 10_000_000;

interface Asked extends Bounds {
  readonly plan: Tree.Pipeline;
  readonly metric: Compare;
}

/** The series of `compare()`. @throws `QUERY_TOO_EXPENSIVE` if there are too many spans or series, and as every query does */
export async function compare(
  { gateway }: QueryParts,
  place: Place,
  { plan, metric, window, steps, hasSteps, refuse, nowMs }: Asked,
): Promise<Series[]> {
  const scope = scopeOf(place);
  const { signal } = place;
  const { top, selected } = metric;
  // One more than there may be, which then are too many.
  const asked = { scope, window, limit: maxCompared + 1, nowMs };
  const rows = await compileFor(printQuery(query(plan)), asked, { compiler: gateway.compiler, signal });
  const comparison = { top, selected, steps: hasSteps ? steps : undefined };
  const { spans, compared } = await countCompared(gateway.lane('interactive'), scope, rows, comparison, signal);
  if (spans > maxCompared)
    throw fail('QUERY_TOO_EXPENSIVE', {
      reason: `it compares more than ${maxCompared} spans; choose a shorter window or add a condition`,
    });
  return comparedSeries(compared, top, steps, refuse);
}
