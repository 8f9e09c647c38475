import { describe, expect, it } from 'vitest';
import { effectAt, PLACES, placeOf } from './effect-scale.ts';
import { bodyOf, type ExperimentDraft, emptyDraft, problemsOf, withFlag } from './experiment-draft.ts';
import { splitText } from './serve-diff.ts';

const flag = (...keys: string[]) => ({
  key: 'pay',
  off_variant: keys.at(-1) ?? null,
  variants: keys.map((key) => ({ key })),
});
const draft: ExperimentDraft = {
  ...withFlag(
    { ...emptyDraft, name: 'Pay faster', environment: 'production', goals: ['error_rate'] },
    flag('on', 'off'),
  ),
};

describe('drafts of experiments', () => {
  it('take the off variant of the flag as control, and divide evenly to exactly 100%', () => {
    const { control, variants } = withFlag(emptyDraft, flag('a', 'b', 'c'));
    expect(control).toBe('c');
    expect(variants).toEqual([
      { variant: 'c', weight: 33_334 },
      { variant: 'a', weight: 33_333 },
      { variant: 'b', weight: 33_333 },
    ]);
    expect(problemsOf(draft)).toEqual({});
  });

  it('leave out variants without a weight, and a layer that has no name', () => {
    const body = bodyOf({
      ...draft,
      variants: [...draft.variants, { variant: 'third', weight: 0 }],
      share: '12.5',
      start: '50',
      alpha: '1',
      minimal_effect: '2.5',
    });
    expect(body).toMatchObject({ key: 'pay-faster', layer: null, traffic: { share: 12_500, start: 0 } });
    expect(body.variants.map(({ variant }) => variant)).toEqual(['off', 'on']);
    expect(body.analysis).toMatchObject({ alpha: 0.01, minimal_effect: 0.025, prior: null });
  });

  it.each<[Partial<ExperimentDraft>, keyof ExperimentDraft]>([
    [{ name: ' ' }, 'name'],
    [{ environment: '' }, 'environment'],
    [{ variants: [{ variant: 'off', weight: 100_000 }] }, 'variants'],
    [{ variants: draft.variants.map((one) => ({ ...one, weight: 40_000 })) }, 'variants'],
    [{ control: 'third' }, 'control'],
    [{ share: '0' }, 'share'],
    [{ share: '60', layer: 'checkout', start: '50' }, 'start'],
    [{ alpha: '51' }, 'alpha'],
    [{ minimal_effect: '' }, 'minimal_effect'],
    [{ cuped: true, cuped_days: '61' }, 'cuped_days'],
    [{ goals: [] }, 'goals'],
    [{ secondary: ['error_rate'] }, 'secondary'],
  ])('%j cannot be saved because of its %s', (change, field) => {
    expect(Object.keys(problemsOf({ ...draft, ...change }))).toEqual([field]);
  });
});

it('says what an experiment serves', () => {
  const split = { ...bodyOf(draft), bucket_by: null, control: 'off', audience: [] };
  const traffic = { share: 100_000, start: 0 };
  expect(splitText({ ...split, traffic })).toBe('50% off, 50% on, measured');
  expect(splitText({ ...split, bucket_by: 'company', traffic: { ...traffic, share: 10_000 } })).toBe(
    '10% of the units take part: 50% off, 50% on by company, measured; the other 90% get off',
  );
  const audience = [{ attribute: 'country', op: 'in' as const, values: ['DE'], negate: false }];
  expect(splitText({ ...split, traffic, audience })).toMatch(/^if country .*DE: 50% off, 50% on, measured$/);
});

it('places effects on the slider and back', () => {
  expect([placeOf(0.005), placeOf(1), placeOf(9)]).toEqual([0, PLACES, PLACES]);
  for (const effect of [0.005, 0.01, 0.05, 0.1, 0.33, 1])
    expect(Math.abs(effectAt(placeOf(effect)) / effect - 1)).toBeLessThan(0.03);
});
