import fc from 'fast-check';
import { compress, uncompress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { toOtlp } from '../convert/index.ts';
import { writtenOf } from '../convert/tally.ts';
import type { WalEntry } from '../entry.ts';
import { type Prepared, type PrepareLimits, prepare } from '../prepare.ts';
import { scan } from '../scan/index.ts';
import { TooLarge } from '../scan/outcome.ts';
import { pointsOf } from '../testing/blocks.ts';
import { type TestSeries, writeRequest1, writeRequest2 } from '../testing/remote-write.ts';
import { BufferPool } from '../transcode/buffer-pool.ts';
import { SegmentTranscoder } from '../transcode/segment.ts';
import { SeriesCache } from '../transcode/series-cache.ts';
import { WireError } from '../wire/reader.ts';

const now = 1_790_000_000_000;
const dayMs = 86_400_000;
const limits: PrepareLimits = {
  now,
  inflatedBytes: 32 << 20,
  maxItems: 100,
  earliest: now - 30 * dayMs,
  latest: now + dayMs,
};
type Format = 'prometheus-1' | 'prometheus-2';

/** By way of OTLP, as all requests went before. */
function prepareSlowly(format: Format, body: Buffer, given: PrepareLimits): Prepared {
  const converted = toOtlp({ signal: 'metrics', format, body }, given);
  const outcome = scan('metrics', converted.body, given);
  const written = converted.tally && writtenOf(converted.tally, outcome.refused);
  return { body: converted.body, encoding: 'otlp-protobuf', outcome, written };
}

function entryOf({ body, encoding, outcome }: Prepared, environment = 'of the token', project = 2): WalEntry {
  return {
    signal: 'metrics',
    encoding,
    workspace: 1,
    project,
    environment,
    retentionDays: 30,
    receivedAt: now,
    items: outcome.items,
    refused: Uint32Array.from(outcome.refused),
    body,
  };
}

interface Rows {
  points: string[];
  series: string[];
  arrivals: unknown[];
  begun: unknown;
}

function rowsOf(entries: readonly WalEntry[], known = new SeriesCache()): Rows {
  const transcoder = new SegmentTranscoder(known, new BufferPool());
  for (const entry of entries) transcoder.add(entry);
  const { blocks, arrivals, begunSeries } = transcoder.finish();
  const series = blocks.find(({ table }) => table === 'metric_series');
  const histograms = blocks.find(({ table }) => table === 'metric_histograms');
  expect(histograms).toBeUndefined();
  return {
    points: blocks
      .filter(({ table }) => table === 'metric_points')
      .flatMap(pointsOf)
      .sort(),
    // Rows of this table have no end of their own: what is compared is all of its bytes, in any order.
    series: [series?.rows.toString() ?? '', [...(series?.body ?? [])].sort((a, b) => a - b).join()],
    // How many bytes somebody sent counts what was sent, and not what OTLP would have been.
    arrivals: arrivals.map(({ service, environment, items }) => [service, environment, items].join()).sort(),
    begun: begunSeries,
  };
}

const word = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'job',
    'instance',
    'x/y',
    '/',
    'y/',
    'deployment_environment',
    'deployment.environment.name',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({ minLength: 120, maxLength: 140 }),
);
const labels = fc
  .tuple(
    fc.option(fc.oneof(fc.constantFrom('up', 'requests_total', 'x_bucket', 'n'.repeat(1024), 'ö'.repeat(600)), word)),
    fc.option(fc.constantFrom('shop', 'shop/cart', 'shop/', '/cart', 'a/b/c')),
    fc.option(fc.constantFrom('10.0.0.1:9090', 'h')),
    fc.option(fc.oneof({ arbitrary: fc.constant('production'), weight: 20 }, fc.constant(''))),
    fc.dictionary(word, word, { maxKeys: 4 }),
  )
  .map(
    ([name, job, instance, environment, more]): Record<string, string> => ({
      ...(name !== null && { __name__: name }),
      ...(job !== null && { job }),
      ...(instance !== null && { instance }),
      ...(environment !== null && { deployment_environment_name: environment }),
      ...more,
    }),
  )
  // As clients sort them, mostly.
  .chain((all) =>
    fc.integer({ min: 0, max: 9 }).map((one) => {
      if (one === 0) return all;
      return Object.fromEntries(Object.entries(all).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
const sample = fc.record(
  {
    value: fc.oneof(fc.constantFrom(0, 1, -0), fc.double()),
    time: fc.oneof(
      fc.integer({ min: now - dayMs, max: now }),
      fc.integer({ min: now - 3 * dayMs, max: now }),
      fc.oneof(
        { arbitrary: fc.constantFrom(0, 1, now - 31 * dayMs, now + 2 * dayMs), weight: 10 },
        fc.constant(2 ** 45),
      ),
    ),
    start: fc.constantFrom(0, 5, now - dayMs),
    stale: fc.boolean(),
  },
  { requiredKeys: ['value', 'time'] },
);
const metadata = fc.record({
  type: fc.integer({ min: 0, max: 7 }),
  help: fc.constantFrom('', 'how many', 'x'.repeat(200)),
  unit: fc.constantFrom('', 'By'),
});
const series: fc.Arbitrary<TestSeries> = fc.record(
  { labels, samples: fc.array(sample, { maxLength: 4 }), metadata },
  { requiredKeys: ['labels', 'samples'] },
);
const requests = fc.array(fc.array(series, { maxLength: 6 }), { minLength: 1, maxLength: 4 });

describe.each([
  ['prometheus-1', (all: TestSeries[]) => writeRequest1(all)],
  ['prometheus-2', writeRequest2],
] as const)('samples of %s', (format, write) => {
  it('become the rows that they became by way of OTLP, with the same answer', () => {
    const kept = { quick: new SeriesCache(), slow: new SeriesCache() };
    let plain = 0;
    fc.assert(
      fc.property(requests, fc.constantFrom('of the token', ''), fc.constantFrom(2, 3), (all, environment, project) => {
        const bodies = all.map((request) => write(request));
        const quick = bodies.map((body) => prepare({ signal: 'metrics', format, body }, limits));
        const slow = bodies.map((body) => prepareSlowly(format, body, limits));
        expect(quick.map(({ written }) => written)).toEqual(slow.map(({ written }) => written));
        expect(quick.map(({ outcome }) => [outcome.items, outcome.reasons])).toEqual(
          slow.map(({ outcome }) => [outcome.items, outcome.reasons]),
        );
        plain += quick.filter(({ encoding }) => encoding !== 'otlp-protobuf').length;
        const [ours, theirs] = [quick, slow].map((entries) => entries.map((one) => entryOf(one, environment, project)));
        expect(rowsOf(ours ?? [])).toEqual(rowsOf(theirs ?? []));
        // With what earlier requests have left in memory.
        expect(rowsOf(ours ?? [], kept.quick)).toEqual(rowsOf(theirs ?? [], kept.slow));
      }),
      { numRuns: 150 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it('are judged point by point as by way of OTLP', () => {
    fc.assert(
      fc.property(requests, (all) => {
        for (const request of all) {
          const body = write(request);
          const told = [prepare({ signal: 'metrics', format, body }, limits), prepareSlowly(format, body, limits)].map(
            (prepared) => {
              const found: string[] = [];
              new SegmentTranscoder(new SeriesCache(), new BufferPool()).eachSeries(
                entryOf(prepared),
                (_, low, high, partition) => found.push([low, high, partition].join()),
              );
              return found.sort();
            },
          );
          expect(told[0]).toEqual(told[1]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('are answered as by way of OTLP when bytes of them are changed, cut or doubled', () => {
    const change = fc.record({ at: fc.nat(), to: fc.nat(255), kind: fc.constantFrom('set', 'cut', 'double') });
    const unpacked = fc
      .tuple(fc.array(series, { maxLength: 4 }), fc.array(change, { maxLength: 3 }))
      .map(([all, changes]) => {
        let text = Buffer.from(rawOf(write(all)));
        for (const { at, to, kind } of changes) {
          const position = text.length === 0 ? 0 : at % text.length;
          if (kind === 'set' && text.length > 0) text[position] = to;
          else if (kind === 'cut') text = text.subarray(0, position);
          else text = Buffer.concat([text.subarray(0, position), text.subarray(position >> 1)]);
        }
        return Buffer.from(compress(Uint8Array.from(text)));
      });
    fc.assert(
      fc.property(unpacked, fc.constantFrom(2, 100), (body, maxItems) => {
        const given = { ...limits, maxItems };
        const answers = [
          () => prepare({ signal: 'metrics', format, body }, given),
          () => prepareSlowly(format, body, given),
        ].map((ask) => {
          try {
            const prepared = ask();
            const rows = prepared.outcome.items > 0 ? rowsOf([entryOf(prepared)]).points : [];
            return { written: prepared.written, reasons: new Map(prepared.outcome.reasons), rows };
          } catch (error) {
            if (error instanceof WireError || error instanceof TooLarge) return `${error.name}: ${error.message}`;
            throw error;
          }
        });
        expect(answers[0]).toEqual(answers[1]);
      }),
      { numRuns: 500 },
    );
  });
});

function rawOf(packed: Buffer): Buffer {
  return Buffer.from(uncompress(packed));
}
