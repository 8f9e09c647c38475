import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Numbers that a component reports when it is read, with names by the Prometheus conventions. */
export interface Gauges {
  readonly [name: string]:
    | { readonly help: string; readonly read: () => number }
    /** One number for each value of a label. */
    | { readonly help: string; readonly label: string; readonly readEach: () => Readonly<Record<string, number>> };
}

/** The server's own metrics: of the process, of requests by route, and of its components. */
export function createMetrics(gauges: Gauges): {
  registry: Registry;
  observe(app: FastifyInstance): void;
  /** Counts a response of a route that bypasses the framework; cheap. */
  answered(route: string, status: number, times?: number): void;
} {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const [name, gauge] of Object.entries(gauges)) {
    new Gauge({
      name,
      help: gauge.help,
      registers: [registry],
      labelNames: 'label' in gauge ? [gauge.label] : [],
      collect() {
        if (!('label' in gauge)) this.set(gauge.read());
        else for (const [value, count] of Object.entries(gauge.readEach())) this.set({ [gauge.label]: value }, count);
      },
    });
  }
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
    registry,
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
