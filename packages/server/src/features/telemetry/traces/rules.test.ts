import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criticalPath, missingParents, type SpanTimes } from './rules.ts';

const span = (id: string, parentId: string | null, start: number, end: number): SpanTimes => ({
  id,
  parentId,
  startNs: BigInt(start),
  endNs: BigInt(end),
});

describe('missing parents', () => {
  it('are those that are named and not there', () => {
    expect([...missingParents([span('a', null, 0, 9), span('b', 'a', 1, 2), span('c', 'x', 3, 4)])]).toEqual(['c']);
  });
});

describe('the critical path', () => {
  it('of calls in a row is all of them', () => {
    expect(criticalPath([span('root', null, 0, 10), span('a', 'root', 1, 4), span('b', 'root', 5, 9)])).toEqual([
      'root',
      'a',
      'b',
    ]);
  });
  it('of calls side by side is the one that ended last', () => {
    expect(criticalPath([span('root', null, 0, 10), span('fast', 'root', 1, 4), span('slow', 'root', 1, 9)])).toEqual([
      'root',
      'slow',
    ]);
  });
  it('goes down into children', () => {
    expect(
      criticalPath([span('root', null, 0, 10), span('a', 'root', 1, 9), span('a1', 'a', 2, 5), span('a2', 'a', 3, 8)]),
    ).toEqual(['root', 'a', 'a2']);
  });
  it('begins at the longest root where several parents are missing', () => {
    expect(criticalPath([span('x', 'gone', 0, 3), span('y', 'gone', 0, 8)])).toEqual(['y']);
  });
  it('counts a child that outlives its parent', () => {
    expect(criticalPath([span('root', null, 0, 10), span('async', 'root', 2, 50)])).toEqual(['root', 'async']);
  });

  it('ends for any shape, cycles included, and names each span at most once', () => {
    const anySpan = fc.record({
      id: fc.integer({ min: 0, max: 12 }),
      parent: fc.option(fc.integer({ min: 0, max: 12 })),
      start: fc.integer({ min: 0, max: 100 }),
      length: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(anySpan, { selector: (s) => s.id }), (shapes) => {
        const spans = shapes.map((s) =>
          span(String(s.id), s.parent === null ? null : String(s.parent), s.start, s.start + s.length),
        );
        const path = criticalPath(spans);
        expect(new Set(path).size).toBe(path.length);
        expect(path.every((id) => spans.some((s) => s.id === id))).toBe(true);
      }),
    );
  });
});
