import { describe, expect, it } from 'vitest';
import { effectSentence, readEffects } from './effect.ts';

const of = (variant: string, evaluations: number, errors: number | null = null, p95: number | null = null) => ({
  variant,
  evaluations,
  errors,
  p95,
});

it('leaves out failed evaluations, and does not read a missing number as zero', () => {
  const rows = [
    { variant: 'true', n: 3, errors: 0.5, p95: 7 },
    { variant: null, n: 2, errors: null, p95: null },
    { variant: 'false', n: 1, errors: 'NaN', p95: null },
  ];
  expect(readEffects(rows)).toEqual([of('true', 3, 0.5, 7), of('false', 1)]);
});

describe('the sentence above the charts', () => {
  it.each([
    ['nothing', [], 'No evaluations in the last 24 hours.'],
    [
      'both variants',
      [of('true', 400, 0.02, 800e6), of('false', 1_200, 0.004, 600e6)],
      'In the last 24 hours, 400 evaluations served true and 1,200 served false: 2% of requests with true failed, 0.4% with false; p95 was 800 ms and 600 ms.',
    ],
    [
      'one variant',
      [of('true', 400, 0.02, 800e6)],
      'In the last 24 hours, 400 evaluations served true: 2% of requests failed, p95 800 ms.',
    ],
    ['one variant without requests', [of('false', 400)], 'In the last 24 hours, 400 evaluations served false.'],
    [
      'evaluations without traces',
      [of('true', 1), of('false', 2)],
      'In the last 24 hours, 1 evaluations served true and 2 served false; none of their requests is known, since no evaluation carried its trace.',
    ],
  ] as const)('names %s', (_, effects, sentence) => expect(effectSentence(effects, 'false')).toBe(sentence));

  it('compares the most frequent variants of a flag without an off variant', () => {
    expect(effectSentence([of('a', 1), of('b', 5), of('c', 9)], null)).toMatch(/9 evaluations served c and 5 served b/);
  });
});
