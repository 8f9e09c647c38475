import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SIGNALS, type Signal, type WalEntry } from '../entry.ts';
import { jsonToProtobuf } from '../json/to-protobuf.ts';
import { int, logsRequest, metricsRequest, nanos, requests, text, tracesRequest } from '../testing/otlp.ts';
import { BufferPool } from '../transcode/buffer-pool.ts';
import { SegmentTranscoder } from '../transcode/segment.ts';
import { SeriesCache } from '../transcode/series-cache.ts';
import { WireError } from '../wire/reader.ts';
import { WireWriter } from '../wire/writer.ts';
import { type ScanOutcome, scan, TooLarge } from './index.ts';

const now = Date.UTC(2026, 5, 1);
const day = 86_400_000;
const limits = { now, maxItems: 1000, earliest: now - 30 * day, latest: now + day };
const seriesCache = new SeriesCache(1 << 10);

function judge(signal: Signal, request: object, given = limits): ScanOutcome {
  return scan(signal, jsonToProtobuf(signal, Buffer.from(JSON.stringify(request))), given);
}

const span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'x',
  startTimeUnixNano: nanos(now),
  endTimeUnixNano: nanos(now + 5),
};

describe('spans', () => {
  it.each([
    ['a good one', {}, undefined],
    ['no trace id', { traceId: undefined }, 'trace_id'],
    ['a trace id of 8 bytes', { traceId: span.spanId }, 'trace_id'],
    ['a trace id of zeros', { traceId: '0'.repeat(32) }, 'trace_id'],
    ['a trace id that is not hex', { traceId: 'no hex' }, 'trace_id'],
    ['no span id', { spanId: '' }, 'span_id'],
    ['a span id of 16 bytes', { spanId: span.traceId }, 'span_id'],
    ['a parent id of 3 bytes', { parentSpanId: 'abcdef' }, 'parent_span_id'],
    ['no time', { startTimeUnixNano: undefined }, 'no time'],
    ['the year 1970', { startTimeUnixNano: '1000000000' }, 'older than the retention'],
    ['the year 2262', { startTimeUnixNano: '9223372036854775807' }, 'in the future'],
    ['beyond all years', { startTimeUnixNano: '18446744073709551615' }, 'in the future'],
    ['an end in two days', { endTimeUnixNano: nanos(now + 2 * day) }, 'end time'],
    ['an end before the start', { endTimeUnixNano: nanos(now - 5) }, undefined],
    ['a link without ids', { links: [{ attributes: [] }] }, 'link'],
    ['a link', { links: [{ traceId: span.traceId, spanId: span.spanId }] }, undefined],
  ])('%s', (_, change, reason) => {
    const outcome = judge('traces', tracesRequest([span, { ...span, ...change }, span]));
    expect(outcome.items).toBe(3);
    expect(outcome.refused).toEqual(reason === undefined ? [] : [1]);
    expect([...outcome.reasons.keys()].join()).toContain(reason ?? '');
  });
});

describe('log records', () => {
  it.each([
    ['no time at all', {}, []],
    ['an observed time only', { observedTimeUnixNano: nanos(now) }, []],
    ['an old time', { timeUnixNano: nanos(now - 31 * day), observedTimeUnixNano: nanos(now) }, [0]],
    ['an old observed time', { observedTimeUnixNano: '5' }, [0]],
    ['a time ahead', { timeUnixNano: nanos(now + 2 * day) }, [0]],
    ['ids', { traceId: span.traceId, spanId: span.spanId }, []],
    ['a trace id of 3 bytes', { traceId: 'aabbcc' }, [0]],
    ['a span id that is not hex', { spanId: 'zz' }, [0]],
  ])('%s', (_, record, refused) => {
    expect(judge('logs', logsRequest([record])).refused).toEqual(refused);
  });
});

describe('data points', () => {
  const point = { timeUnixNano: nanos(now), asDouble: 1 };
  const metric = (data: object) => ({ name: 'm', ...data });
  const histogram = { timeUnixNano: nanos(now), count: 3, bucketCounts: [1, 2], explicitBounds: [5] };
  it.each([
    ['numbers', metric({ gauge: { dataPoints: [point, { asDouble: 1 }, { ...point, timeUnixNano: 1 }] } }), 3, [1, 2]],
    ['no name', { gauge: { dataPoints: [point, point] } }, 2, [0, 1]],
    ['a name over 1 KiB', { name: 'x'.repeat(1100), sum: { dataPoints: [point] } }, 1, [0]],
    ['no data', metric({}), 0, []],
    ['a histogram', metric({ histogram: { dataPoints: [histogram, { ...histogram, bucketCounts: [1] }] } }), 2, [1]],
    [
      'bounds that do not increase',
      metric({
        histogram: {
          dataPoints: [
            [1, 2],
            [2, 2],
            [2, 1],
            ['NaN', 1],
            [1, 'NaN'],
            ['-Infinity', 0],
          ].map((explicitBounds) => ({
            ...histogram,
            bucketCounts: [1, 1, 1],
            explicitBounds,
          })),
        },
      }),
      6,
      [1, 2, 3, 4],
    ],
    [
      'a histogram without buckets',
      metric({ histogram: { dataPoints: [{ timeUnixNano: nanos(now), count: 3 }] } }),
      1,
      [],
    ],
    ['a scale out of range', metric({ exponentialHistogram: { dataPoints: [{ ...point, scale: 100 }] } }), 1, [0]],
    [
      'a summary',
      metric({ summary: { dataPoints: [{ timeUnixNano: nanos(now), quantileValues: [{ quantile: 0.5 }] }] } }),
      1,
      [],
    ],
  ])('%s', (_, one, items, refused) => {
    expect(judge('metrics', metricsRequest([one]))).toMatchObject({ items, refused });
  });
});

describe('the whole body', () => {
  it('is rejected for more items than allowed', () => {
    expect(() => judge('traces', tracesRequest([span, span, span]), { ...limits, maxItems: 2 })).toThrow(TooLarge);
  });

  it('is rejected for values nested too deeply, and accepted with 64 levels', () => {
    const nest = (levels: number): object =>
      levels === 0 ? { intValue: 1 } : { arrayValue: { values: [nest(levels - 1)] } };
    const request = (levels: number) =>
      tracesRequest([{ ...span, attributes: [{ key: 'deep', value: nest(levels) }] }]);
    expect(judge('traces', request(64)).refused).toEqual([]);
    expect(() => judge('traces', request(65))).toThrow('nested deeper than 64');
  });

  it('does not run out of stack on 10,000 levels of protobuf', () => {
    let value = Buffer.alloc(0);
    for (let level = 0; level < 10_000; level++) {
      const writer = new WireWriter();
      writer.varint(42);
      const inner = value;
      writer.nested(() => {
        writer.varint(10);
        writer.raw(inner);
      });
      value = Buffer.from(writer.result());
    }
    const writer = new WireWriter();
    writer.varint(10);
    writer.nested(() => {
      writer.varint(10);
      writer.nested(() => {
        writer.varint(10);
        writer.nested(() => {
          writer.varint(18);
          writer.raw(value);
        });
      });
    });
    expect(() => scan('logs', writer.result(), limits)).toThrow(WireError);
  });

  it('rejects items whose resource is over 64 KiB, and bodies whose rows would be too large', () => {
    const large = judge('traces', tracesRequest([span, span], [text('large', 'x'.repeat(70_000))]));
    expect(large.refused).toEqual([0, 1]);
    const many = Array.from({ length: 6000 }, () => ({ body: { intValue: 1 } }));
    const wide = logsRequest(many, [text('wide', 'x'.repeat(60_000))]);
    expect(() => judge('logs', wide, { ...limits, maxItems: 1e6 })).toThrow('take more than 256 MiB');
  });

  it('counts 100,000 attributes of one span as one span', () => {
    const attributes = Array.from({ length: 100_000 }, (_, i) => int(`k${i}`, i));
    expect(judge('traces', tracesRequest([{ ...span, attributes }]))).toMatchObject({ items: 1, refused: [] });
  });

  it.each([
    ['a length beyond the end', [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['a length one too long', [0x0a, 0x10, 0x12, 0x20]],
    ['field number 0', [0x02, 0x00]],
    ['a group', [0x0b, 0x0c]],
    ['an endless number', new Array(20).fill(0xff)],
    ['a fixed64 cut short', [0x11, 1, 2, 3]],
  ])('is rejected for %s', (_, bytes) => {
    for (const signal of SIGNALS) expect(() => scan(signal, Buffer.from(bytes), limits)).toThrow(WireError);
  });
});

/** All rows that a transcoder writes for a body that passed the scan. */
function transcode(signal: Signal, body: Buffer, { items, refused }: ScanOutcome): number {
  const entry: WalEntry = {
    signal,
    encoding: 'otlp-protobuf',
    workspace: 1,
    project: 1,
    environment: '',
    retentionDays: 30,
    receivedAt: now,
    items,
    refused: Uint32Array.from(refused),
    body,
  };
  const transcoder = new SegmentTranscoder(seriesCache, new BufferPool());
  transcoder.add(entry);
  const mainTables = ['spans', 'logs', 'metric_points', 'metric_histograms'];
  const { blocks, arrivals } = transcoder.finish();
  // A profile has as many rows as observations, which only its transcoder counts.
  if (signal === 'profiles') {
    const samples = blocks.filter(({ table }) => table === 'profile_samples').reduce((sum, { rows }) => sum + rows, 0);
    expect(arrivals.reduce((sum, arrival) => sum + arrival.items, 0)).toBe(samples);
    return items - refused.length;
  }
  return blocks.filter(({ table }) => mainTables.includes(table)).reduce((sum, { rows }) => sum + rows, 0);
}

describe.each(SIGNALS)('everything that passes the scan passes the transcoder: %s', (signal) => {
  const valid = requests(signal, now).map((request) => jsonToProtobuf(signal, Buffer.from(JSON.stringify(request))));

  it('valid requests: every item is a row', () => {
    fc.assert(
      fc.property(valid, (body) => {
        const outcome = scan(signal, body, limits);
        expect(outcome.refused).toEqual([]);
        expect(transcode(signal, body, outcome)).toBe(outcome.items);
      }),
      { numRuns: 100 },
    );
  });

  it('requests with some bytes changed, removed or doubled', () => {
    const change = fc.record({ at: fc.nat(), to: fc.nat(255), kind: fc.constantFrom('set', 'cut', 'double') });
    fc.assert(
      fc.property(valid, fc.array(change, { minLength: 1, maxLength: 4 }), (body, changes) => {
        let broken = Buffer.from(body);
        for (const { at, to, kind } of changes) {
          const position = broken.length === 0 ? 0 : at % broken.length;
          if (kind === 'set' && broken.length > 0) broken[position] = to;
          else if (kind === 'cut') broken = broken.subarray(0, position);
          else broken = Buffer.concat([broken.subarray(0, position), broken.subarray(position >> 1)]);
        }
        passesOrIsRefused(signal, broken);
      }),
      { numRuns: 400 },
    );
  });

  it('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => passesOrIsRefused(signal, Buffer.from(bytes))),
      { numRuns: 2000 },
    );
  });
});

function passesOrIsRefused(signal: Signal, body: Buffer): void {
  let outcome: ScanOutcome;
  try {
    outcome = scan(signal, body, limits);
  } catch (error) {
    if (error instanceof WireError || error instanceof TooLarge) return;
    throw error;
  }
  expect(transcode(signal, body, outcome)).toBe(outcome.items - outcome.refused.length);
}
