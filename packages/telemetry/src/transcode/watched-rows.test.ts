import { expect, it } from 'vitest';
import { jsonToProtobuf } from '../json/to-protobuf.ts';
import { metricsRequest, nanos, text } from '../testing/otlp.ts';
import type { Block } from './block.ts';
import { BufferPool } from './buffer-pool.ts';
import { SegmentTranscoder } from './segment.ts';
import { SeriesCache } from './series-cache.ts';
import { eachPoint, POINT_BYTES, pointsOf, type StoredPoint } from './watched-rows.ts';

const now = 1_790_000_000_000;
const noRecordedValue = 1;

interface Sent {
  readonly workspace: number;
  readonly metric: string;
  readonly points: readonly { attribute: string; value: number; flags?: number; start?: number }[];
}

function blocksOf(sent: readonly Sent[]): Block[] {
  const transcoder = new SegmentTranscoder(new SeriesCache(), new BufferPool());
  for (const { workspace, metric, points } of sent) {
    const dataPoints = points.map(({ attribute, value, flags, start }, i) => ({
      timeUnixNano: nanos(now + i * 1000),
      ...(start !== undefined && { startTimeUnixNano: nanos(start) }),
      asDouble: value,
      ...(flags !== undefined && { flags }),
      attributes: [text('host', attribute)],
    }));
    const request = metricsRequest([
      { name: metric, sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } },
    ]);
    transcoder.add({
      ...{ signal: 'metrics', encoding: 'otlp-protobuf', workspace, project: 3, environment: 'production' },
      ...{ retentionDays: 30, receivedAt: now, items: points.length, refused: new Uint32Array() },
      body: jsonToProtobuf('metrics', Buffer.from(JSON.stringify(request))),
    });
  }
  return transcoder.finish().blocks;
}

function blockOf(blocks: readonly Block[], table: string): Block {
  const block = blocks.find((one) => one.table === table);
  if (block === undefined) throw new Error(`no block of ${table}`);
  return block;
}

/** Points of a metric as `[workspace, time, start, value]`. */
function visited(sent: readonly Sent[], metric: string): [number, number, number, number][] {
  const found: [number, number, number, number][] = [];
  eachPoint(
    blockOf(blocksOf(sent), 'metric_points'),
    (name) => name === metric,
    (workspace, name, { time, start, value }) => {
      expect(name).toBe(metric);
      found.push([workspace, time, start, value]);
    },
  );
  return found;
}

const many: Sent[] = Array.from({ length: 300 }, (_, i) => ({
  workspace: 1,
  metric: `other.${i}`,
  points: [{ attribute: 'a', value: i }],
}));
const sent: Sent[] = [
  {
    workspace: 1,
    metric: 'watched',
    points: [
      { attribute: 'a', value: 1, start: now - 5 },
      { attribute: 'b', value: 2 },
      { attribute: 'a', value: 0, flags: noRecordedValue },
    ],
  },
  { workspace: 2, metric: 'watched', points: [{ attribute: 'a', value: 3 }] },
  { workspace: 1, metric: 'other', points: [{ attribute: 'a', value: 4 }] },
  { workspace: 1, metric: 'watched', points: [{ attribute: 'b', value: -5 }] },
];

it.each([
  ['few metrics', sent],
  ['more metrics than one byte counts', [...many, ...sent]],
])('visits the points of watched metrics in a block of %s', (_, all) => {
  expect(visited(all, 'watched')).toEqual([
    [1, now, now - 5, 1],
    [1, now + 1000, 0, 2],
    [2, now, 0, 3],
    [1, now, 0, -5],
  ]);
});

it('visits nothing where other metrics are watched', () => {
  expect(visited(sent, 'absent')).toEqual([]);
});

it('reads rows in the order of their columns', () => {
  const rows = new Uint8Array(2 * POINT_BYTES);
  const view = new DataView(rows.buffer, POINT_BYTES);
  for (const [at, value] of [7n, 1_000n, 900n, 0n, 1n].entries()) view.setBigUint64(8 * at, value, true);
  view.setFloat64(24, 2.5, true);
  view.setUint32(40, 11, true);
  view.setUint32(44, 12, true);
  const zero: StoredPoint = {
    ...{ series: 0n, time: 0, nanos: 0, start: 0, startNanos: 0, value: 0, isRounded: false },
  };
  const read = { series: 7n, time: 1_000, nanos: 11, start: 900, startNanos: 12, value: 2.5, isRounded: true };
  expect([...pointsOf(rows)]).toEqual([zero, read]);
});
