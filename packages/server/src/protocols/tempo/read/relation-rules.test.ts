import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nestedSets, relatedSpans, treeOf } from './relation-rules.ts';

/** Any trace: the parent of a span is an earlier one, none, or one that is not there. */
const anyTrace = fc
  .array(fc.record({ parent: fc.nat(12), isLeft: fc.boolean(), isRight: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((spans) => spans.map((span, i) => ({ ...span, parent: span.parent < i ? span.parent : -1 })));

const naive = {
  '>': (a: number, b: number, parents: readonly number[]) => parents[b] === a,
  '>>': (a: number, b: number, parents: readonly number[]): boolean => {
    const parent = parents[b] ?? -1;
    return parent >= 0 && (parent === a || naive['>>'](a, parent, parents));
  },
  '~': (a: number, b: number, parents: readonly number[]) =>
    a !== b && (parents[b] ?? -1) >= 0 && parents[a] === parents[b],
};

describe('relations of spans', () => {
  it.each(['>', '>>', '<', '<<', '~'] as const)(
    '%s, its negation and its union are those of their definition',
    (relation) => {
      const holds = (a: number, b: number, parents: readonly number[]) =>
        relation === '<'
          ? naive['>'](b, a, parents)
          : relation === '<<'
            ? naive['>>'](b, a, parents)
            : naive[relation](a, b, parents);
      fc.assert(
        fc.property(anyTrace, (spans) => {
          const tree = treeOf(
            spans.map(({ parent }, i) => ({ id: `s${i}`, parent: parent < 0 ? null : `s${parent}` })),
          );
          const parents = spans.map(({ parent }) => parent);
          const places = spans.map((_, i) => i);
          const left = places.filter((i) => spans[i]?.isLeft);
          const right = places.filter((i) => spans[i]?.isRight);
          const found = right.filter((b) => left.some((a) => holds(a, b, parents)));
          expect(relatedSpans(relation, left, right, tree)).toEqual(found);
          expect(relatedSpans(`!${relation}`, left, right, tree)).toEqual(right.filter((b) => !found.includes(b)));
          const partners = left.filter((a) => right.some((b) => holds(a, b, parents)));
          expect(relatedSpans(`&${relation}`, left, right, tree)).toEqual(
            [...new Set([...partners, ...found])].sort((a, b) => a - b),
          );
        }),
      );
    },
  );

  it('end for spans that are their own ancestors', () => {
    const tree = treeOf([
      { id: 'a', parent: 'b' },
      { id: 'b', parent: 'a' },
      { id: 'c', parent: 'c' },
    ]);
    expect(relatedSpans('>>', [2], [0, 1, 2], tree)).toEqual([]);
    expect(relatedSpans('<<', [0], [0, 1, 2], tree)).toEqual([0, 1]);
    expect(nestedSets(tree).left[2]).toBe(1);
  });

  it('number the spans of a trace so that descendants are inside', () => {
    fc.assert(
      fc.property(anyTrace, (spans) => {
        const tree = treeOf(spans.map(({ parent }, i) => ({ id: `s${i}`, parent: parent < 0 ? null : `s${parent}` })));
        const { left, right, parent } = nestedSets(tree);
        const parents = spans.map((span) => span.parent);
        for (const [a] of spans.entries())
          for (const [b] of spans.entries()) {
            const inside = (left[a] ?? 0) < (left[b] ?? 0) && (right[b] ?? 0) < (right[a] ?? 0);
            expect(inside).toBe(naive['>>'](a, b, parents));
          }
        expect(spans.map((_, i) => parent(i))).toEqual(parents.map((of) => (of < 0 ? -1 : left[of])));
      }),
    );
  });
});
