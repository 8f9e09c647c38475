import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPatterns, groupShapes, type Shape, severityFloor, severityName } from './rules.ts';

const templates = (texts: string[]) => groupShapes(texts).map(({ template, members }) => [template, members]);

describe('Drain', () => {
  it('joins texts that differ in a few words', () => {
    expect(
      templates([
        'payment timeout for order * of alice',
        'payment timeout for order * of bob',
        'cache miss',
        'refund of order * went to carol',
      ]),
    ).toEqual([
      ['payment timeout for order * of *', [0, 1]],
      ['cache miss', [2]],
      ['refund of order * went to carol', [3]],
    ]);
  });
  it('never joins texts of different length', () => {
    expect(templates(['connected', 'connected again'])).toHaveLength(2);
  });
  it('does not lead by what is masked', () => {
    expect(templates(['* worker started on main', '* worker started on side'])).toEqual([
      ['* worker started on *', [0, 1]],
    ]);
    expect(templates(['user=* worker started well', 'user=* worker started badly'])).toHaveLength(1);
  });
  it('goes on where a node has too many branches', () => {
    const texts = Array.from({ length: 300 }, (_, n) => `${letters(n)} said hello to us`);
    const groups = groupShapes(texts, { maxChildren: 10 });
    expect(groups.length).toBeLessThan(20);
    expect(groups.flatMap(({ members }) => members).sort((a, b) => a - b)).toEqual(texts.map((_, n) => n));
  });
  it('takes what is empty and what is very long', () => {
    expect(templates(['', '   '])).toEqual([['', [0, 1]]]);
    expect(groupShapes(['a '.repeat(5000)])[0]?.template.split(' ')).toHaveLength(200);
  });

  const text = fc.array(fc.constantFrom('a', 'b', 'c', '*', 'x=*'), { maxLength: 6 }).map((words) => words.join(' '));
  it('puts each text into exactly one template, which matches it', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
        const groups = groupShapes(texts);
        expect(groups.flatMap(({ members }) => members).sort((a, b) => a - b)).toEqual(texts.map((_, n) => n));
        for (const { template, members } of groups)
          for (const place of members) {
            const words = (texts[place] ?? '').trim().split(/\s+/);
            const pattern = template.split(' ');
            expect(pattern).toHaveLength(words.length);
            expect(pattern.every((word, at) => word === '*' || word === words[at])).toBe(true);
          }
      }),
    );
  });
});

function letters(n: number): string {
  return [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}

const shape = (masked: string, count: number, more: Partial<Shape> = {}): Shape => ({
  hash: masked,
  masked,
  count,
  examples: [masked],
  firstNs: 5n,
  lastNs: 6n,
  trend: [count, 0],
  severities: { info: count },
  services: { cart: count },
  isKnown: true,
  ...more,
});

describe('patterns', () => {
  it('add up what their shapes have', () => {
    const [pattern, other] = findPatterns([
      shape('order * of bob', 2, { firstNs: 1n, severities: { error: 2 }, services: { web: 2 }, isKnown: false }),
      shape('order * of alice', 5, { lastNs: 9n, trend: [1, 4] }),
      shape('new and lonely', 1, { isKnown: false }),
    ]);
    expect(pattern).toEqual({
      template: 'order * of *',
      count: 7,
      severities: { info: 5, error: 2 },
      services: ['cart', 'web'],
      firstNs: 1n,
      lastNs: 9n,
      isNew: false,
      trend: [3, 4],
      examples: ['order * of alice', 'order * of bob'],
      shapes: ['order * of alice', 'order * of bob'],
    });
    expect(other?.isNew).toBe(true);
  });
  it('have counts that sum to the total, in whatever order the shapes come', () => {
    const shapes = fc.array(
      fc.record({
        masked: fc.constantFrom('a b c', 'a b d', 'a x', 'b b', ''),
        count: fc.integer({ min: 1, max: 99 }),
      }),
    );
    fc.assert(
      fc.property(shapes, (given) => {
        const all = given.map(({ masked, count }) => shape(masked, count));
        const patterns = findPatterns(all);
        expect(patterns.reduce((sum, { count }) => sum + count, 0)).toBe(
          all.reduce((sum, { count }) => sum + count, 0),
        );
        expect(findPatterns([...all].reverse()).map(({ template, count }) => [template, count])).toEqual(
          patterns.map(({ template, count }) => [template, count]),
        );
      }),
    );
  });
});

describe('severities', () => {
  it.each([
    ['trace', 1],
    ['info', 9],
    ['fatal', 21],
  ] as const)('%s begins at %i', (name, number) => {
    expect(severityFloor(name)).toBe(number);
    expect(severityName(number)).toBe(name);
    expect(severityName(number + 3)).toBe(name);
  });
  it('may be unset', () => expect(severityName(0)).toBe('unset'));
});
