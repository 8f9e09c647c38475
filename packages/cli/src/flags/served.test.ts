import { expect, it } from 'vitest';
import { fallthroughOf } from './served.ts';

const choices = { variants: ['true', 'false'], offVariant: 'false', fallthrough: { variant: 'false' } };
const half = [
  { variant: 'true', weight: 50_000 },
  { variant: 'false', weight: 50_000 },
];

it('serves one variant to everybody', () => {
  expect(fallthroughOf({ variant: 'true', percent: 100, rest: undefined }, choices)).toEqual({ variant: 'true' });
});

it('gives the off variant to the rest, and keeps how units are divided', () => {
  const rollout = { bucket_by: 'company', seed: 'x', weights: half };
  expect(
    fallthroughOf({ variant: 'true', percent: 12.5, rest: undefined }, { ...choices, fallthrough: { rollout } }),
  ).toEqual({
    rollout: {
      bucket_by: 'company',
      seed: 'x',
      weights: [
        { variant: 'true', weight: 12_500 },
        { variant: 'false', weight: 87_500 },
      ],
    },
  });
});

it.each([
  [{ variant: 'false', percent: 10, rest: undefined }, choices, 'true'],
  [{ variant: 'a', percent: 10, rest: 'c' }, { ...choices, variants: ['a', 'b', 'c'], offVariant: null }, 'c'],
])('gives %j the rest', (served, given, rest) => {
  expect(fallthroughOf(served, given)).toMatchObject({ rollout: { weights: [{}, { variant: rest, weight: 90_000 }] } });
});

it.each([
  [{ variant: 'maybe', percent: 100, rest: undefined }, choices, /no variant maybe; it has true, false/],
  [
    { variant: 'a', percent: 10, rest: undefined },
    { ...choices, variants: ['a', 'b', 'c'], offVariant: null },
    /--rest b or c/,
  ],
  [{ variant: 'true', percent: 10, rest: 'true' }, choices, /--rest false/],
])('rejects %j', (served, given, problem) => {
  expect(fallthroughOf(served, given)).toMatch(problem);
});
