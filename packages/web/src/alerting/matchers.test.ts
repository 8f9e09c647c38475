import { describe, expect, it } from 'vitest';
import { commonLabels, matchersOf, matcherText, namedMatchers, newMatcher } from './matchers.ts';

describe('matchers', () => {
  it('puts the name of the alert first', () => {
    expect(matchersOf({ 'a.b': '1', alertname: 'Fails', team: 'shop' }).map(matcherText)).toEqual([
      'alertname="Fails"',
      'a.b="1"',
      'team="shop"',
    ]);
  });

  it('leaves out rows without a name, and keeps empty values', () => {
    expect(namedMatchers([newMatcher(), newMatcher({ name: ' team ', op: '!=', value: '' })])).toEqual([
      { name: 'team', op: '!=', value: '' },
    ]);
  });

  it.each<{ sets: Record<string, string>[]; common: Record<string, string> }>([
    { sets: [], common: {} },
    { sets: [{ a: '1' }], common: { a: '1' } },
    {
      sets: [
        { a: '1', b: '2' },
        { a: '1', b: '3' },
      ],
      common: { a: '1' },
    },
    { sets: [{ a: '1' }, {}], common: {} },
  ])('finds the labels that $sets share', ({ sets, common }) => {
    expect(commonLabels(sets)).toEqual(common);
  });
});
