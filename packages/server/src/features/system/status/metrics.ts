import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

/** Of the process and of its requests by route. */
export interface RequestMetrics {
  observe(app: FastifyInstance): void;
  /** Counts a response of a route that bypasses the framework; cheap. */
  answered(route: string, status: number, times?: number): void;
}

export function createRequestMetrics(registry: Registry): RequestMetrics {
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
    help: 'Time to answer, by route',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  return {
    answered(route, status, times = 1) {
      const byStatus = raw.get(route) ?? new Map<number, number>();
      raw.set(route, byStatus.set(status, (byStatus.get(status) ?? 0) + times));
    },
    observe(app) {
      app.addHook('onResponse', async (request, reply) => {
        const route = (request.routeOptions.config as { route?: { id: string } }).route?.id ?? 'other';
        requests.inc({ route, status: String(reply.statusCode) });
        duration.observe({ route }, reply.elapsedTime / 1000);
      });
    },
  };
}
