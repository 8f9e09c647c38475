import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import type { Parameters, Place } from '../../read/request.ts';
import { invalid } from './answer.ts';
import { type Metric, measureOf, metricFamily } from './metric-rules.ts';
import { measureSpans } from './metric-store.ts';
import type { JaegerParts } from './traces.ts';

/** Rows of one read: services or operations times windows. */
const maxRows = 200_000;

/** A metric of the Monitor tab, measured from the spans. */
export async function measured(
  { telemetry, limits }: JaegerParts,
  place: Place,
  metric: Metric,
  parameters: Parameters,
  nowMs: number,
) {
  const measure = measureOf(parameters, nowMs, limits.points);
  const quantile = metric.kind === 'latencies' ? metric.quantile : 0.5;
  const rows = await measureSpans(telemetry, scopeOf(place), measure, quantile, maxRows + 1, place.signal);
  if (rows.length > maxRows) throw invalid('too many operations and points: choose a longer step or fewer services');
  return metricFamily(metric, measure, rows);
}
