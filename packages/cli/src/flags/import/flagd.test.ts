import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FlagDocument } from '../document.ts';
import { expectNotes } from '../testing/notes.ts';
import { evaluator } from '../testing/serve.ts';
import { convertFlagd } from './flagd.ts';

const converted = convertFlagd(JSON.parse(readFileSync(new URL('samples/flagd.json', import.meta.url), 'utf8')));
const ask = evaluator(converted, 'default');

describe('import from flagd', () => {
  it('produces valid documents', () => {
    for (const flag of converted.flags) expect(FlagDocument.parse(flag)).toEqual(flag);
    expect(converted.flags.map(({ key }) => key)).toEqual(['fib-algo', 'split', 'disabled', 'strange', 'mixed']);
  });

  it.each([
    ['a shared evaluator', { email: 'x@shop.example', age: 30 }, 'memo'],
    ['an if within an if', { age: 30, country: 'US', plan: { name: 'pro' } }, 'loop'],
    [
      'an if within an if that has no else: the default, and not what comes after',
      { age: 30, country: 'US', version: '3.0.0' },
      'recursive',
    ],
    ['a missing attribute in a negation', { age: 18, plan: { name: 'pro' } }, 'loop'],
    ['the second way of an or', { age: 30, country: 'DE', agent: 'curl/8' }, 'memo'],
    ['a version', { version: '2.1.0' }, 'memo'],
    ['an older version', { version: '2.0.9' }, 'recursive'],
    ['nothing at all', {}, 'recursive'],
  ])('%s serves as before', (_, context, variant) => {
    expect(ask('fib-algo', context)).toMatchObject({ variant });
  });

  it('keeps the parts of a division and the attribute it divides by', () => {
    const companies = Array.from({ length: 2_000 }, (_, i) => `c${i}`);
    const on = companies.filter((company) => ask('split', { company }).value === true);
    expect(on.length / companies.length).toBeCloseTo(0.2, 1);
  });

  it('serves the code default when the flag is disabled', () => {
    expect(ask('disabled', {})).toMatchObject({ value: null, variant: null, reason: 'OFF' });
    expect(ask('disabled', {}).error).toBeUndefined();
  });

  it.each([
    ['is missing', {}],
    ['is null', { defaultVariant: null }],
  ])('serves the code default when the default variant %s and no rule matches', (_, given) => {
    const targeting = { if: [{ '==': [{ var: 'plan' }, 'pro'] }, 'on', null] };
    const variants = { on: true, off: false };
    const flags = {
      plain: { state: 'ENABLED', variants, ...given },
      targeted: { state: 'ENABLED', variants, targeting, ...given },
    };
    const serves = evaluator(convertFlagd({ flags }), 'default');
    expect(serves('plain', {})).toMatchObject({ variant: null, reason: 'FALLTHROUGH' });
    expect(serves('targeted', { plan: 'free' })).toMatchObject({ variant: null, reason: 'FALLTHROUGH' });
    expect(serves('targeted', { plan: 'pro' })).toMatchObject({ value: true, reason: 'RULE_MATCH' });
  });

  it('reports a default variant that does not exist', () => {
    const flag = { state: 'ENABLED', variants: { on: true }, defaultVariant: 'gone' };
    const { flags, notes, segments } = convertFlagd({ flags: { flag } });
    expectNotes(notes, ['lost flag flag: its default variant "gone" does not exist']);
    expect(evaluator({ flags, segments }, 'default')('flag', {})).toMatchObject({ variant: null });
  });

  it.each([
    ['a negated attribute', { '!': { var: 'a' } }, [{ a: false }, { a: 0 }, {}], [{ a: true }, { a: 'x' }]],
    ['a missing number is 0', { '<': [{ var: 'a' }, 18] }, [{}, { a: 17 }], [{ a: 18 }]],
    [
      'an invalid version is not at or above a version',
      { sem_ver: [{ var: 'a' }, '>=', '1.2.0'] },
      [{ a: '1.2.0' }, { a: '1.3.0-rc.1' }],
      [{ a: 'none' }, { a: '1.1.9' }, {}],
    ],
    [
      'an invalid version is not different from a version',
      { sem_ver: [{ var: 'a' }, '!=', '1.2.0'] },
      [{ a: '1.2.1' }],
      [{ a: 'none' }, { a: '1.2.0' }],
    ],
  ])('%s', (_, condition, on, off) => {
    const flag = {
      state: 'ENABLED',
      variants: { yes: true, no: false },
      defaultVariant: 'no',
      targeting: { if: [condition, 'yes', 'no'] },
    };
    const serves = evaluator(convertFlagd({ flags: { flag } }), 'default');
    for (const context of on) expect(serves('flag', context).value, JSON.stringify(context)).toBe(true);
    for (const context of off) expect(serves('flag', context).value, JSON.stringify(context)).toBe(false);
  });

  it.each([
    ['a computed weight', ['a', { '-': [100, { var: 'share' }] }], 'the weight of a is computed'],
    ['a fractional weight', ['a', 2.5], 'the weight of a is not a whole number'],
    ['a weight that is a text', ['a', '50'], 'the weight of a is not a whole number'],
    ['a variant that does not exist', ['x', 50], 'its targeting gives "x", which is not a variant'],
    ['a variant that is computed', [{ var: 'tier' }, 50], 'a variant of its division is computed'],
  ])('reports %s of a division and never treats it as weight 1', (_, part, what) => {
    const targeting = { fractional: [{ var: 'email' }, part, ['b', 50]] };
    const flag = { state: 'ENABLED', variants: { a: 1, b: 2 }, defaultVariant: 'b', targeting };
    const { flags, notes } = convertFlagd({ flags: { flag } });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ level: 'lost', where: 'flag flag' });
    expect(notes[0]?.what).toContain(what);
    expect(flags[0]?.environments.default).toMatchObject({ rules: [], fallthrough: { variant: 'b' } });
  });

  it('serves the default variant, not the following rules, to a context that cannot be placed', () => {
    const half = { fractional: [{ var: 'company' }, ['a', 50], ['b', 50]] };
    const targeting = { if: [{ '==': [{ var: 'country' }, 'DE'] }, half, 'c'] };
    const variants = { a: 1, b: 2, c: 3, d: 4 };
    const flag = { state: 'ENABLED', variants, defaultVariant: 'd', targeting };
    const serves = evaluator(convertFlagd({ flags: { flag } }), 'default');
    expect(serves('flag', { country: 'DE' })).toMatchObject({ variant: 'd' });
    expect(serves('flag', { country: 'FR' })).toMatchObject({ variant: 'c' });
  });

  it("imports metadata, the file's for every flag", () => {
    const variants = { on: true };
    const { flags, notes } = convertFlagd({
      metadata: { team: 'shop', version: '2', limits: { cpu: 1 } },
      flags: {
        own: { state: 'ENABLED', variants, defaultVariant: 'on', metadata: { team: 'basket', ticket: 12 } },
        none: { state: 'ENABLED', variants, defaultVariant: 'on' },
      },
    });
    expect(flags.map(({ metadata }) => metadata)).toEqual([{ team: 'basket', ticket: 12 }, { team: 'shop' }]);
    expectNotes(notes, [
      'lost flag own: its metadata version is not imported: "version" is a reserved name',
      'lost flag own: its metadata limits is not imported: it is not a scalar',
      'lost flag none: its metadata version',
      'lost flag none: its metadata limits',
    ]);
  });

  it('follows the time of the evaluation', () => {
    const second = 1_800_000_000;
    const at = (name: string) => ({ [name]: [{ var: '$flagd.timestamp' }, second] });
    const flags = Object.fromEntries(
      ['<', '<=', '>', '>='].map((name) => [
        `f${name}`,
        {
          state: 'ENABLED',
          variants: { on: true, off: false },
          defaultVariant: 'off',
          targeting: { if: [at(name), 'on'] },
        },
      ]),
    );
    const { flags: documents, segments } = convertFlagd({ flags });
    const serves = documents.map(
      ({ key }) =>
        (now: number) =>
          evaluator({ flags: documents, segments }, 'default')(key, { now }).value,
    );
    const times = [second * 1_000 - 1, second * 1_000, second * 1_000 + 999, (second + 1) * 1_000];
    expect(serves.map((serve) => times.map(serve))).toEqual([
      [true, false, false, false],
      [true, true, true, false],
      [false, false, false, true],
      [false, true, true, true],
    ]);
  });

  it('reports what has no equivalent', () => {
    expectNotes(converted.notes, [
      'changed flag mixed: its values are of several types',
      'lost flag strange: ">" compares something other than an attribute; its targeting is not imported',
      'changed all conditions: flagd compares as JavaScript does',
      'changed all divisions: units are divided as in flagd versions with whole buckets',
      'changed flag split: contexts without company all share one bucket',
    ]);
    expect(ask('strange', { age: 9 })).toMatchObject({ variant: 'a', reason: 'FALLTHROUGH' });
  });
});

describe('a division of flagd with conditions in it', () => {
  const isPro = { '==': [{ var: 'plan' }, 'pro'] };
  const units = Array.from({ length: 200 }, (_, i) => `user-${i}`);
  const valuesOf = (fractional: readonly unknown[], plan: string) => {
    const variants = { a: 'a', b: 'b', rest: 'rest' };
    const flag = { state: 'ENABLED', variants, defaultVariant: 'rest', targeting: { fractional } };
    const { flags, segments, notes } = convertFlagd({ flags: { f: flag } });
    const ask = evaluator({ flags, segments }, 'default');
    return { notes, values: units.map((targetingKey) => ask('f', { targetingKey, plan }).value) };
  };

  it.each([
    [
      'a variant',
      [
        [{ if: [isPro, 'a', 'b'] }, 50],
        ['rest', 50],
      ],
      [
        ['a', 50],
        ['rest', 50],
      ],
      [
        ['b', 50],
        ['rest', 50],
      ],
    ],
    [
      'a weight',
      [
        ['a', { if: [isPro, 90, 10] }],
        ['b', 50],
      ],
      [
        ['a', 90],
        ['b', 50],
      ],
      [
        ['a', 10],
        ['b', 50],
      ],
    ],
    [
      'both, one without an else part',
      [
        [{ if: [isPro, 'a'] }, { if: [isPro, 10, 60] }],
        ['b', 40],
      ],
      [
        ['a', 10],
        ['b', 40],
      ],
      [
        ['rest', 60],
        ['b', 40],
      ],
    ],
  ])('divides as without them: in %s', (_, given, ofPro, ofOthers) => {
    expect(valuesOf(given, 'pro').values).toEqual(valuesOf(ofPro, 'pro').values);
    expect(valuesOf(given, 'free').values).toEqual(valuesOf(ofOthers, 'free').values);
  });

  it.each([
    ['too many conditions', Array.from({ length: 7 }, () => [{ if: [isPro, 'a', 'b'] }, 1]), 'at most 6'],
    [
      'a variant that is an attribute',
      [
        [{ var: 'plan' }, 1],
        ['b', 1],
      ],
      'a variant of its division is computed',
    ],
  ])('is not imported with %s', (_, given, why) => {
    const { notes, values } = valuesOf(given, 'a');
    expect(new Set(values)).toEqual(new Set(['rest']));
    expect(notes).toContainEqual(expect.objectContaining({ level: 'lost', what: expect.stringContaining(why) }));
  });
});
