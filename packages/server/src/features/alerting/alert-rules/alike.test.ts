import { describe, expect, it } from 'vitest';
import { createAlike, partWith } from './alike.ts';
import { alertVariant } from './shared-answers.ts';

describe('rules of one shape', () => {
  const variant = (service: string) => {
    const made = alertVariant(`spans | where service.name == "${service}" | stats value=count()`);
    if (made === undefined) throw new Error('the query has no literal that may differ');
    return made;
  };

  it('are asked together, a thousand at most, each in one group', () => {
    const alike = createAlike();
    const all = Array.from({ length: 2_200 }, (_, n) => variant(`s${n}`));
    for (const [n, one] of all.entries()) alike.add('shape', `rule ${n}`, one);
    const groups = new Set(all.map((one) => alike.togetherWith('shape', one)));
    expect([...groups].map((group) => group.length)).toEqual([1_000, 1_000, 200]);
    for (const one of all) expect(alike.togetherWith('shape', one)).toContain(one);
    const [group = []] = groups;
    const parts = new Set(group.map((one) => partWith(group, one)));
    expect([...parts].map((part) => part.length)).toEqual(Array.from({ length: 10 }, () => 100));
    for (const one of group) expect(partWith(group, one)).toContain(one);
    const last = variant('s0');
    expect(partWith([last, variant('s1')], last)).toEqual([last]);
  });

  it('count once where they ask the same, and no longer when they are removed', () => {
    const alike = createAlike();
    for (const [id, service] of [
      ['1', 'a'],
      ['2', 'a'],
      ['3', 'b'],
    ] as const)
      alike.add('shape', id, variant(service));
    expect(alike.togetherWith('shape', variant('a'))).toHaveLength(2);
    alike.remove('shape', '1');
    expect(alike.togetherWith('shape', variant('b'))).toHaveLength(2);
    alike.remove('shape', '2');
    expect(alike.togetherWith('shape', variant('b'))).toHaveLength(1);
    expect(alike.togetherWith('another shape', variant('b'))).toHaveLength(1);
  });
});
