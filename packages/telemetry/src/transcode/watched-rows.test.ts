import { expect, it } from 'vitest';
import { jsonToProtobuf } from '../json/to-protobuf.ts';
import { metricsRequest, nanos, text } from '../testing/otlp.ts';
import type { Block } from './block.ts';
import { BufferPool } from './buffer-pool.ts';
import { SegmentTranscoder } from './segment.ts';
import { SeriesCache } from './series-cache.ts';
import { descriptionsIn, descriptionsOf, POINT_BYTES, pointsIn, type WatchedRows } from './watched-rows.ts';

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

/** Points as `[time, start, value]` by series. */
function readPoints({ bytes }: WatchedRows): [time: number, start: number, value: number][] {
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / POINT_BYTES }, (_, i) => [
    Number(view.getBigInt64(i * POINT_BYTES + 8, true)),
    Number(view.getBigInt64(i * POINT_BYTES + 16, true)),
    view.getFloat64(i * POINT_BYTES + 24, true),
  ]);
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
])('finds the points of watched metrics in a block of %s', (_, all) => {
  const blocks = blocksOf(all);
  const found = pointsIn(blockOf(blocks, 'metric_points'), new Map([['watched', new Set([1])]]));
  expect(found.map(({ workspace, metric }) => [workspace, metric])).toEqual([[1, 'watched']]);
  expect(found.flatMap(readPoints)).toEqual([
    [now, now - 5, 1],
    [now + 1000, 0, 2],
    [now, 0, -5],
  ]);
});

it('keeps workspaces apart', () => {
  const found = pointsIn(blockOf(blocksOf(sent), 'metric_points'), new Map([['watched', new Set([1, 2])]]));
  expect(found.map(({ workspace, bytes }) => [workspace, bytes.length / POINT_BYTES])).toEqual([
    [1, 3],
    [2, 1],
  ]);
});

it('finds the series of points, and what describes them', () => {
  const blocks = blocksOf(sent);
  const watched = new Map([['watched', new Set([1])]]);
  const described = descriptionsIn(blockOf(blocks, 'metric_series'), watched).flatMap(({ bytes }) =>
    descriptionsOf(bytes),
  );
  expect(described).toMatchObject([
    {
      ...{ workspace: 1, project: 3, environment: 'production', metric: 'watched', day: Math.floor(now / 86_400_000) },
      ...{ kind: 'sum', temporality: 'cumulative', monotonic: true, attributes: new Map([['host', 'a']]) },
    },
    { attributes: new Map([['host', 'b']]) },
  ]);
  const points = pointsIn(blockOf(blocks, 'metric_points'), watched).flatMap(({ bytes }) =>
    Array.from(new BigUint64Array(bytes.buffer)).filter((__, i) => i % (POINT_BYTES / 8) === 0),
  );
  const [a, b] = described.map(({ series }) => series);
  expect(points).toEqual([a, b, b]);
});

it('finds nothing where other metrics are watched', () => {
  const blocks = blocksOf(sent);
  const watched = new Map([['absent', new Set([1])]]);
  expect(pointsIn(blockOf(blocks, 'metric_points'), watched)).toEqual([]);
  expect(descriptionsIn(blockOf(blocks, 'metric_series'), watched)).toEqual([]);
});

it('reports a block of another form', () => {
  const block = blockOf(blocksOf(sent), 'metric_points');
  const shorter = { body: block.body.subarray(0, block.body.length - 1) };
  expect(() => pointsIn(shorter, new Map([['watched', new Set([1])]]))).toThrow('more bytes than columns');
});
