import { bindVariables, compile } from '@fanion/oql';
import { beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { libraryDashboards } from './dashboards/index.ts';

type Attributes = Readonly<Record<string, string>>;
type Kind = 'gauge' | 'sum' | 'histogram';

/** Names, kinds and attributes by OpenTelemetry's semantic conventions, and those of the Collector's receivers. */
const host = { 'host.name': 'web-1', 'service.name': 'shop', 'service.instance.id': 'shop-1' };
const database = { 'postgresql.database.name': 'shop', 'postgresql.table.name': 'orders' };
const pod = {
  ...{ 'k8s.namespace.name': 'shop', 'k8s.pod.name': 'web-1', 'k8s.node.name': 'node-1' },
  ...{ 'k8s.container.name': 'web', 'k8s.deployment.name': 'web' },
};
const metrics: readonly (readonly [name: string, kind: Kind, resource: Attributes, attributes?: Attributes])[] = [
  ['system.cpu.time', 'sum', host, { 'cpu.mode': 'user' }],
  ['system.memory.usage', 'gauge', host, { 'system.memory.state': 'used' }],
  ['system.cpu.load_average.1m', 'gauge', host],
  ['system.disk.io', 'sum', host, { 'disk.io.direction': 'read' }],
  ['system.network.io', 'sum', host, { 'network.io.direction': 'receive' }],
  [
    'system.filesystem.usage',
    'gauge',
    host,
    { 'system.filesystem.state': 'used', 'system.filesystem.mountpoint': '/' },
  ],
  ['jvm.memory.used', 'gauge', host, { 'jvm.memory.type': 'heap', 'jvm.memory.pool.name': 'G1 Eden Space' }],
  ['jvm.memory.used_after_last_gc', 'gauge', host, { 'jvm.memory.type': 'heap' }],
  ['jvm.gc.duration', 'histogram', host, { 'jvm.gc.name': 'G1 Young Generation' }],
  ['jvm.thread.count', 'gauge', host, { 'jvm.thread.state': 'runnable' }],
  ['jvm.cpu.recent_utilization', 'gauge', host],
  ['jvm.class.count', 'gauge', host],
  ['nodejs.eventloop.utilization', 'gauge', host],
  ['nodejs.eventloop.delay.p50', 'gauge', host],
  ['nodejs.eventloop.delay.p99', 'gauge', host],
  ['v8js.memory.heap.used', 'gauge', host, { 'v8js.heap.space.name': 'old_space' }],
  ['v8js.memory.heap.limit', 'gauge', host, { 'v8js.heap.space.name': 'old_space' }],
  ['v8js.gc.duration', 'histogram', host, { 'v8js.gc.type': 'minor' }],
  ['postgresql.backends', 'gauge', database],
  ['postgresql.commits', 'sum', database],
  ['postgresql.rollbacks', 'sum', database],
  ['postgresql.operations', 'sum', database, { operation: 'ins' }],
  ['postgresql.blocks_read', 'sum', database, { source: 'heap_hit' }],
  ['postgresql.db_size', 'gauge', database],
  ['postgresql.table.size', 'gauge', database],
  ['db.client.operation.duration', 'histogram', host, { 'db.system.name': 'postgresql' }],
  ['k8s.pod.cpu.usage', 'gauge', pod],
  ['k8s.pod.memory.working_set', 'gauge', pod],
  ['k8s.pod.network.io', 'sum', pod, { direction: 'receive' }],
  ['k8s.pod.phase', 'gauge', pod],
  ['k8s.node.cpu.usage', 'gauge', pod],
  ['k8s.node.memory.working_set', 'gauge', pod],
  ['k8s.container.restarts', 'gauge', pod],
  ['k8s.deployment.desired', 'gauge', pod],
  ['fanion_http_requests_total', 'sum', host, { status: '503', route: 'flags.get' }],
  ['fanion_http_request_duration_seconds', 'histogram', host, { route: 'flags.get' }],
  ['fanion_queries_running', 'gauge', host, { lane: 'interactive' }],
  ['fanion_queries_waiting', 'gauge', host, { lane: 'interactive' }],
  ['fanion_queries_refused_total', 'sum', host, { lane: 'interactive' }],
  ['nodejs_eventloop_lag_p99_seconds', 'gauge', host],
  ['process_resident_memory_bytes', 'gauge', host],
  ['process_cpu_seconds_total', 'sum', host],
];

const written = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } }));
const ns = (ms: number) => `${ms}000000`;

/** Points of the last three minutes. */
function metricsRequest(now: number) {
  const times = [180_000, 120_000, 60_000].map((ago) => now - ago);
  const startTimeUnixNano = ns(now - 600_000);
  return {
    resourceMetrics: metrics.map(([name, kind, resource, attributes = {}]) => {
      const dataPoints = times.map((time, at) => ({
        ...{ timeUnixNano: ns(time), startTimeUnixNano, attributes: written(attributes) },
        ...(kind === 'histogram'
          ? {
              count: `${10 * (at + 1)}`,
              sum: at + 1,
              explicitBounds: [0.1, 1],
              bucketCounts: [`${5 * (at + 1)}`, `${5 * (at + 1)}`, '0'],
            }
          : { asDouble: 10 * (at + 1) }),
      }));
      const data =
        kind === 'gauge'
          ? { gauge: { dataPoints } }
          : { [kind]: { dataPoints, aggregationTemporality: 2, ...(kind === 'sum' && { isMonotonic: true }) } };
      return { resource: { attributes: written(resource) }, scopeMetrics: [{ metrics: [{ name, ...data }] }] };
    }),
  };
}

function tracesRequest(now: number) {
  const resource = { attributes: written({ 'service.name': 'shop' }) };
  const time = (at: number) => ns(now - 90_000 + at);
  const exception = { name: 'exception', timeUnixNano: time(1), attributes: written({ 'exception.type': 'Failed' }) };
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spans = [
    { spanId: '00f067aa0ba902b7', kind: 2, name: 'GET /', status: { code: 2 }, events: [exception] },
    { spanId: '00f067aa0ba902b8', kind: 3, name: 'GET', attributes: written({ 'server.address': 'bank' }) },
  ].map((span) => ({ ...span, traceId, startTimeUnixNano: time(0), endTimeUnixNano: time(20) }));
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}

function logsRequest(now: number) {
  const record = { timeUnixNano: ns(now - 90_000), severityNumber: 17, body: { stringValue: 'failed' } };
  const resource = { attributes: written({ 'service.name': 'shop' }) };
  return { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] };
}

describe('ready dashboards', () => {
  it.each(libraryDashboards.map((one) => [one.key, one] as const))(
    'of %s have queries that compile',
    (_, { model }) => {
      const toNs = 1_795_100_000_000_000_000n;
      const given = {
        ...{ scope: { workspace: 1, project: 1 }, limit: 10, nowNs: toNs },
        window: { fromNs: toNs - 3_600_000_000_000n, toNs },
      };
      const chosen = new Map(
        model.variables.map(({ name }) => [name, { kind: 'values', values: ['a', 'b'] } as const]),
      );
      const queries = [...model.panels, ...model.variables].map(({ query = '' }) => query);
      for (const query of queries) {
        const bound = bindVariables(query, chosen);
        expect(bound, query).toMatchObject({ ok: true });
        const compiled = bound.ok && compile(bound.text, given);
        expect(compiled, query).toMatchObject({ ok: true });
      }
    },
  );

  describe('in a project', () => {
    let world: TelemetryWorld;
    let ada: TelemetryTenant;
    const list = async (of: TelemetryTenant) => {
      const { data, status, text } = await of.get(`${of.workspace}/dashboards/library?project=default`);
      expect(status, text).toBe(200);
      return data;
    };
    const isAvailable = (data: { key: string; available: boolean }[]) =>
      Object.fromEntries(data.map(({ key, available }) => [key, available]));
    beforeAll(async () => {
      world = await startTelemetryWorld();
      ({ ada } = world);
      const now = Date.now();
      await ada.ingest('metrics', metricsRequest(now));
      await ada.ingest('logs', logsRequest(now));
      await ada.ingest('traces', tracesRequest(now));
      await ada.counted('spans | count', 2);
      return () => world.stop();
    });

    it('are offered once their data has arrived, and say what they need otherwise', async () => {
      const offered = await list(ada);
      expect(isAvailable(offered)).toEqual(Object.fromEntries(libraryDashboards.map(({ key }) => [key, true])));
      const without = await list(world.eve);
      expect(isAvailable(without)).toEqual(Object.fromEntries(libraryDashboards.map(({ key }) => [key, false])));
      expect(without[0]).toMatchObject({ key: 'services', needs: [{ name: 'spans', arrived: false }] });
    });

    it.each(libraryDashboards.map((one) => [one.key, one] as const))(
      'of %s show data with OpenTelemetry’s names',
      async (_, { model }) => {
        const made = await ada.post(`${ada.workspace}/dashboards`, { ...model, project: 'default' });
        expect(made.status, made.text).toBe(201);
        const answer = await ada.post(`${ada.workspace}/dashboards/${made.data.id}/data`, {
          from: 'now-1h',
          to: 'now',
        });
        const lines = answer.text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line));
        const empty = model.panels.flatMap(({ id, title }) => {
          const line = lines.find(({ panel }) => panel === id);
          const rows: unknown[][] = line?.rows ?? [];
          return rows.flat().some((cell) => cell !== null && cell !== '') ? [] : [{ title, error: line?.error }];
        });
        expect(empty).toEqual([]);
        const definitions = model.variables;
        const options = await ada.post(`${ada.workspace}/dashboards/variables`, { definitions, project: 'default' });
        for (const { name, options: values, error } of options.data.variables)
          expect({ name, values: values.length, error }).toEqual({ name, values: 1, error: null });
      },
    );
  });
});
