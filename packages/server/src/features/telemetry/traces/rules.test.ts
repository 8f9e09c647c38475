import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criticalPath, missingParents, type SpanTimes, warningsOf } from './rules.ts';

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
  const pathOf = (spans: readonly SpanTimes[]) => criticalPath(spans).map(({ id, ns }) => `${id} ${ns}`);

  it.each<[string, SpanTimes[], string[]]>([
    [
      'of calls in a row is all of them',
      [span('root', null, 0, 10), span('a', 'root', 1, 4), span('b', 'root', 5, 9)],
      ['root 3', 'a 3', 'b 4'],
    ],
    [
      'of calls side by side is the one that ended last',
      [span('root', null, 0, 10), span('fast', 'root', 1, 4), span('slow', 'root', 1, 9)],
      ['root 2', 'slow 8'],
    ],
    [
      'goes down into children',
      [span('root', null, 0, 10), span('a', 'root', 1, 9), span('a1', 'a', 2, 5), span('a2', 'a', 3, 8)],
      ['root 2', 'a 3', 'a2 5'],
    ],
    [
      'begins at the longest root where several parents are missing',
      [span('x', 'gone', 0, 3), span('y', 'gone', 0, 8)],
      ['y 8'],
    ],
    [
      'counts a child that outlives its parent up to the end of the parent',
      [span('root', null, 0, 10), span('async', 'root', 2, 50)],
      ['root 2', 'async 8'],
    ],
    [
      'counts a child that began before its parent from the start of the parent',
      [span('root', null, 10, 20), span('skewed', 'root', 5, 15), span('before', 'root', 2, 4)],
      ['skewed 5', 'root 5'],
    ],
    ['leaves out a child that takes no time', [span('root', null, 0, 10), span('instant', 'root', 5, 5)], ['root 10']],
    [
      'counts a span that was sent twice once',
      [span('root', null, 0, 10), span('a', 'root', 1, 4), span('a', 'root', 1, 4)],
      ['root 7', 'a 3'],
    ],
    ['takes a span that names itself as its parent for a root', [span('a', 'a', 0, 5)], ['a 5']],
  ])('%s', (_, spans, path) => {
    expect(pathOf(spans)).toEqual(path);
  });

  it('adds up to the duration of a root, whatever the shape and the order of the spans', () => {
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
        expect(new Set(path.map(({ id }) => id)).size).toBe(path.length);
        expect(path.every(({ ns }) => ns >= 0n)).toBe(true);
        const total = path.reduce((sum, { ns }) => sum + ns, 0n);
        const lengths = spans.map(({ startNs, endNs }) => endNs - startNs);
        expect(path.length === 0 ? [0n] : lengths).toContain(total);
        expect(pathOf([...spans].reverse())).toEqual(pathOf(spans));
      }),
    );
  });
});

describe('warningsOf', () => {
  it.each([
    [0, 0, []],
    [5_000, 1_000, []],
    [5_001, 0, ['only the first 5000 log records; run logs | where trace_id == "ab" for all of them']],
    [0, 1_001, ['only the first 1000 evaluations; run flags "KEY" | where trace_id == "ab" for those of a flag']],
  ])('with %d log records and %d evaluations returns %j', (logs, flags, warnings) => {
    expect(warningsOf('ab', { logs, flags })).toEqual(warnings);
  });
});
