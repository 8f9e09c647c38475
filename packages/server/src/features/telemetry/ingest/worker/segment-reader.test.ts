import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrames } from '../../../../platform/wal/index.ts';
import { temporaryDir } from '../testing/http.ts';
import { encodeEntry } from '../testing/segments.ts';
import { SegmentReader } from './segment-reader.ts';

const entry = fc
  .uint8Array({ maxLength: 300 })
  .map((body) => encodeEntry({ body: Buffer.from(body), items: 1, signal: 'logs' }));
/** An entry inside of another one, which is read where its envelope is damaged, and only there. */
const nested = entry.map((inner) => encodeEntry({ body: inner, items: 1, signal: 'logs' }));
const damage = fc.record({ at: fc.nat(), bit: fc.nat(7) });

async function readInWindows(path: string, content: Buffer, windowBytes: number) {
  await writeFile(path, content);
  const payloads: string[] = [];
  const damaged: { start: number; end: number }[] = [];
  const damagedBytes: string[] = [];
  let previous: { part: readonly Buffer[]; copies: readonly string[] } | undefined;
  for await (const part of new SegmentReader(windowBytes).read(path)) {
    // The part before is still as it was.
    expect(previous?.part.map((payload) => payload.toString('hex'))).toEqual(previous?.copies);
    const copies = part.payloads.map((payload) => payload.toString('hex'));
    previous = { part: part.payloads, copies };
    payloads.push(...copies);
    damaged.push(...part.damaged.map(({ range }) => range));
    damagedBytes.push(...part.damaged.map(({ bytes }) => bytes.toString('hex')));
  }
  return { payloads, damaged, damagedBytes };
}

describe('a segment that is read in windows', () => {
  it('has the same entries and the same damage as one that is read whole', async () => {
    const path = join(await temporaryDir(), 'segment.wal');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(entry, nested), { maxLength: 12 }),
        fc.array(damage, { maxLength: 3 }),
        fc.nat(200),
        fc.integer({ min: 1, max: 400 }),
        async (entries, flips, cutBytes, windowBytes) => {
          const all = Buffer.concat(entries);
          for (const { at, bit } of flips)
            if (all.length > 0) all[at % all.length] = (all[at % all.length] ?? 0) ^ (1 << bit);
          const content = all.subarray(0, Math.max(0, all.length - cutBytes));
          const { payloads, damaged } = readFrames(content);
          expect(await readInWindows(path, content, windowBytes)).toEqual({
            payloads: payloads.map((payload) => payload.toString('hex')),
            damaged,
            damagedBytes: damaged.map(({ start, end }) => content.toString('hex', start, end)),
          });
        },
      ),
    );
  });
});
