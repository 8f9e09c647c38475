import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonToProtobuf, SeriesCache } from '@fanion/telemetry';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logsRequest, metricsRequest, nanos, text } from '../../../../../../telemetry/src/testing/otlp.ts';
import type { ClickHouse } from '../../../../platform/clickhouse/index.ts';
import { KeptMetrics } from '../../../../platform/recent-points/index.ts';
import type { Segment } from '../../../../platform/wal/index.ts';
import { temporaryDir } from '../testing/http.ts';
import { encodeEntry } from '../testing/segments.ts';
import { count, startTestStore, type TestStore } from '../testing/store.ts';
import { Inserter } from './inserter.ts';
import { Loader } from './loader.ts';
import { openQuarantine } from './quarantine.ts';

let telemetry: TestStore;
beforeAll(async () => {
  telemetry = await startTestStore();
});
afterAll(async () => {
  await telemetry?.close();
});

const perEntry = 1000;

/** Points of `entries × 1000` series of one metric. */
async function segmentOf(metric: string, entries: number): Promise<Segment> {
  const all = Array.from({ length: entries }, (_, entry) => {
    const dataPoints = Array.from({ length: perEntry }, (_, i) => ({
      timeUnixNano: nanos(Date.now()),
      asInt: 1,
      attributes: [text('series', String(entry * perEntry + i))],
    }));
    const request = metricsRequest([{ name: metric, gauge: { dataPoints } }]);
    const body = jsonToProtobuf('metrics', Buffer.from(JSON.stringify(request)));
    return encodeEntry({ body, items: perEntry, signal: 'metrics' });
  });
  const path = join(await temporaryDir(), 'segment.wal');
  await writeFile(path, Buffer.concat(all));
  return { id: `metrics-${metric}`, signal: 'metrics', path, bytes: (await stat(path)).size, since: 0 };
}

it('stores the series of points before the points, also where another segment has described them', async () => {
  const missing: number[] = [];
  const watched: ClickHouse = {
    ...telemetry.store,
    async insert(table, ...rest) {
      if (table === 'metric_points') {
        const described = `SELECT uniqExact(series) FROM metric_series WHERE metric = 'early'`;
        missing.push(2 * perEntry - (await count(telemetry.store, described)));
      } else for (let turn = 0; turn < 100; turn++) await nextTurn();
      await telemetry.store.insert(table, ...rest);
    },
  };
  const inserter = new Inserter({ store: watched, signal: new AbortController().signal, onStore() {}, onRepeat() {} });
  const loader = new Loader(inserter, await openQuarantine(await temporaryDir()), new SeriesCache(), new KeptMetrics());
  const first = await segmentOf('early', 2);
  const results = await Promise.all([loader.load(first), loader.load({ ...first, id: 'metrics-again' })]);
  expect(results.map(({ rows }) => rows)).toEqual([
    expect.objectContaining({ metric_points: 2 * perEntry, metric_series: 2 * perEntry }),
    expect.objectContaining({ metric_points: 2 * perEntry }),
  ]);
  expect(missing).toEqual([0, 0]);
  // What the budget of series waits for.
  expect(results.map(({ points }) => points)).toEqual([[[9, 2 * perEntry]], [[9, 2 * perEntry]]]);
});

it.each([
  ['of an earlier version as that version did', 0, 1],
  ['of a later one into blocks that the engine has the memory for', 1, 2],
  ['of log records for a small engine as well', 5, 2],
  ['of log records for other engines into one', 6, 1],
])('divides a segment %s', async (_name, division, blocks) => {
  const records = Array.from({ length: 900 }, () => ({ body: { stringValue: 'x'.repeat(1_000) } }));
  const request = logsRequest(records.map((record) => ({ timeUnixNano: nanos(Date.now()), ...record })));
  const body = jsonToProtobuf('logs', Buffer.from(JSON.stringify(request)));
  const entry = encodeEntry({ body, items: records.length, signal: 'logs' }, division);
  const path = join(await temporaryDir(), 'segment.wal');
  await writeFile(path, Buffer.concat(Array.from({ length: 30 }, () => entry)));
  const inserted: number[] = [];
  const counting: ClickHouse = {
    ...telemetry.store,
    async insert(table, _columns, _format, block) {
      if (table === 'logs') inserted.push((block as Uint8Array).length);
    },
  };
  const inserter = new Inserter({ store: counting, signal: new AbortController().signal, onStore() {}, onRepeat() {} });
  const loader = new Loader(inserter, await openQuarantine(await temporaryDir()), new SeriesCache(), new KeptMetrics());
  const result = await loader.load({
    id: `logs-${division}`,
    signal: 'logs',
    path,
    bytes: (await stat(path)).size,
    since: 0,
  });
  expect(result.rows).toMatchObject({ logs: 27_000 });
  expect(inserted).toHaveLength(blocks);
  expect(inserted.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(26 * 1024 ** 2);
});

it('makes blocks in the buffers of those that were stored, however many a segment has', async () => {
  const [blocks, partitions] = [6, 40];
  const today = Math.floor(Date.now() / 86_400_000);
  const entries = Array.from({ length: blocks }, (_, block) => {
    // A block takes rows of 40 days, and large buffers are kept.
    const records = Array.from({ length: partitions }, (_, day) => ({
      timeUnixNano: nanos((today - block * partitions - day) * 86_400_000),
      body: { stringValue: 'x'.repeat(30_000) },
    }));
    const body = jsonToProtobuf('logs', Buffer.from(JSON.stringify(logsRequest(records))));
    return encodeEntry({ body, items: records.length, signal: 'logs' });
  });
  const path = join(await temporaryDir(), 'segment.wal');
  await writeFile(path, Buffer.concat(entries));
  const buffers: unknown[] = [];
  const slow: ClickHouse = {
    ...telemetry.store,
    async insert(table, _columns, _format, block) {
      if (table === 'logs') buffers.push((block as Uint8Array).buffer);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    },
  };
  const inserter = new Inserter({ store: slow, signal: new AbortController().signal, onStore() {}, onRepeat() {} });
  const loader = new Loader(inserter, await openQuarantine(await temporaryDir()), new SeriesCache(), new KeptMetrics());
  const { size: bytes } = await stat(path);
  await loader.load({ id: 'logs-in-turns', signal: 'logs', path, bytes, since: 0 });
  expect(buffers).toHaveLength(blocks);
  // Two inserts run at once.
  expect(new Set(buffers).size).toBe(2);
});
