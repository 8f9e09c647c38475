import { WAL_SIGNALS, type WalEntry } from '@fanion/telemetry';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeEntry, divisionOf, encodeEntryHeader } from './entry.ts';

const entries: fc.Arbitrary<WalEntry> = fc.record({
  signal: fc.constantFrom(...WAL_SIGNALS),
  encoding: fc.constant('otlp-protobuf' as const),
  workspace: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  project: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  environment: fc.string({ unit: 'grapheme', maxLength: 40 }),
  retentionDays: fc.integer({ min: 1, max: 3650 }),
  receivedAt: fc.integer({ min: 0, max: 4e12 }),
  items: fc.nat(500_000),
  refused: fc.uint32Array({ maxLength: 20 }),
  body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
});

it('decodes every field', () => {
  fc.assert(
    fc.property(entries, fc.nat(255), (entry, division) => {
      const payload = Buffer.concat([encodeEntryHeader(entry, division), entry.body]);
      expect(decodeEntry(payload)).toEqual(entry);
      expect(divisionOf(payload)).toBe(division);
    }),
  );
});

it('rejects an unknown version', () => {
  expect(() => decodeEntry(Buffer.from([9, 0, 0, 0]))).toThrow('unknown version 9');
});
