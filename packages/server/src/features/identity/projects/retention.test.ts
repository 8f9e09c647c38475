import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, metricsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { tenantTables } from '../../../features.ts';
import { type SignedUp, signUp, stored, type TestClient, testClient } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { startTestStore, type TestStore } from '../../telemetry/ingest/testing/store.ts';
import { derivePortion } from '../../telemetry/service-map/store.ts';

const dayMs = 86_400_000;
/** The server's clock is ten days behind; that of the telemetry store, which expires telemetry, is not. */
const clock = { now: () => Date.now() - 10 * dayMs };
const at = Math.floor(clock.now() / 60_000) * 60_000 - 120_000;

let store: TestStore;
let server: TestServer;
let ada: SignedUp;
const senders: TestClient[] = [];

beforeAll(async () => {
  store = await startTestStore();
  // Expiry runs in the background; here only when the test starts it.
  await store.store.command('SYSTEM STOP TTL MERGES');
  server = await startTestServer({
    env: { CLICKHOUSE_URL: store.engine.url, FANION_RETENTION_CLASSES: '3,7,15,90' },
    clock,
  });
  ada = await signUp(server.base, 'ada');
  for (const name of ['Short', 'Long']) {
    const { data: project } = await ada.post(`${ada.workspace}/projects`, { name });
    const pinned = { project: project.id, environment: 'production' };
    senders.push(testClient(server.base, { bearer: await ada.token(['telemetry:ingest'], pinned) }));
  }
});
afterAll(async () => {
  await server?.stop();
  await store?.store.command('SYSTEM START TTL MERGES');
  await store?.close();
});

const project = (key: string) => `${ada.workspace}/projects/${key}`;

/** Items of every signal, from two services, one of which calls the other. */
async function send(sender: TestClient | undefined, name: string): Promise<void> {
  const trace = Buffer.from(name.padEnd(16, '.')).toString('hex');
  const caller = { traceId: trace, spanId: 'b7ad6b7169203331', name: 'call', kind: 3 };
  const callee = { traceId: trace, spanId: 'b7ad6b7169203332', parentSpanId: caller.spanId, name: 'serve', kind: 2 };
  const times = { startTimeUnixNano: nanos(at), endTimeUnixNano: nanos(at + 5) };
  const of = (service: string) => [text('service.name', service)];
  const exemplars = [{ timeUnixNano: nanos(at), asDouble: 1, traceId: trace, spanId: caller.spanId }];
  const dataPoints = [{ timeUnixNano: nanos(at), asDouble: 1, exemplars }];
  const histogram = { ...dataPoints[0], count: '1', sum: 1, bucketCounts: ['1', '0'], explicitBounds: [1] };
  const requests = [
    ['/v1/traces', tracesRequest([{ ...caller, ...times }], of(`${name}-front`))],
    ['/v1/traces', tracesRequest([{ ...callee, ...times }], of(`${name}-back`))],
    ['/v1/logs', logsRequest([{ timeUnixNano: nanos(at), body: { stringValue: name } }], of(name))],
    [
      '/v1/metrics',
      metricsRequest(
        [
          { name: `${name}.gauge`, gauge: { dataPoints } },
          { name: `${name}.histogram`, histogram: { aggregationTemporality: 2, dataPoints: [histogram] } },
        ],
        of(name),
      ),
    ],
    ['/v1development/profiles', profile(of(name))],
  ] as const;
  for (const [path, request] of requests) {
    const answer = await sender?.post(path, request);
    expect([answer?.status, answer?.json.partialSuccess?.errorMessage]).toEqual([200, undefined]);
  }
}

function profile(attributes: object[]): object {
  return {
    resourceProfiles: [
      {
        resource: { attributes },
        scopeProfiles: [
          {
            profiles: [
              {
                sampleType: { typeStrindex: 1, unitStrindex: 2 },
                timeUnixNano: nanos(at),
                samples: [{ stackIndex: 1, values: ['7'] }],
              },
            ],
          },
        ],
      },
    ],
    dictionary: {
      stringTable: ['', 'cpu', 'nanoseconds', 'main'],
      mappingTable: [{}],
      functionTable: [{}, { nameStrindex: 3 }],
      locationTable: [{}, { lines: [{ functionIndex: 1, line: 10 }] }],
      stackTable: [{}, { locationIndices: [1] }],
      linkTable: [{}],
      attributeTable: [{}],
    },
  };
}

/**
 * The retention classes of the rows of each table. Projects are numbered in order of creation: the default one, Short,
 * Long.
 */
async function classes(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of await keptByClass()) {
    const rows = await store.store.queryRows<{ pair: string }>(
      `SELECT DISTINCT concat(toString(project), ':', toString(retention_days)) AS pair FROM ${table} ORDER BY pair`,
    );
    found[table] = rows.map(({ pair }) => pair);
  }
  return found;
}

async function keptByClass(): Promise<string[]> {
  const rows = await store.store.queryRows<{ table: string }>(
    `SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'retention_days'
       AND table IN (SELECT name FROM system.tables WHERE engine LIKE '%MergeTree') ORDER BY table`,
  );
  return rows.map(({ table }) => table);
}
describe('retention', () => {
  it("is chosen per project and signal, among the server's classes", async () => {
    const first = await ada.get(`${ada.workspace}/projects?search=short`);
    expect(first.data[0]).toMatchObject({
      retention: { traces: null, logs: null, metrics: null, profiles: null },
      retention_classes: { default: 30, allowed: [3, 7, 15, 30, 90] },
    });
    const all = { traces: 7, logs: 7, metrics: 7, profiles: 7 };
    const short = await ada.patch(project('short'), { retention: all });
    expect([short.status, short.data.retention, short.data.name]).toEqual([200, all, 'Short']);
    const long = await ada.patch(project('long'), { retention: { ...all, traces: null, logs: 90, metrics: 90 } });
    expect(long.data.retention).toEqual({ traces: null, logs: 90, metrics: 90, profiles: 7 });
    const wrong = await ada.patch(project('long'), { retention: { logs: 8 } });
    expect([wrong.status, wrong.json.error]).toMatchObject([
      422,
      { code: 'SVC-1002', details: [{ path: 'retention.logs' }] },
    ]);
    expect((await ada.patch(project('long'), { retention: { spans: 7 } })).status).toBe(422);
    const { data: entries } = await ada.get(`/api/v1/audit?workspace=${ada.workspaceId}&action=projects.update`);
    expect(entries[0].before.retention.logs).toBe(null);
    expect(entries[0].after.retention.logs).toBe(90);
  });

  it('is in the rows of every table, also of those filled by views and jobs', async () => {
    await send(senders[0], 'short');
    await send(senders[1], 'long');
    await stored(server.base);
    await derivePortion(
      store.store,
      { from: at / 1000, to: at / 1000 + 60, arrived: [2] },
      1,
      new AbortController().signal,
    );
    const found = await classes();
    const all = { spans: 30, logs: 90, metric: 90, profiles: 7 };
    const of = (long: number) => ['2:7', `3:${long}`];
    expect(found).toMatchObject({
      spans: of(all.spans),
      trace_index: of(all.spans),
      service_edges: of(all.spans),
      logs: of(all.logs),
      metric_series: of(all.metric),
      metric_points: of(all.metric),
      metric_histograms: of(all.metric),
      exemplars: of(all.metric),
      profile_samples: of(all.profiles),
      profile_stacks: of(all.profiles),
    });
    expect(found.field_usage).toEqual(['2:7', '3:30', '3:7', '3:90']);
  });

  it('applies at once to what arrives after a change, and leaves earlier rows', async () => {
    await ada.patch(project('short'), { retention: { traces: 15 } });
    await send(senders[0], 'later');
    await stored(server.base);
    const spans = await store.store.queryRows(
      'SELECT retention_days, toFloat64(count()) AS spans FROM spans WHERE project = 2 GROUP BY retention_days ORDER BY retention_days',
    );
    expect(spans).toEqual([
      { retention_days: 7, spans: 2 },
      { retention_days: 15, spans: 2 },
    ]);
    const { data: usage } = await ada.get(`${ada.workspace}/usage?project=short&from=now-1h`);
    const [{ signals }] = usage.projects;
    expect(signals.map((row: { retention_days: number }) => row.retention_days)).toEqual([15, 7, 7, 7]);
    // Rows of both classes are counted.
    expect(signals[0]).toMatchObject({ signal: 'traces', items: 4 });
    expect(signals[0].bytes_stored).toBeGreaterThan(0);
  });

  it('drops whole parts when they expire, and nothing else', async () => {
    const tables = await keptByClass();
    expect(tables).toEqual(
      tenantTables
        .map(({ name }) => name)
        .filter((table) => tables.includes(table))
        .sort(),
    );
    await store.store.command('SYSTEM START TTL MERGES');
    for (const table of tables) {
      const [definition] = await store.store.queryRows<{ text: string }>(
        `SELECT create_table_query AS text FROM system.tables WHERE database = currentDatabase() AND name = '${table}'`,
      );
      expect(definition?.text, table).toMatch(/PARTITION BY \((toDate\(\w+\)|day), retention_days\)/);
      expect(definition?.text, table).toContain('ttl_only_drop_parts = 1');
      await store.store.command(`ALTER TABLE ${table} MATERIALIZE TTL`, { settings: { mutations_sync: 1 } });
      await store.store.command(`OPTIMIZE TABLE ${table} FINAL`);
    }
    // The short project's seven days were over three days ago; fifteen, thirty and ninety are not.
    const left = await classes();
    expect(left).toMatchObject({
      spans: ['2:15', '3:30'],
      trace_index: ['2:15', '3:30'],
      service_edges: ['3:30'],
      logs: ['3:90'],
      metric_series: ['3:90'],
      metric_points: ['3:90'],
      metric_histograms: ['3:90'],
      exemplars: ['3:90'],
      profile_samples: [],
      profile_stacks: [],
      field_usage: ['2:15', '3:30', '3:90'],
    });
  }, 120_000);
});
