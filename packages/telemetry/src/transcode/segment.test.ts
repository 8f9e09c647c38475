import { expect, it } from 'vitest';
import { jsonToProtobuf } from '../json/to-protobuf.ts';
import { metricsRequest, nanos, text } from '../testing/otlp.ts';
import { BufferPool } from './buffer-pool.ts';
import { SegmentTranscoder } from './segment.ts';
import { SeriesCache } from './series-cache.ts';

const now = 1_790_000_000_000;

it('gives the series of points before the points, in every cut of a segment', () => {
  const transcoder = new SegmentTranscoder(new SeriesCache(), new BufferPool(), {
    rows: 10,
    bytes: 1 << 20,
    partitions: 10,
  });
  let described = 0;
  let written = 0;
  const take = (blocks: ReturnType<SegmentTranscoder['take']>) => {
    for (const { table, rows } of blocks) {
      if (table === 'metric_series') described += rows;
      else if (table === 'metric_points') written += rows;
      // Each series has two points, one after the other.
      expect(described * 2).toBeGreaterThanOrEqual(written);
    }
  };
  for (let entry = 0; entry < 10; entry++) {
    const dataPoints = Array.from({ length: 14 }, (_, i) => ({
      timeUnixNano: nanos(now + i),
      asInt: 1,
      attributes: [text('series', `${entry}/${i >> 1}`)],
    }));
    const request = metricsRequest([{ name: 'cut', gauge: { dataPoints } }]);
    transcoder.add({
      signal: 'metrics',
      encoding: 'otlp-protobuf',
      workspace: 1,
      project: 1,
      environment: '',
      retentionDays: 30,
      receivedAt: now,
      items: 14,
      refused: new Uint32Array(),
      body: jsonToProtobuf('metrics', Buffer.from(JSON.stringify(request))),
    });
    take(transcoder.take());
  }
  take(transcoder.finish().blocks);
  expect([described, written]).toEqual([70, 140]);
});
