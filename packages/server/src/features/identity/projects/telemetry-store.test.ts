import { afterAll, beforeAll, expect, it } from 'vitest';
import { nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { principal, startTestServer, type TestServer } from '../../telemetry/ingest/testing/http.ts';
import { startTestStore, type TestStore } from '../../telemetry/ingest/testing/store.ts';
import { listSeenServices } from '../../telemetry/services/telemetry-store.ts';
import { findArrivals } from './telemetry-store.ts';

let telemetry: TestStore;
let server: TestServer;
beforeAll(async () => {
  telemetry = await startTestStore();
  server = await startTestServer({ clickhouse: telemetry.clickhouse, limits: { segmentAgeMs: 60_000 } });
});
afterAll(async () => {
  await server?.close();
  await telemetry?.close();
});

it('reports what has arrived and which service sent it', async () => {
  const reader = testGateway(telemetry.store).lane('interactive');
  const { signal } = new AbortController();
  const began = Date.now();
  const sdk = { name: 'opentelemetry', language: 'nodejs', version: '2.1.0' };
  const resource = [
    text('service.name', 'seen'),
    ...Object.entries(sdk).map(([key, value]) => text(`telemetry.sdk.${key}`, value)),
  ];
  for (const items of [3, 2]) {
    const spans = Array.from({ length: items }, (_, n) => ({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: `b7ad6b716920333${n}`,
      name: 'x',
      startTimeUnixNano: nanos(began),
      endTimeUnixNano: nanos(began),
    }));
    const body = JSON.stringify(tracesRequest(spans, resource));
    expect((await server.send('traces', body, { 'content-type': 'application/json' })).status).toBe(200);
  }
  await server.ingest.flush();
  // A segment gives one row per sender, however many requests it held.
  expect((await telemetry.store.query('SELECT count(), sum(items) FROM arrivals')).rows).toEqual([[1, 5]]);

  const { workspace, project } = principal;
  const arrivals = await findArrivals(reader, { workspace, project, environment: undefined }, signal);
  expect(arrivals).toEqual([{ signal: 'traces', items: 5, lastAt: expect.any(Date), services: ['seen'], sdks: [sdk] }]);
  expect(arrivals[0]?.lastAt.getTime()).toBeGreaterThanOrEqual(began);
  expect(await findArrivals(reader, { workspace, project, environment: 'staging' }, signal)).toEqual([]);

  const all = { search: undefined, after: undefined, limit: 10 };
  const scope = { workspace, projects: [project], environment: undefined };
  expect(await listSeenServices(reader, scope, all, signal)).toEqual([
    {
      name: 'seen',
      firstSeenAt: expect.any(Date),
      lastSeenAt: arrivals[0]?.lastAt,
      signals: ['traces'],
      projects: [project],
      environments: ['production'],
    },
  ]);
  expect(await listSeenServices(reader, { ...scope, workspace: workspace + 1 }, all, signal)).toEqual([]);
});
