import { describe, expect, it } from 'vitest';
import { createComparison, type OwnAnswer } from './differences.ts';
import type { Product } from './vendors.ts';

const answer = (value: unknown, variant?: string): OwnAnswer => ({
  value,
  variant,
  reason: undefined,
  error: undefined,
});

function differingFlags(product: Product, theirs: unknown, own: OwnAnswer): string[] {
  const comparison = createComparison(product);
  comparison.add({ context: {}, answers: new Map([['basket', theirs]]) }, new Map([['basket', own]]));
  return comparison.differences.map(({ flag }) => flag);
}

describe('createComparison', () => {
  it.each<[string, Product, unknown, OwnAnswer]>([
    ['equal values', 'launchdarkly', { a: 1, b: 2 }, answer({ b: 2, a: 1 }, 'first')],
    ['no value on both sides', 'growthbook', null, answer(undefined)],
    ["an Unleash variant and the key of Fanion's variant", 'unleash', 'blue', answer('#00f', 'blue')],
    ['an Unleash feature with string variants that is off', 'unleash', false, answer('disabled', 'disabled')],
    ['an Unleash feature with JSON variants that is off', 'unleash', false, answer(null, 'disabled')],
    ['an Unleash feature without variants that is off', 'unleash', false, answer(false, 'false')],
  ])('finds no difference for %s', (_, product, theirs, own) => {
    expect(differingFlags(product, theirs, own)).toEqual([]);
  });

  it.each<[string, Product, unknown, OwnAnswer]>([
    ['a LaunchDarkly value that is only the key of our variant', 'launchdarkly', 'blue', answer('#00f', 'blue')],
    ['a GrowthBook value that is only the key of our variant', 'growthbook', 'blue', answer('#00f', 'blue')],
    ['a flagd value that is only the key of our variant', 'flagd', 'blue', answer('#00f', 'blue')],
    ['a flagd flag that is false where ours is disabled', 'flagd', false, answer('disabled', 'disabled')],
    ['another Unleash variant', 'unleash', 'blue', answer('#f00', 'red')],
    ['an Unleash feature that is on where ours is off', 'unleash', 'blue', answer('disabled', 'disabled')],
    ['an Unleash feature that is off where ours is on', 'unleash', false, answer('#00f', 'blue')],
    ['an Unleash feature without an answer', 'unleash', undefined, answer(true)],
    ['an error of Fanion', 'unleash', 'blue', { ...answer(undefined, 'blue'), error: 'malformed' }],
  ])('reports %s', (_, product, theirs, own) => {
    expect(differingFlags(product, theirs, own)).toEqual(['basket']);
  });

  it('reports a flag that Fanion does not have as missing', () => {
    const comparison = createComparison('flagd');
    comparison.add({ context: {}, answers: new Map([['gone', true]]) }, new Map());
    expect(comparison.differences).toMatchObject([{ flag: 'gone', kind: 'missing', differing: 1, compared: 1 }]);
  });
});
