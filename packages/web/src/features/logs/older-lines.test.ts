import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OqlAnswer } from '../../telemetry/oql.ts';
import { isCrowded, joined, olderThan } from './older-lines.ts';

const base = Date.UTC(2026, 10, 22);
/** A page of lines, each by its time in milliseconds after the base and its body. */
function page(...lines: readonly (readonly [number, string])[]): OqlAnswer {
  const columns = [
    { name: 'time', type: 'timestamp' },
    { name: 'body', type: 'string' },
  ];
  const rows = lines.map(([ms, body]) => [new Date(base + ms).toISOString(), body]);
  return {
    result: { columns, rows, kind: 'table' },
    took_ms: 1,
    rows_read: 1,
    bytes_read: 1,
    truncated: false,
    warnings: [],
    window: { from: base, to: base + 1000 },
  };
}

/** Pages of one size. */
const all = (lines: number) => ({ first: lines, next: lines });

describe('where older lines are', () => {
  const full = page([900, 'c'], [800, 'b'], [700, 'a']);

  it('is the last millisecond of a full page, in the window of the first', () => {
    expect(olderThan([full], all(3))).toEqual({ last: base + 700, from: base });
  });

  it('is nowhere after a page that is not full, or whose lines all have one time', () => {
    expect(olderThan([full], all(4))).toBeUndefined();
    const crowd = page([900, 'c'], [900, 'b']);
    expect(olderThan([crowd], all(2))).toBeUndefined();
    // Then the list says that lines are missing.
    expect(isCrowded([crowd], all(2))).toBe(true);
    expect(isCrowded([full], all(4))).toBe(false);
  });

  it('is the same millisecond after a small first page whose lines all have one time', () => {
    const crowd = page([900, 'c'], [900, 'b']);
    expect(olderThan([crowd], { first: 2, next: 4 })).toEqual({ last: base + 900, from: base });
    expect(isCrowded([crowd], { first: 2, next: 4 })).toBe(false);
  });
});

describe('pages of lines', () => {
  it('are one list, with equal lines of one millisecond counted', () => {
    const list = joined([
      page([900, 'c'], [700, 'a'], [700, 'a']),
      page([700, 'a'], [700, 'a'], [700, 'a'], [700, 'x'], [600, 'b']),
    ]);
    expect(list?.rows.map(([, body]) => body)).toEqual(['c', 'a', 'a', 'a', 'x', 'b']);
  });

  it('have each line once, however they are cut', () => {
    const line = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.constantFrom('a', 'b', 'c'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.nat(4), fc.integer({ min: 1, max: 9 }), (lines, less, next) => {
        const sizes = { first: Math.max(1, next - less), next };
        const sorted = lines.toSorted(([a, x], [b, y]) => b - a || (x < y ? -1 : x > y ? 1 : 0));
        const read = (last: number, limit: number) =>
          page(...sorted.filter(([ms]) => base + ms <= last).slice(0, limit));
        const pages = [read(Number.MAX_SAFE_INTEGER, sizes.first)];
        for (;;) {
          const older = olderThan(pages, sizes);
          if (older === undefined) break;
          pages.push(read(older.last, sizes.next));
        }
        const found = joined(pages)?.rows.map(([time, body]) => `${time} ${body}`) ?? [];
        const expected = page(...sorted).result.rows.map(([time, body]) => `${time} ${body}`);
        expect(found).toEqual(expected.slice(0, found.length));
        // A list that ends early says so.
        if (!isCrowded(pages, sizes)) expect(found).toHaveLength(expected.length);
      }),
    );
  });
});
