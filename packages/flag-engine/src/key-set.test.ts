import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeySet, keySet } from './key-set.ts';

const many = Array.from({ length: 20_000 }, (_, i) => `user-${i}`);

/** Compares all keys ever used, and one that was never used. */
function expectSame(set: KeySet, list: readonly string[]): void {
  const plain = new Set(list);
  expect(set.size).toBe(plain.size);
  for (const key of [...many, 'a', 'b', 'c', 'd', 'nobody']) if (set.has(key) !== plain.has(key)) expect(key).toBe('');
}

describe('key sets of long lists', () => {
  const edit = fc.record({
    at: fc.nat(25_000),
    remove: fc.nat(3),
    insert: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'user-7', 'user-19999'), { maxLength: 3 }),
  });

  it('match the list after any series of edits, duplicate keys included', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 6 }), (edits) => {
        let list = [...many];
        let set = keySet(list);
        for (const { at, remove, insert } of edits) {
          list = [...list];
          list.splice(at, remove, ...insert);
          set = keySet(list, set);
        }
        expectSame(set, list);
      }),
      { numRuns: 30 },
    );
  });

  it('accept a reversed list, a shorter list and a different list', () => {
    const first = keySet(many);
    for (const list of [[...many].reverse(), many.slice(0, 10), [], many.map((key) => `${key}x`), many.slice(5_000)])
      expectSame(keySet(list, first), list);
  });

  it('share the unchanged keys', () => {
    const first = keySet(many);
    const added = keySet([...many, 'a'], first);
    expect(added.has('a')).toBe(true);
    expect(first.has('a')).toBe(false);
    expect(added).toHaveProperty('base', Reflect.get(first, 'base'));
    const removed = keySet(many, added);
    expect(removed.has('a')).toBe(false);
    expect(removed).toHaveProperty('changes.size', 0);
  });
});
