import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonToProtobuf } from '@fanion/telemetry';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { int, metricsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import {
  copyDataDir,
  principal,
  startTestServer,
  type TestServer,
  type TestServerOptions,
  temporaryDir,
} from './testing/http.ts';
import { encodeEntry } from './testing/segments.ts';
import { count, startTestStore, type TestStore } from './testing/store.ts';

let telemetry: TestStore;
const servers: TestServer[] = [];

beforeAll(async () => {
  telemetry = await startTestStore();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(async () => {
  await telemetry?.close();
});

async function start(options: Partial<TestServerOptions> = {}): Promise<TestServer> {
  const server = await startTestServer({ clickhouse: telemetry.clickhouse, ...options });
  servers.push(server);
  return server;
}

let next = 1;
const id = () => (next++).toString(16).padStart(16, '0');

/** Protobuf of a request with `number` spans over the last `days` days. */
function spans(number: number, service: string, days = 0): Buffer {
  const now = Date.now();
  const items = Array.from({ length: number }, (_, i) => {
    const start = now - (days === 0 ? 0 : (i % days) * 86_400_000);
    return {
      traceId: `${id()}${id()}`,
      spanId: id(),
      name: 'GET /cart',
      startTimeUnixNano: nanos(start),
      endTimeUnixNano: nanos(start + 5),
      attributes: [int('n', i)],
    };
  });
  const resource = [
    text('service.name', service),
    text('telemetry.sdk.name', 'opentelemetry'),
    text('telemetry.sdk.language', 'nodejs'),
    text('telemetry.sdk.version', '2.1.0'),
  ];
  return jsonToProtobuf('traces', Buffer.from(JSON.stringify(tracesRequest(items, resource))));
}

const spansOf = (service: string) =>
  count(telemetry.store, 'SELECT count() FROM spans WHERE service = {service:String}', { service });
const tracesOf = (project: number) =>
  count(telemetry.store, 'SELECT sum(spans) FROM trace_index WHERE project = {project:UInt32}', { project });
const arrivedOf = (service: string) =>
  count(telemetry.store, 'SELECT sum(items) FROM arrivals WHERE service = {service:String}', { service });

describe('the pipeline', () => {
  it('stores each span once, in its table, the trace index and the arrivals', async () => {
    const before = await tracesOf(principal.project);
    const server = await start({ limits: { segmentItems: 1000 } });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => server.send('traces', spans(100, 'pipeline', 3))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await server.ingest.flush();
    expect([await spansOf('pipeline'), await arrivedOf('pipeline')]).toEqual([4000, 4000]);
    expect((await tracesOf(principal.project)) - before).toBe(4000);
    expect(server.ingest.stats()).toMatchObject({ storedRows: { spans: 4000 }, quarantined: 0, storeError: undefined });
    expect(server.ingest.stats().signals.traces).toMatchObject({ requests: 40, accepted: 4000, rejected: 0 });
    await expect.poll(() => readdir(join(server.dataDir, 'wal'))).toEqual(['quarantine']);
  });

  it('makes the same rows when segments are replayed, and the store deduplicates them', async () => {
    const dataDir = await temporaryDir();
    const unreachable = { ...telemetry.clickhouse, url: 'http://127.0.0.1:9' };
    const first = await startTestServer({ clickhouse: unreachable, dataDir, limits: { drainMs: 0 } });
    for (let i = 0; i < 3; i++) expect((await first.send('traces', spans(200, 'replayed', 40))).status).toBe(200);
    const points = [{ timeUnixNano: nanos(Date.now()), asInt: 1, attributes: [] }];
    const gauge = metricsRequest(
      [{ name: 'replayed', gauge: { dataPoints: points } }],
      [text('service.name', 'replayed')],
    );
    expect((await first.send('metrics', jsonToProtobuf('metrics', Buffer.from(JSON.stringify(gauge))))).status).toBe(
      200,
    );
    await first.close();
    for (let replay = 0; replay < 2; replay++) {
      const again = await start({ dataDir: await copyDataDir(dataDir) });
      await again.ingest.flush();
      expect(again.ingest.pending()).toBe(0);
      // Of 40 days, ingest rejected those older than the retention.
      expect(await spansOf('replayed')).toBe(3 * 150);
      expect(await arrivedOf('replayed')).toBe(3 * 150 + 1);
      expect(await count(telemetry.store, `SELECT count() FROM metric_points WHERE metric = 'replayed'`)).toBe(1);
      expect(await count(telemetry.store, `SELECT count() FROM metric_series WHERE metric = 'replayed'`)).toBe(1);
    }
  });

  it('loses and duplicates nothing when the engine is killed during inserts', async () => {
    const server = await start({ limits: { segmentItems: 500, segmentAgeMs: 30 } });
    let acknowledged = 0;
    let sending = true;
    const senders = Array.from({ length: 3 }, async () => {
      while (sending) {
        // Not faster than the store, or the test waits long for the rest at the end.
        await expect.poll(() => server.ingest.pending(), { timeout: 60_000, interval: 5 }).toBeLessThan(6);
        if ((await server.send('traces', spans(100, 'killed', 2))).status === 200) acknowledged += 100;
      }
    });
    for (let round = 0; round < 4; round++) {
      const goal = (server.ingest.stats().storedRows.spans ?? 0) + 1000 + round * 333;
      await expect
        .poll(() => server.ingest.stats().storedRows.spans ?? 0, { timeout: 60_000, interval: 5 })
        .toBeGreaterThan(goal);
      const pid = telemetry.engine.pid();
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    }
    sending = false;
    await Promise.all(senders);
    await server.ingest.flush();
    expect([await spansOf('killed'), await arrivedOf('killed')]).toEqual([acknowledged, acknowledged]);
    // The view on the spans has its own deduplication, and may have been interrupted when the spans were not.
    expect(await tracesOf(principal.project)).toBe(await count(telemetry.store, 'SELECT count() FROM spans'));
    expect(server.ingest.stats().quarantined).toBe(0);
  });

  it('rejects data when the log is full and the store is down, and stores all accepted data after recovery', async () => {
    const dataDir = await temporaryDir();
    const unreachable = { ...telemetry.clickhouse, url: 'http://127.0.0.1:9' };
    const away = await startTestServer({
      clickhouse: unreachable,
      dataDir,
      walMaxBytes: 200_000,
      limits: { drainMs: 0 },
    });
    let acknowledged = 0;
    let refused: Response | undefined;
    while (refused === undefined) {
      const answer = await away.send('traces', spans(100, 'waited'));
      if (answer.status === 200) acknowledged += 100;
      else refused = answer;
    }
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    await expect.poll(() => away.ingest.stats().storeError).toBeTypeOf('string');
    await away.close();
    const back = await start({ dataDir });
    await back.ingest.flush();
    expect(await spansOf('waited')).toBe(acknowledged);
  });

  it('quarantines unreadable data with its reason, and stores the rest', async () => {
    const dataDir = await temporaryDir();
    const unreachable = { ...telemetry.clickhouse, url: 'http://127.0.0.1:9' };
    const first = await startTestServer({
      clickhouse: unreachable,
      dataDir,
      limits: { drainMs: 0, segmentAgeMs: 60_000 },
    });
    for (let i = 0; i < 3; i++) await first.send('traces', spans(10, 'damaged'));
    await first.close();
    const [segment = ''] = (await readdir(join(dataDir, 'wal'))).filter((name) => name.endsWith('.wal'));
    const path = join(dataDir, 'wal', segment);
    const bytes = await readFile(path);
    const broken = Buffer.from(bytes);
    broken[100] = (bytes[100] as number) ^ 1;
    const notProtobuf = encodeEntry({ body: Buffer.from([0x0a, 0xff]), items: 4, signal: 'traces' });
    await writeFile(path, Buffer.concat([broken, notProtobuf]));
    const server = await start({ dataDir });
    await server.ingest.flush();
    expect(await spansOf('damaged')).toBe(20);
    expect(server.ingest.stats()).toMatchObject({ quarantined: 2, quarantinedItems: 5 });
    const files = await readdir(join(dataDir, 'wal', 'quarantine'));
    expect(files.filter((name) => name.endsWith('.bin'))).toHaveLength(2);
    const reasons = await Promise.all(
      files
        .filter((name) => name.endsWith('.json'))
        .map(async (name) => JSON.parse(await readFile(join(dataDir, 'wal', 'quarantine', name), 'utf8')).reason),
    );
    expect(reasons.sort()).toEqual(['the body ends within a number', expect.stringContaining('checksum')].sort());
    // The owner of the damaged bytes is unknown.
    const counted = await telemetry.store.queryRows(
      `SELECT project, signal, reason, toFloat64(sum(items)) AS items FROM ingest_refusals WHERE kind = 'quarantined' GROUP BY project, signal, reason`,
    );
    expect(counted).toEqual([{ project: 9, signal: 'traces', reason: 'the body ends within a number', items: 4 }]);
  });

  it('flushes when it stops', async () => {
    const server = await start({ limits: { segmentAgeMs: 60_000 } });
    await server.send('traces', spans(7, 'stopped'));
    await server.ingest.stop();
    expect(await spansOf('stopped')).toBe(7);
    expect((await server.send('traces', spans(1, 'stopped'))).status).toBe(503);
  });

  it('checks large bodies in the worker, with the same response', async () => {
    const server = await start();
    const items = Array.from({ length: 3000 }, (_, i) => ({
      traceId: `${id()}${id()}`,
      spanId: i === 1234 ? 'aa' : id(),
      name: 'x'.repeat(300),
      startTimeUnixNano: nanos(Date.now()),
    }));
    const body = JSON.stringify(tracesRequest(items, [text('service.name', 'large')]));
    const json = { 'content-type': 'application/json' };
    const answer = await server.send('traces', body, json);
    expect(await answer.json()).toEqual({
      partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('span_id') },
    });
    expect((await server.send('traces', `${body},`, json)).status).toBe(400);
    await server.ingest.flush();
    expect(await spansOf('large')).toBe(2999);
  });
});
