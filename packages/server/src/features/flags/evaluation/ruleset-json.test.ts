import type { Ruleset, Segment } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { rulesetJson, rulesetPieces, surelyLonger } from './ruleset-json.ts';

const segment = (key: string, keys: number): Segment => ({
  key,
  version: 2,
  included: Array.from({ length: keys }, (_, i) => `"ü"-${i}`),
  excluded: Array.from({ length: keys / 2 }, (_, i) => `x-${i}`),
  rules: [{ clauses: [{ attribute: 'a', op: 'exists', values: [] }] }],
});

const ruleset = (...segments: readonly Segment[]): Ruleset => ({
  version: 7,
  environment: 'production',
  project: 'shop',
  flags: {},
  segments: Object.fromEntries(segments.map((each) => [each.key, each])),
});

describe('the text of a ruleset', () => {
  it.each([
    ['none', ruleset()],
    ['small segments', ruleset(segment('a', 2), segment('b', 0))],
    ['segments larger than a piece', ruleset(segment('a', 45_000), segment('b', 40_000), segment('c', 4))],
  ])('is the same in pieces: %s', (_, each) => {
    expect(JSON.parse([...rulesetPieces(each)].join(''))).toEqual(each);
    expect(JSON.parse(rulesetJson(each))).toEqual(each);
  });

  it('is reported as long only if it is', () => {
    const each = ruleset(segment('a', 1_000));
    expect(surelyLonger(each, 5_999)).toBe(true);
    expect(surelyLonger(each, 6_000)).toBe(false);
    expect(rulesetJson(each).length).toBeGreaterThan(6_000);
    expect(surelyLonger({ segments: { a: null } }, 0)).toBe(false);
  });
});
