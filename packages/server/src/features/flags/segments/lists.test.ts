import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../../../platform/steps.ts';
import * as lists from './lists.ts';
import { chunkOf, chunksFor, touchedChunks } from './lists.ts';

const editKeys = (...edit: Parameters<typeof lists.editKeys>) => complete(lists.editKeys(...edit));
const spread = (...keys: Parameters<typeof lists.spread>) => complete(lists.spread(...keys));

const keys = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 60 });

describe('the keys of a segment', () => {
  it('are replaced, then removed, then added, each once and in order', () => {
    expect([
      ...editKeys('included', ['a', 'b'], { add: { included: ['c', 'a'] }, remove: { included: ['b'] } }).keys,
    ]).toEqual(['a', 'c']);
    const { keys, added, removed } = editKeys('included', ['a', 'b'], { included: ['b', 'd', 'd'] });
    expect([[...keys], added, removed]).toEqual([['b', 'd'], ['d'], ['a']]);
  });

  it('fit in one chunk when few, and are spread without loss when many', () => {
    expect([chunksFor(0), chunksFor(2_000), chunksFor(2_001)]).toEqual([1, 1, 64]);
    fc.assert(
      fc.property(keys, fc.constantFrom(1, 64), (list, chunks) => {
        const parts = spread('included', list, chunks);
        expect(parts.flatMap((part) => part.keys).sort()).toEqual([...list].sort());
        for (const part of parts) for (const key of part.keys) expect(chunkOf(key, chunks)).toBe(part.chunk);
      }),
    );
  });

  it('give the same result when edited by chunk or as a whole', () => {
    fc.assert(
      fc.property(keys, keys, keys, (before, add, remove) => {
        const patch = { add: { included: add }, remove: { included: remove } };
        const whole = editKeys('included', before, patch);
        const stored = new Map(spread('included', before, 64).map((part) => [part.chunk, part.keys]));
        const touched = touchedChunks(patch, 'included', 64);
        const part = editKeys(
          'included',
          touched.flatMap((chunk) => [...(stored.get(chunk) ?? [])]),
          patch,
        );
        for (const chunk of touched) stored.delete(chunk);
        for (const { chunk, keys } of spread('included', part.keys, 64)) stored.set(chunk, keys);
        expect([...stored.values()].flat().sort()).toEqual([...whole.keys].sort());
        expect([[...part.added].sort(), [...part.removed].sort()]).toEqual([
          [...whole.added].sort(),
          [...whole.removed].sort(),
        ]);
      }),
    );
  });
});
