import type { SampleSource, SelectRequest } from '@fanion/promql';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Store } from './condition-store.ts';
import { mergeSeries } from './merge-rules.ts';
import { choose, readDistributions, readNumbers, type SourceLimits } from './selecting.ts';
import { exactName, selectionOf } from './selection-rules.ts';
import { readSpanMetric } from './span-metrics.ts';
import { spanMetricOf } from './span-metrics-rules.ts';
import { storableMs } from './time-rules.ts';

/** The stored series of a place, as PromQL's engine reads them: names first, then series, then their samples. */
export function createSource(store: Store, scope: TelemetryScope, limits: SourceLimits): SampleSource {
  return {
    async select({ matchers, start, end }: SelectRequest, signal: AbortSignal) {
      const asked = { store, scope, limits, signal };
      const window = { start: storableMs(start), end: storableMs(end) };
      const selection = selectionOf(matchers);
      const spanMetric = spanMetricOf(exactName(selection));
      if (spanMetric !== undefined)
        return { series: await readSpanMetric(asked, spanMetric, selection, window), warnings: [] };
      const chosen = await choose(asked, matchers, window);
      if (window.start >= window.end || chosen.families.length === 0) return { series: [], warnings: chosen.warnings };
      const [numbers, distributions] = await Promise.all([
        readNumbers(asked, chosen, window),
        readDistributions(asked, chosen, window),
      ]);
      const { series, warnings } = mergeSeries([...numbers, ...distributions]);
      return { series, warnings: [...chosen.warnings, ...warnings] };
    },
  };
}
