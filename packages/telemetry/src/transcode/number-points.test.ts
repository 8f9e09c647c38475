import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { WalEntry } from '../entry.ts';
import { scan } from '../scan/index.ts';
import { pointsOf } from '../testing/blocks.ts';
import { WireWriter } from '../wire/writer.ts';
import { BufferPool } from './buffer-pool.ts';
import { SegmentTranscoder } from './segment.ts';
import { SeriesCache } from './series-cache.ts';

const now = 1_790_000_000_000;
const dayMs = 86_400_000;
const limits = { now, maxItems: 1000, earliest: now - 30 * dayMs, latest: now + dayMs };

interface Point {
  attributes: [key: string, value: string][];
  time: number;
  start: number | undefined;
  value: number;
  kind: 'double' | 'int' | 'none';
  flags: number | undefined;
  exemplar: boolean;
}

interface Metric {
  service: string;
  name: string;
  isSum: boolean;
  points: Point[];
}

function attribute(writer: WireWriter, tag: number, key: string, value: string): void {
  writer.varint(tag);
  writer.nested(() => {
    writer.varint(10);
    writer.string(key);
    writer.varint(18);
    writer.nested(() => {
      writer.varint(10);
      writer.string(value);
    });
  });
}

/** @param odd whether each point ends with an unknown field. */
function request({ service, name, isSum, points }: Metric, odd: boolean): Buffer {
  const writer = new WireWriter();
  const message = (tag: number, write: () => void) => {
    writer.varint(tag);
    writer.nested(write);
  };
  const point = ({ attributes, time, start, value, kind, flags, exemplar }: Point) => {
    if (start !== undefined) {
      writer.varint(17);
      writer.fixed64(BigInt(start) * 1_000_000n);
    }
    writer.varint(25);
    writer.fixed64(BigInt(time) * 1_000_000n + 999_999n);
    if (kind === 'double') {
      writer.varint(33);
      writer.double(value);
    } else if (kind === 'int') {
      writer.varint(49);
      writer.fixed64(BigInt(Math.trunc(value % 2 ** 40) || 0));
    }
    if (exemplar) message(42, () => writer.varint(25) === undefined && writer.double(1));
    for (const [key, text] of attributes) attribute(writer, 58, key, text);
    if (flags !== undefined) {
      writer.varint(64);
      writer.varint(flags);
    }
    if (odd) {
      writer.varint(120);
      writer.varint(0);
    }
  };
  message(10, () => {
    message(10, () => attribute(writer, 10, 'service.name', service));
    message(18, () => {
      message(18, () => {
        writer.varint(10);
        writer.string(name);
        message(isSum ? 58 : 42, () => {
          for (const one of points) message(10, () => point(one));
          if (isSum) for (const number of [16, 2, 24, 1]) writer.varint(number);
        });
      });
    });
  });
  return writer.result();
}

function rows(requests: readonly Metric[], odd: boolean, known: SeriesCache) {
  const transcoder = new SegmentTranscoder(known, new BufferPool());
  for (const metric of requests) {
    const body = Buffer.from(request(metric, odd));
    const { items, refused } = scan('metrics', body, limits);
    const entry: WalEntry = {
      signal: 'metrics',
      encoding: 'otlp-protobuf',
      workspace: 1,
      project: 2,
      environment: '',
      retentionDays: 30,
      receivedAt: now,
      items,
      refused: Uint32Array.from(refused),
      body,
    };
    transcoder.add(entry);
  }
  const { blocks, begunSeries } = transcoder.finish();
  const series = blocks.find(({ table }) => table === 'metric_series');
  return {
    points: blocks.filter(({ table }) => table === 'metric_points').flatMap(pointsOf),
    series: series?.body.toString('hex'),
    exemplars: blocks.find(({ table }) => table === 'exemplars')?.rows,
    begunSeries,
  };
}

const text = fc.oneof(
  fc.constantFrom('a', 'b', 'http.route'),
  fc.string({ maxLength: 6 }),
  fc.constant('x'.repeat(130)),
);
const point: fc.Arbitrary<Point> = fc.record({
  attributes: fc.array(fc.tuple(text, text), { maxLength: 4 }),
  time: fc.oneof(fc.constant(now), fc.integer({ min: now - 32 * dayMs, max: now })),
  start: fc.option(fc.constantFrom(0, now - dayMs), { nil: undefined }),
  value: fc.double({ noNaN: true }),
  kind: fc.constantFrom('double', 'double', 'int', 'none'),
  flags: fc.option(fc.constantFrom(0, 1, 300), { nil: undefined, freq: 3 }),
  exemplar: fc.integer({ min: 0, max: 20 }).map((one) => one === 0),
});
const metric: fc.Arbitrary<Metric> = fc.record({
  service: fc.constantFrom('shop', 'cart'),
  name: fc.constantFrom('requests', 'heat'),
  isSum: fc.boolean(),
  points: fc.array(point, { maxLength: 6 }),
});

it('writes points of remembered series as it writes those that it reads as a whole', () => {
  const kept = { plain: new SeriesCache(), odd: new SeriesCache() };
  fc.assert(
    fc.property(fc.array(metric, { maxLength: 6 }), (requests) => {
      expect(rows(requests, false, new SeriesCache())).toEqual(rows(requests, true, new SeriesCache()));
      // With the series of earlier requests in memory.
      expect(rows(requests, false, kept.plain)).toEqual(rows(requests, true, kept.odd));
    }),
    { numRuns: 150 },
  );
});
