import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latenessNs, lookFrom, lookOf, maxRowsOfLook, Seen, skipped, startOf } from './rules.ts';

const now = 1_000_000_000_000n;
const row = (key: string, timeNs: bigint) => ({ key, timeNs, row: key });

describe('seen rows', () => {
  it('are shown once, by time, also late ones', () => {
    const seen = new Seen<string>();
    expect(seen.take([row('c', 3n), row('a', 1n)]).map(({ key }) => key)).toEqual(['a', 'c']);
    expect(seen.take([row('c', 3n), row('b', 2n), row('a', 1n)]).map(({ key }) => key)).toEqual(['b']);
    expect(seen.newestNs).toBe(3n);
  });
  it('are all shown if several are equal', () => {
    const seen = new Seen<string>();
    expect(seen.take([row('a', 1n), row('a', 1n)])).toHaveLength(2);
    expect(seen.take([row('a', 1n), row('a', 1n), row('a', 1n)])).toHaveLength(1);
    expect(seen.take([row('a', 1n)])).toEqual([]);
  });
  it('are forgotten when polls no longer reach back to them', () => {
    const seen = new Seen<string>();
    seen.take([row('a', 1n), row('b', 5n)]);
    seen.forget(5n);
    expect(seen.size).toBe(1);
  });
  it('are shown as often as they arrived, however polls overlap', () => {
    const arrivals = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), look: fc.nat(5) }), { maxLength: 40 });
    fc.assert(
      fc.property(arrivals, (all) => {
        const seen = new Seen<string>();
        let shown = 0;
        for (let look = 0; look <= 5; look++)
          shown += seen.take(all.filter((one) => one.look <= look).map(({ key }) => row(key, 1n))).length;
        expect(shown).toBe(all.length);
      }),
    );
  });
});

describe('a stream', () => {
  const asked = (fromNs?: bigint, lastEventId?: string) => ({ fromNs, lastEventId });
  it.each([
    ['a little before now', asked(), now - 10_000_000_000n],
    ['where it is asked to', asked(now - 5n), now - 5n],
    ['not further back than late rows', asked(0n), now - latenessNs],
    ['not in the future', asked(now + 5n), now],
    ['behind what was seen last', asked(undefined, String(now - 7n)), now - 6n],
    ['as usual after an invalid id', asked(undefined, 'x'), now - 10_000_000_000n],
  ])('begins %s', (_name, given, start) => {
    expect(startOf(given, now)).toBe(start);
  });
  it('reads again the time in which late rows may arrive, never before its start', () => {
    expect(lookFrom(now - 5n, now)).toBe(now - 5n);
    expect(lookFrom(0n, now)).toBe(now - latenessNs);
  });
});

describe('the part that a poll does not show', () => {
  const full = { oldestNs: 50n, fromNs: 10n };
  it('is empty if all rows fit', () => {
    const rows = Array.from({ length: maxRowsOfLook + 1 }, (_, n) => row(`${n}`, BigInt(1_000 - n)));
    expect(lookOf(rows.slice(1))).toMatchObject({ isFull: false, newestNs: 999n });
    expect(lookOf(rows)).toMatchObject({ isFull: true, newestNs: 1_000n, oldestNs: 501n });
  });
  it('lies between the polls', () => {
    expect(skipped(full, 20n)).toEqual({ fromNs: 21n, toNs: 50n });
    expect(skipped(full, undefined)).toEqual({ fromNs: 10n, toNs: 50n });
    expect(skipped(full, 60n)).toBeUndefined();
  });
});
