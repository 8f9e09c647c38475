import { describe, expect, it } from 'vitest';
import { byFlag, nameOf, stateText } from './error-words.ts';

it.each([
  [{ type: 'TypeError', message: 'x' }, 'TypeError'],
  [{ type: '', message: 'x' }, 'x'],
  [{ type: '', message: '' }, 'Error without a type'],
])('names %j %s', (error, name) => expect(nameOf(error)).toBe(name));

describe('the state of an error reads', () => {
  const since = { service: 'cart', version: '2', at: '2026-01-10T12:00:00.000Z' };
  it.each([
    [{ state: 'open', is_regression: false, new_since: null }, 'Open'],
    [{ state: 'open', is_regression: false, new_since: since }, 'New'],
    [{ state: 'open', is_regression: true, new_since: since }, 'Regression'],
    [{ state: 'resolved', is_regression: false, new_since: since }, 'Resolved'],
    [{ state: 'ignored', is_regression: false, new_since: null }, 'Ignored'],
  ] as const)('%j %s', (error, label) => expect(stateText(error).label).toBe(label));
});

describe('the variants of flags', () => {
  const of = (flag: string, variant: string, traces: number, failing: number) => ({ flag, variant, traces, failing });
  it.each([
    [
      'one variant has all of it',
      [of('f', 'on', 100, 10), of('f', 'off', 100, 0)],
      'Only traces with on have it: 10% of 100',
    ],
    ['one variant has it more often', [of('f', 'on', 100, 40), of('f', 'off', 100, 10)], '4.0 times as often with on'],
    ['both have it alike', [of('f', 'on', 100, 5), of('f', 'off', 100, 4)], undefined],
    ['it may be by chance', [of('f', 'on', 381, 4), of('f', 'off', 180, 0)], undefined],
    ['most traces saw the variant that has it', [of('f', 'on', 1_000, 20), of('f', 'off', 10, 0)], undefined],
    [
      'it happens very often',
      [of('f', 'on', 50_000, 9_000), of('f', 'off', 50_000, 3_000)],
      '3.0 times as often with on',
    ],
    ['only one was seen', [of('f', 'on', 100, 10)], undefined],
  ] as const)('name what stands out if %s', (_, variants, finding) =>
    expect(byFlag(variants)[0]?.finding).toBe(finding),
  );

  it('list the flag with the largest difference first', () => {
    const all = [
      of('same', 'a', 100, 10),
      of('same', 'b', 100, 10),
      of('differs', 'a', 100, 1),
      of('differs', 'b', 100, 20),
    ];
    expect(byFlag(all).map(({ flag, variants }) => [flag, variants.map(({ variant }) => variant)])).toEqual([
      ['differs', ['b', 'a']],
      ['same', ['a', 'b']],
    ]);
  });
});
