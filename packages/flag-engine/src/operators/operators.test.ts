import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress, parseNetwork } from './cidr.ts';
import { parseInstant } from './date.ts';
import { OPERATOR_NAMES, operatorOf } from './index.ts';
import { compareSemver, parseSemver, type Semver } from './semver.ts';

describe('parseInstant', () => {
  it.each([
    ['2024-02-29T12:00:00Z', Date.UTC(2024, 1, 29, 12)],
    ['2024-02-29t12:00:00z', Date.UTC(2024, 1, 29, 12)],
    ['2024-02-29 12:00:00Z', Date.UTC(2024, 1, 29, 12)],
    ['2024-02-29T12:00:00.5+01:30', Date.UTC(2024, 1, 29, 10, 30, 0, 500)],
    ['2024-02-29T12:00:00-08:00', Date.UTC(2024, 1, 29, 20)],
    ['1990-12-31T23:59:60Z', Date.UTC(1991, 0, 1)],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
    ['2024-01-01T00:00:00.000000001Z', Date.UTC(2024, 0, 1)],
    [-1.5, -1.5],
  ])('%j is an instant', (value, instant) => {
    expect(parseInstant(value)).toBeCloseTo(instant, 3);
  });

  it.each([
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:61Z',
    '2024-01-01T00:00:00',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00+0100',
    '2024-01-01',
    '1704067200000',
    '',
    true,
    Number.POSITIVE_INFINITY,
  ])('%j is not an instant', (value) => {
    expect(parseInstant(value)).toBeUndefined();
  });

  it('reads the output of Date', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }), (date) => {
        expect(parseInstant(date.toISOString())).toBeCloseTo(date.getTime(), 3);
      }),
    );
  });
});

describe('compareSemver', () => {
  const identifier = fc.oneof(fc.nat(20).map(String), fc.stringMatching(/^[0-9A-Za-z-]*[A-Za-z-]$/));
  const version: fc.Arbitrary<Semver> = fc.record({
    numbers: fc.array(fc.nat(12).map(String), { minLength: 3, maxLength: 3 }),
    prerelease: fc.array(identifier, { maxLength: 3 }),
  });
  const print = ({ numbers, prerelease }: Semver) =>
    numbers.join('.') + (prerelease.length > 0 ? `-${prerelease.join('.')}` : '');

  it('is a total order of valid versions', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(parseSemver(print(a))).toEqual(a);
        expect(Math.sign(compareSemver(a, b))).toBe(-Math.sign(compareSemver(b, a)) + 0);
        expect(compareSemver(a, b) === 0).toBe(print(a) === print(b));
        if (compareSemver(a, b) <= 0 && compareSemver(b, c) <= 0) expect(compareSemver(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('addresses', () => {
  it.each([
    ['1.2.3.4', [0x102, 0x304]],
    ['::ffff:1.2.3.4', [0x102, 0x304]],
    ['::FFFF:0102:0304', [0x102, 0x304]],
    ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['1::', [1, 0, 0, 0, 0, 0, 0, 0]],
    ['1:2:3:4:5:6:7:8', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['1:2:3:4:5:6:1.2.3.4', [1, 2, 3, 4, 5, 6, 0x102, 0x304]],
    ['1::8', [1, 0, 0, 0, 0, 0, 0, 8]],
    ['1:2:3:4:5:6:7::', [1, 2, 3, 4, 5, 6, 7, 0]],
  ])('reads %s', (text, groups) => {
    expect(parseAddress(text)).toEqual(groups);
  });

  it.each([
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.256',
    '1.2.3.4 ',
    '0x1.2.3.4',
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    '1::2::3',
    '12345::',
    'g::',
    '1.2.3.4::',
    '::1.2.3.4:5',
    'fe80::1%eth0',
    ':1::',
    '1:',
  ])('rejects %s', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it.each(['1.2.3.4/', '1.2.3.4/33', '1.2.3.4/-1', '1.2.3.4/08', '1.2.3.4/8/8', '::/129', '::ffff:1.2.3.4/95', 7])(
    'refuses the network %s',
    (text) => {
      expect(parseNetwork(text)).toBeUndefined();
    },
  );

  it('counts the prefix of a mapped network in IPv6 bits', () => {
    expect(parseNetwork('::ffff:10.0.0.0/104')).toEqual(parseNetwork('10.0.0.0/8'));
  });
});

describe('the table of operators', () => {
  it('has every operator that compares', () => {
    const without = OPERATOR_NAMES.filter((name) => operatorOf(name) === undefined);
    expect(without).toEqual(['exists', 'in_segment']);
    expect(new Set(OPERATOR_NAMES).size).toBe(27);
  });
});
