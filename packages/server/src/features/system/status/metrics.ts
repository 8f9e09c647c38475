import type { AnyRoute } from '@fanion/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

/** A request that was answered by a declared route. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly route: AnyRoute;
  readonly status: number;
  readonly durationMs: number;
}

/** Of the process and of its requests by route. */
export interface RequestMetrics {
  /** @param answered called for each answered request of a declared route */
  observe(app: FastifyInstance, answered: (request: AnsweredRequest) => void): void;
  /** Counts a response of a route that bypasses the framework; cheap. */
  answered(route: string, status: number, times?: number): void;
}

/** @param protocols routes that other protocols mount themselves */
export function createRequestMetrics(registry: Registry, protocols: readonly AnyRoute[]): RequestMetrics {
  collectDefaultMetrics({ register: registry });
  const raw = new Map<string, Map<number, number>>();
  const requests = new Counter({
    name: 'fanion_http_requests_total',
    help: 'Requests by route and status',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      for (const [route, byStatus] of raw)
        for (const [status, count] of byStatus) this.inc({ route, status: String(status) }, count);
      raw.clear();
    },
  });
  const duration = new Histogram({
    name: 'fanion_http_request_duration_seconds',
    help: 'Time to answer, by route, without evaluations that are answered below the framework',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  const mounted = new Map(protocols.map((route) => [`${route.method} ${route.prefix}${route.path}`, route]));
  /** Undefined for files of the web application and for unknown paths. */
  const routeOf = ({ routeOptions: { config, method, url } }: FastifyRequest): AnyRoute | undefined =>
    (config as { route?: AnyRoute }).route ?? mounted.get(`${method} ${url}`);
  return {
    answered(route, status, times = 1) {
      const byStatus = raw.get(route) ?? new Map<number, number>();
      raw.set(route, byStatus.set(status, (byStatus.get(status) ?? 0) + times));
    },
    observe(app, answered) {
      app.addHook('onResponse', async (request, reply) => {
        const route = routeOf(request);
        const { statusCode: status, elapsedTime: durationMs } = reply;
        requests.inc({ route: route?.id ?? 'other', status: String(status) });
        duration.observe({ route: route?.id ?? 'other' }, durationMs / 1000);
        if (route !== undefined) answered({ requestId: request.id, route, status, durationMs });
      });
    },
  };
}
