import fc from 'fast-check';
import { compress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { TooLarge } from '../scan/index.ts';
import { WireError } from '../wire/reader.ts';
import { unpackSnappy } from './snappy.ts';

const pack = (text: Uint8Array) => Buffer.from(compress(Uint8Array.from(text)));

describe('Snappy', () => {
  it.each([
    ['nothing', ''],
    ['a few bytes', 'wikiwikiwikiwiki'],
    ['what repeats', 'ab'.repeat(100_000)],
    ['what does not', Array.from({ length: 90_000 }, (_, i) => String.fromCharCode(32 + ((i * i * 31) % 90))).join('')],
  ])('unpacks %s', (_, text) => {
    expect(unpackSnappy(pack(Buffer.from(text)), 1e6).toString()).toBe(text);
  });

  it('unpacks everything that the reference packs', () => {
    const repeating = fc.array(fc.constantFrom('aaaa', 'abc', 'abcabcabcd', 'xyz'), { maxLength: 400 });
    fc.assert(
      fc.property(
        fc.oneof(
          repeating.map((list) => Buffer.from(list.join(''))),
          fc.uint8Array(),
        ),
        (text) => {
          expect(unpackSnappy(pack(text), 1e6).equals(text)).toBe(true);
        },
      ),
    );
  });

  it('reads copies with offsets of four bytes', () => {
    // 8 bytes: the literal `abcd`, and a copy of 4 from 4 before.
    expect(unpackSnappy(Buffer.from([8, 12, 97, 98, 99, 100, 15, 4, 0, 0, 0]), 100).toString()).toBe('abcdabcd');
  });

  it.each([
    ['no length', []],
    ['a length without an end', [255, 255, 255, 255, 255, 1]],
    ['a literal that is cut off', [5, 16, 97]],
    ['a copy from before the beginning', [8, 12, 97, 98, 99, 100, 15, 5, 0, 0, 0]],
    ['a copy from nowhere', [8, 12, 97, 98, 99, 100, 15, 0, 0, 0, 0]],
    ['less than it says', [9, 12, 97, 98, 99, 100]],
    ['more than it says', [3, 12, 97, 98, 99, 100]],
  ])('rejects %s', (_, bytes) => {
    expect(() => unpackSnappy(Buffer.from(bytes), 100_000_000)).toThrow(WireError);
  });

  it('rejects a result that would be too large, without unpacking it', () => {
    expect(() => unpackSnappy(pack(Buffer.alloc(1001)), 1000)).toThrow(TooLarge);
  });

  it('unpacks or rejects any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          unpackSnappy(Buffer.from(bytes), 100_000);
        } catch (error) {
          if (!(error instanceof WireError || error instanceof TooLarge)) throw error;
        }
      }),
      { numRuns: 5000 },
    );
  });
});
