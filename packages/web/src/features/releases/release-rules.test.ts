import { describe, expect, it } from 'vitest';
import type { Draft, Serve } from '../flags/draft.ts';
import { releasedVariant, servedNowText, shareOf, stopText, withShare } from './release-rules.ts';

const flag = { variants: [{ key: 'true' }, { key: 'false' }], off_variant: 'false' };
const three = { variants: [{ key: 'a' }, { key: 'b' }, { key: 'c' }], off_variant: 'a' };
const one = (variant: string | null): Serve => ({ kind: 'variant', variant });
const split = (weights: Readonly<Record<string, number>>): Extract<Serve, { kind: 'split' }> => ({
  kind: 'split',
  weights: Object.entries(weights).map(([variant, weight]) => ({ variant, weight })),
  bucketBy: 'company',
  seed: 's',
});
const draft = (fallthrough: Serve, enabled = true): Draft => ({
  enabled,
  offVariant: 'false',
  fallthrough,
  targets: [],
  rules: [],
});

describe('withShare', () => {
  it.each<[string, Serve, Readonly<Record<string, number>>]>([
    ['splits what one other variant had', one('false'), { true: 10_000, false: 90_000 }],
    ['gives the rest to the off variant where everybody had the variant', one('true'), { true: 10_000, false: 90_000 }],
    ['gives the rest to the off variant where nothing was served', one(null), { true: 10_000, false: 90_000 }],
    ['changes a split', split({ true: 50_000, false: 50_000 }), { true: 10_000, false: 90_000 }],
  ])('%s', (_, serve, weights) => {
    const after = withShare(flag, draft(serve), 'true', 10_000);
    expect(after?.fallthrough).toMatchObject({
      kind: 'split',
      weights: Object.entries(weights).map(([variant, weight]) => ({ variant, weight })),
    });
  });

  it('keeps the proportions of the others, the attribute and the seed', () => {
    const after = withShare(three, draft(split({ a: 60_000, b: 10_000, c: 30_000 })), 'b', 25_000);
    expect(after?.fallthrough).toEqual({
      ...split({ b: 25_000, a: 50_000, c: 25_000 }),
    });
  });

  it('always adds up to everybody', () => {
    for (const weight of [1, 333, 1_000, 33_333, 99_999]) {
      const after = withShare(three, draft(split({ a: 33_334, b: 33_333, c: 33_333 })), 'b', weight);
      const weights = after?.fallthrough.kind === 'split' ? after.fallthrough.weights : [];
      expect(weights.reduce((sum, { weight: part }) => sum + part, 0)).toBe(100_000);
    }
  });

  it('turns a flag that is off on, and off at zero without another change', () => {
    expect(withShare(flag, draft(one('false'), false), 'true', 1_000)?.enabled).toBe(true);
    expect(withShare(flag, draft(one('true')), 'true', 0)).toEqual(draft(one('true'), false));
    expect(withShare(flag, draft(split({ true: 1, false: 99_999 })), 'true', 100_000)).toEqual(draft(one('true')));
  });

  it('has no share for a flag with one variant', () => {
    const only = { variants: [{ key: 'on' }], off_variant: null };
    expect(withShare(only, draft(one('on')), 'on', 10_000)).toBeUndefined();
    expect(withShare(only, draft(one(null)), 'on', 100_000)).toEqual(draft(one('on')));
  });
});

it('releases the variant that part of the units have, else the first that is not the off variant', () => {
  expect(releasedVariant(flag, one('false'))).toBe('true');
  expect(releasedVariant(three, one('a'))).toBe('b');
  expect(releasedVariant(three, split({ a: 90_000, c: 10_000 }))).toBe('c');
  expect(releasedVariant({ variants: [{ key: 'x' }], off_variant: 'x' }, one('x'))).toBe('x');
});

it('describes stops, shares and what is served', () => {
  expect([0, 1_000, 12_500, 100_000].map(stopText)).toEqual(['off', '1%', '12.5%', 'all']);
  expect(shareOf(split({ true: 1_000, false: 99_000 }), 'true')).toBe(1_000);
  expect(servedNowText(draft(one('true'), false))).toBe('Off: everybody gets false.');
  expect(servedNowText(draft(one('true')))).toBe('Everybody gets true.');
});
