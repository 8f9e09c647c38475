import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Store } from './condition-store.ts';
import type { Counted } from './counter-rules.ts';
import {
  type Counting,
  conditionsOn,
  countingLimits,
  inCounting,
  parametersOf,
  stepEnd,
  withinBounds,
} from './counting-store.ts';

/** The labels of metrics of spans, by what they are of a span. */
const columns: Readonly<Record<string, string>> = {
  service: 'toString(spans.service)',
  span_kind: `concat('SPAN_KIND_', upper(toString(spans.kind)))`,
  span_name: 'toString(spans.name)',
  status_code: `concat('STATUS_CODE_', upper(toString(spans.status)))`,
};

/** Spans by their labels and by the step in which they began, in the order of the steps. A sampled span counts as many as it stands for. */
export async function countSpans(
  { telemetry }: Store,
  scope: TelemetryScope,
  counting: Counting,
  signal: AbortSignal,
): Promise<Counted[]> {
  const where = [inScope(scope), inCounting, ...conditionsOn(columns, counting.conditions)];
  return telemetry.rows<Counted>(
    scope,
    `SELECT [${Object.values(columns).join(', ')}] AS labels, ${stepEnd} AS at,
       sum(weight) AS calls, sum(weight * duration) / 1e9 AS seconds, ${withinBounds('weight', 'duration', counting)} AS within
     FROM spans WHERE ${where.join(' AND ')}
     GROUP BY labels, at ORDER BY at, labels LIMIT {limit:UInt32}`,
    parametersOf(counting),
    signal,
    { limits: countingLimits(counting) },
  );
}
