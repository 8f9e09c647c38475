import { telemetryRoutes } from '@fanion/contract';
import { implement, type MountedRoute, reply } from '../../http/context.ts';
import type { QueryHistory } from '../saved-queries/index.ts';
import type { TraceService } from '../traces/index.ts';
import type { QueryService } from './service.ts';

export { createQueryService, type QueryService } from './service.ts';
export { createTurnstile } from './turnstile.ts';

/** Questions to the telemetry store: OQL, and traces by id. */
export function telemetryFeature({
  query,
  traces,
  history,
}: {
  query: QueryService;
  traces: TraceService;
  history: Pick<QueryHistory, 'observe'>;
}): MountedRoute[] {
  return implement(telemetryRoutes, {
    async runQuery({ workspace, narrowed, caller, body, signal }) {
      const { data, meta } = await history.observe({ workspace, narrowed, caller, query: body.query, signal }, () =>
        query.run({ workspace, ...narrowed }, body, signal),
      );
      return reply(data, { meta });
    },
    async validateQuery({ body }) {
      const { valid, diagnostics } = query.validate(body.query);
      return { valid, diagnostics: [...diagnostics] };
    },
    async explainQuery({ workspace, narrowed, body, signal }) {
      return (await query.explain({ workspace, ...narrowed }, body, signal)) as never;
    },
    async getTrace({ workspace, narrowed, params, query: { include }, signal }) {
      return traces.get(
        { workspace, ...narrowed },
        params.trace_id,
        { logs: include?.split(',').includes('logs') ?? false },
        signal,
      );
    },
  });
}
