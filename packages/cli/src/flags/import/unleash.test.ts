import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FlagDocument, SegmentDocument } from '../document.ts';
import { expectNotes } from '../testing/notes.ts';
import { evaluator } from '../testing/serve.ts';
import { convertUnleash } from './unleash.ts';

const converted = convertUnleash(JSON.parse(readFileSync(new URL('samples/unleash.json', import.meta.url), 'utf8')));
const ask = evaluator(converted, 'production');

describe('import from Unleash', () => {
  it('produces valid documents', () => {
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
    ['a tester whose age is a text', { targetingKey: 'x', email: 'x@shop.example', age: '18', beta: 'yes' }, true],
    [
      'a tester of unknown age, since the opposite of what does not match matches',
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

  it('is on for everybody when there are no strategies', () => {
    expect(ask('everyone', {}).value).toBe(true);
  });

  it('reports what has no equivalent', () => {
    expectNotes(converted.notes, [
      'lost flag old: it is archived',
      'lost flag checkout.v2: impression data',
      'lost flag old checkout: its parent checkout.v2 must be off',
      'changed flag old checkout: its key is old-checkout here',
      'lost flag checkout.v2, production: strategies that are disabled',
      'lost flag checkout.v2, production, strategy 4 (ourOwnStrategy): ourOwnStrategy is a custom strategy',
      'lost flag checkout.v2, production, strategy Unknown segment: the segment 8',
      'lost segment Only a name: its constraints are not in the file',
      'changed flag banner colour: its key is banner-colour',
      'changed flag banner colour: it has variants',
      'changed flag banner colour, production, strategy 1 (flexibleRollout): a context without companyId gets a random variant',
      'changed flag checkout.v2, production, strategy Half of Germany: a context without user and session',
    ]);
  });

  it('reports when Unleash chooses at random', () => {
    const notesOf = (feature: object) =>
      convertUnleash({ features: [{ name: 'f', enabled: true, ...feature }] }).notes.map(({ what }) => what);
    const strategy = (parameters: object, more: object = {}) => ({ name: 'flexibleRollout', parameters, ...more });
    const variants = (stickiness: string) => [
      { name: 'a', weight: 500, stickiness },
      { name: 'b', weight: 500 },
    ];
    const atRandom = 'it divides at random for each evaluation: here a unit keeps its variant';
    expect(notesOf({ strategies: [strategy({ rollout: '50', groupId: 'f', stickiness: 'random' })] })).toEqual([
      atRandom,
    ]);
    expect(notesOf({ strategies: [strategy({ rollout: '100' })], variants: variants('random') })).toContain(atRandom);
    expect(notesOf({ strategies: [strategy({ rollout: '100' })], variants: variants('org') })).toContain(
      'a context without org gets a random variant in Unleash, and the first one here',
    );
    expect(notesOf({ strategies: [strategy({ rollout: '50', groupId: 'f' })] })).toEqual([
      'a context without user and session is included at random in Unleash, and excluded here',
    ]);
    expect(notesOf({ strategies: [strategy({ rollout: '50', groupId: 'f', stickiness: 'userId' })] })).toEqual([]);
  });

  it('excludes a context that lacks the attribute a strategy divides by, even at 100 %', () => {
    const strategies = [{ name: 'flexibleRollout', parameters: { rollout: '100', groupId: 'f', stickiness: 'org' } }];
    const serves = evaluator(convertUnleash({ features: [{ name: 'f', enabled: true, strategies }] }), 'default');
    expect(serves('f', { targetingKey: 'u', org: 'acme' })).toMatchObject({ value: true });
    expect(serves('f', { targetingKey: 'u' })).toMatchObject({ value: false, reason: 'FALLTHROUGH' });
  });

  it('leaves a flag off whose parent has a parent, as Unleash does', () => {
    const feature = (name: string, ...parents: string[]) => ({
      name,
      enabled: true,
      strategies: [{ name: 'default' }],
      dependencies: parents.map((feature) => ({ feature })),
    });
    const converted = convertUnleash({ features: [feature('a'), feature('b', 'a'), feature('c', 'b')] });
    const ask = evaluator(converted, 'default');
    expect(['a', 'b', 'c'].map((flag) => ask(flag, {}).value)).toEqual([true, true, false]);
    expectNotes(converted.notes, ['lost flag c: its parent b has a parent itself']);
  });

  it('compares currentTime with the time of the evaluation', () => {
    const constraints = [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-11-01T00:00:00.000Z' }];
    const features = [{ name: 'f', enabled: true, strategies: [{ name: 'default', constraints }] }];
    const converted = convertUnleash({ features });
    const ask = evaluator(converted, 'default');
    expect(ask('f', {}).value).toBe(Date.now() > Date.parse('2026-11-01'));
    expect(ask('f', { now: '2026-10-31T23:59:59Z' }).value).toBe(false);
    expectNotes(converted.notes, ['changed flag f, default, strategy 1 (default): currentTime is the time']);
  });

  it('reads the SDK payload', () => {
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
