import fc from 'fast-check';
import { expect, it } from 'vitest';
import { crc32c } from './crc32c.ts';

it.each([
  ['', 0],
  ['123456789', 0xe3069283],
  ['The quick brown fox jumps over the lazy dog', 0x22620404],
])('has the published checksum of %j', (text, checksum) => {
  expect(crc32c(Buffer.from(text))).toBe(checksum);
});

it('has the checksums of RFC 3720 B.4', () => {
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
});

it('goes on over pieces', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), (bytes, at) => {
      const cut = bytes.length === 0 ? 0 : at % bytes.length;
      expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(crc32c(bytes));
    }),
  );
});
