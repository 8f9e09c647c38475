import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeySet, keySet, ManyKeys, prepareKeySet } from './key-set.ts';

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

  it('are built in short steps before they are needed', () => {
    const list = [...many];
    let steps = 0;
    for (const _ of prepareKeySet(list)) steps++;
    expect(steps).toBeGreaterThanOrEqual(list.length / 2_000);
    const set = keySet(list);
    expectSame(set, list);
    expect(keySet(list)).toBe(set);
    const longer = [...many, 'a'];
    for (const _ of prepareKeySet(longer, set)) steps++;
    expect(keySet(longer)).toHaveProperty('base', Reflect.get(set, 'base'));
  });
});

describe('a set of many keys', () => {
  it.each([10, 60_000, 1_000_000])('equals a plain set when %d are expected', (most) => {
    const text = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom(...many.slice(0, 50)));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), text)), (edits) => {
        const [keys, plain] = [new ManyKeys(most), new Set<string>()];
        for (const [isIn, key] of edits)
          if (isIn) {
            keys.add(key);
            plain.add(key);
          } else {
            keys.delete(key);
            plain.delete(key);
          }
        expect([...keys].sort()).toEqual([...plain].sort());
        expect(keys.size).toBe(plain.size);
        for (const [, key] of edits) expect(keys.has(key)).toBe(plain.has(key));
      }),
      { numRuns: 50 },
    );
  });

  it('spreads keys of usual forms evenly', () => {
    const forms: ((i: number) => string)[] = [
      (i) => `user-${i}`,
      (i) => String(i),
      (i) => `${i}@example.com`,
      (i) => `${(i * 2_654_435_761).toString(16).padStart(12, '0')}-0000`,
    ];
    for (const form of forms) {
      const keys = new ManyKeys(1_000_000);
      for (let i = 0; i < 100_000; i++) keys.add(form(i));
      const sizes = (Reflect.get(keys, 'sets') as Set<string>[]).map(({ size }) => size);
      expect(Math.max(...sizes), form(7)).toBeLessThan((2.5 * 100_000) / sizes.length);
    }
  });
});
