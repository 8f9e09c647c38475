import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences } from './diff.ts';

describe('differences', () => {
  it('lists additions, removals and changes by path', () => {
    expect(differences({ a: 1, b: { c: 2 }, d: 3 }, { a: 1, b: { c: 4 }, e: 5 })).toEqual([
      { path: 'b.c', kind: 'changed', before: 2, after: 4 },
      { path: 'd', kind: 'removed', before: 3 },
      { path: 'e', kind: 'added', after: 5 },
    ]);
  });

  it('matches the items of a list by their identity', () => {
    const rules = (...ids: string[]) => ({ rules: ids.map((id) => ({ id, variant: 'x' })) });
    expect(differences(rules('a', 'b', 'c'), rules('c', 'a'))).toEqual([
      { path: 'rules.b', kind: 'removed', before: { id: 'b', variant: 'x' } },
      { path: 'rules', kind: 'moved', before: ['a', 'c'], after: ['c', 'a'] },
    ]);
    expect(differences(rules('a'), { rules: [{ id: 'a', variant: 'y' }] })).toEqual([
      { path: 'rules.a.variant', kind: 'changed', before: 'x', after: 'y' },
    ]);
  });

  it('lists additions and removals of plain lists, at most 100 of each', () => {
    const before = Array.from({ length: 1_000 }, (_, i) => `u${i}`);
    const [difference] = differences({ included: before }, { included: ['u0', 'new'] });
    expect(difference).toMatchObject({
      path: 'included',
      kind: 'members',
      removed_count: 999,
      added_count: 1,
      after: ['new'],
    });
    expect(difference?.before).toHaveLength(100);
    expect(differences(['a', 'b'], ['b', 'a'])).toEqual([]);
  });

  it('ignores the order of fields, which the store does not keep', () => {
    const clause = { op: 'in', values: ['a'], attribute: 'x' };
    const stored = { attribute: 'x', op: 'in', values: ['a'] };
    expect(differences({ rules: [{ clauses: [clause] }] }, { rules: [{ clauses: [stored] }] })).toEqual([]);
  });

  it('finds no difference between equal states, and one between different states', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(differences(a, structuredClone(a))).toEqual([]);
        const plain = (value: unknown) => JSON.stringify(value);
        if (typeof a !== 'object' && plain(a) !== plain(b)) expect(differences(a, b)).not.toEqual([]);
      }),
    );
  });
});
