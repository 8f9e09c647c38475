import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameHeader, readFrames } from './frame.ts';

function frame(payload: Buffer): Buffer {
  return Buffer.concat([frameHeader([payload]), payload]);
}
const payloads = ['first', '', 'a third, longer one'].map((text) => Buffer.from(text));
const segment = Buffer.concat(payloads.map(frame));
const lastAt = segment.length - frame(payloads[2] as Buffer).length;

describe('readFrames', () => {
  it('reads what was written', () => {
    expect(readFrames(segment)).toEqual({ payloads, damaged: [], tornAt: undefined });
  });

  it('truncates an unfinished last entry, wherever the write ended', () => {
    for (let end = lastAt; end < segment.length; end++) {
      const read = readFrames(segment.subarray(0, end));
      expect(read.payloads, `ended at ${end}`).toEqual(payloads.slice(0, 2));
      expect(read.damaged).toEqual([]);
      expect(read.tornAt).toBe(end === lastAt ? undefined : lastAt);
    }
  });

  it('treats a tail of zeros as unwritten blocks', () => {
    const read = readFrames(Buffer.concat([segment, Buffer.alloc(4096)]));
    expect(read).toEqual({ payloads, damaged: [], tornAt: segment.length });
  });

  it('loses exactly one entry to a flipped bit anywhere', () => {
    for (let at = 0; at < segment.length; at++) {
      for (const bit of [0, 7]) {
        const broken = Buffer.from(segment);
        broken[at] = (broken[at] as number) ^ (1 << bit);
        const read = readFrames(broken);
        expect(read.payloads, `bit ${bit} of byte ${at}`).toHaveLength(2);
        for (const payload of read.payloads) expect(payloads).toContainEqual(payload);
      }
    }
  });

  it('reports a flipped bit in a complete last entry as damage, since it was acknowledged', () => {
    const broken = Buffer.from(segment);
    broken[segment.length - 1] = 0xff;
    expect(readFrames(broken).damaged).toEqual([{ start: lastAt, end: segment.length }]);
  });

  it('reads any bytes without throwing, and accounts for each of them', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.uint8Array({ maxLength: 40 }).map((b) => frame(Buffer.from(b))),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const bytes = Buffer.concat(pieces);
        const { payloads: found, damaged, tornAt } = readFrames(bytes);
        const accounted =
          found.reduce((sum, payload) => sum + payload.length + 12, 0) +
          damaged.reduce((sum, { start, end }) => sum + end - start, 0) +
          (tornAt === undefined ? 0 : bytes.length - tornAt);
        expect(accounted).toBe(bytes.length);
      }),
    );
  });
});
