import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FlagDocument, SegmentDocument } from '../document.ts';
import { expectNotes } from '../testing/notes.ts';
import { evaluator } from '../testing/serve.ts';
import { convertUnleash } from './unleash.ts';

const converted = convertUnleash(JSON.parse(readFileSync(new URL('samples/unleash.json', import.meta.url), 'utf8')));
const ask = evaluator(converted, 'production');

describe('import from Unleash', () => {
  it('gives documents that are allowed here', () => {
    for (const flag of converted.flags) expect(FlagDocument.parse(flag)).toEqual(flag);
    for (const segment of converted.segments) expect(SegmentDocument.parse(segment)).toEqual(segment);
    expect(converted.flags[0]).toMatchObject({ key: 'checkout.v2', tags: ['checkout', 'team.basket'] });
    expect(converted.flags[0]?.prerequisites).toEqual([{ flag: 'everyone', variants: ['true'] }]);
    expect(converted.flags.map(({ temporary }) => temporary)).toEqual([true, true, false, true]);
    expect(ask('old-checkout', {})).toMatchObject({ value: false, reason: 'OFF' });
  });

  it.each([
    ['a listed user', { targetingKey: 'boris' }, true],
    ['somebody else', { targetingKey: 'carl' }, false],
    ['a tester', { targetingKey: 'x', email: 'X@SHOP.EXAMPLE', age: 18, beta: 'yes' }, true],
    [
      'a tester whose age nobody knows, since the opposite of what does not match matches',
      { targetingKey: 'x', email: 'x@shop.example', beta: 'yes' },
      true,
    ],
    ['a tester who is too young', { targetingKey: 'x', email: 'x@shop.example', age: 17, beta: 'yes' }, false],
    ['a tester out of the segment', { targetingKey: 'x', email: 'x@shop.example', age: 20 }, false],
    ['a listed user within the percentage of another strategy', { targetingKey: 'anna', country: 'DE' }, true],
  ])('%s is served as before', (_, context, value) => {
    expect(ask('checkout.v2', context)).toMatchObject({ value });
  });

  it('keeps percentages and the weights of variants', () => {
    const units = Array.from({ length: 2_000 }, (_, i) => `u${i}`);
    const half = units.filter((targetingKey) => ask('checkout.v2', { targetingKey, country: 'DE' }).value === true);
    expect(half.length / units.length).toBeCloseTo(0.5, 1);
    const red = units.filter((companyId) => ask('banner-colour', { companyId }).variant === 'red');
    expect(red.length / units.length).toBeCloseTo(0.25, 1);
    expect(ask('banner-colour', { companyId: red[0] }).value).toEqual({ hex: '#f00' });
  });

  it('is on for everybody where there are no strategies', () => {
    expect(ask('everyone', {}).value).toBe(true);
  });

  it('tells what has no equal', () => {
    expectNotes(converted.notes, [
      'lost flag old: it is archived',
      'lost flag checkout.v2: impression data',
      'lost flag old checkout: its parent checkout.v2 has to be off',
      'changed flag old checkout: its key is old-checkout here',
      'lost flag checkout.v2, production: strategies that are disabled',
      'lost flag checkout.v2, production, strategy 4 (ourOwnStrategy): ourOwnStrategy is a strategy of your own',
      'lost flag checkout.v2, production, strategy Unknown segment: the segment 8',
      'lost segment Only a name: its constraints are not in the file',
      'changed flag banner colour: its key is banner-colour',
      'changed flag banner colour: it has variants',
      'changed flag banner colour, production, strategy 1 (flexibleRollout): units are divided anew',
      'changed flag checkout.v2, production, strategy Half of Germany: country is compared with texts',
      'changed flag checkout.v2, production, strategy Half of Germany: it divides by user, else by session',
      'changed flag checkout.v2, production, strategy Half of Germany: units are divided anew',
      'changed flag checkout.v2, production, strategy Testers: age is compared as a number',
      'changed segment Beta users: beta is compared with texts',
    ]);
  });

  it('reads what its SDKs download', () => {
    const { flags, notes } = convertUnleash({
      version: 2,
      features: [
        {
          name: 'f',
          enabled: true,
          strategies: [
            { name: 'default', constraints: [{ contextName: 'v', operator: 'SEMVER_GTE', value: '2.0.0' }] },
          ],
        },
        { name: 'off', enabled: false, strategies: [{ name: 'default' }] },
      ],
    });
    const here = evaluator({ flags, segments: [] }, 'default');
    expect(['1.9.9', '2.0.0', '2.1.0'].map((v) => here('f', { v }).value)).toEqual([false, true, true]);
    expect(here('off', {})).toMatchObject({ value: false, reason: 'OFF' });
    expect(notes).toEqual([]);
  });
});
