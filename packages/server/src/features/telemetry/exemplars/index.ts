import { exemplarsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, reply } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { listExemplars } from './store.ts';

const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);

/** Exemplars: the traces behind a chart. */
export const exemplarsFeature = {
  name: 'telemetry/exemplars',
  routes: handlers,
} satisfies Feature;

function handlers({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): MountedRoute[] {
  return implement(exemplarsRoutes, {
    async listExemplars({ query, signal, ...context }) {
      const { metric, service, limit } = query;
      const window = parseWindow(query, clock.now());
      const filter = { metric, service, traced: query.traced === 'true', window, limit };
      const { rows, truncated } = await listExemplars(telemetry, scopeOf(context), filter, signal);
      const data = rows.map((row) => ({
        time: formatNs(BigInt(row.time_ns)),
        value: row.integer === '0' ? row.value : row.integer,
        trace_id: row.trace_id === noTrace ? null : row.trace_id,
        span_id: row.span_id === noSpan ? null : row.span_id,
        service: row.service,
        unit: row.unit,
        attributes: row.attributes,
        series: row.series_attributes,
      }));
      return reply(data, { meta: { truncated } });
    },
  });
}
