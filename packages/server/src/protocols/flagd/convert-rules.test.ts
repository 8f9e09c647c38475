import {
  type Clause,
  compileRuleset,
  evaluate,
  type Flag,
  type JsonValue,
  type Ruleset,
  type Segment,
} from '@fanion/flag-engine';
import { FlagdCore } from '@openfeature/flagd-core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../../platform/steps.ts';
import { flagdConfiguration, flagdReasons } from './convert-rules.ts';
import { sharedTests } from './shared-tests.ts';
import { contexts, rulesets } from './testing/rulesets.ts';

const silent = { error() {}, warn() {}, info() {}, debug() {} };
const evaluatorOf = (configuration: object) => {
  const core = new FlagdCore(undefined, silent);
  core.setConfigurations(JSON.stringify(configuration));
  return core;
};
const configurationOf = (given: Ruleset) => JSON.parse(complete(flagdConfiguration(given)));
const placeOf = (main: Flag): Ruleset => ({
  ...{ version: 1, environment: 'production', project: 'shop', segments: {} },
  flags: { main },
});

describe("flags in flagd's form", () => {
  it("have the engine's value for every context, by flagd's own evaluator", () => {
    let compared = 0;
    fc.assert(
      fc.property(rulesets, fc.array(contexts, { minLength: 5, maxLength: 20 }), (given, all) => {
        const compiled = compileRuleset(given, { clock: Date.now });
        const { flags, ...shared } = configurationOf(given);
        if (flags.main === undefined) return;
        const core = evaluatorOf({ ...shared, flags: { main: flags.main } });
        for (const context of all) {
          const ours = evaluate(compiled, 'main', context).value ?? 'default';
          const theirs = core.resolveStringEvaluation('main', 'default', context as never, silent);
          expect(theirs.value as JsonValue).toEqual(ours);
          compared++;
        }
      }),
      { numRuns: 1_500 },
    );
    expect(compared).toBeGreaterThan(5_000);
  }, 120_000);

  const plain: Flag = {
    ...{
      key: 'main',
      kind: 'string',
      version: 1,
      enabled: true,
      salt: 'salt',
      targets: [],
      rules: [],
      prerequisites: [],
    },
    variants: [{ key: 'one', value: '1' }],
    off_variant: null,
    fallthrough: { variant: 'one' },
  };
  const withRule = (op: Clause['op'], values: Clause['values'], more: object = {}): Partial<Flag> => ({
    rules: [{ id: 'r', salt: 's', clauses: [{ attribute: 'a', op, values, ...more }], variant: 'one' }],
  });

  const bucketed = (hash: 'flagd' | 'unleash' | undefined, more: object = {}): Partial<Flag> => ({
    fallthrough: { rollout: { weights: [{ variant: 'one', weight: 100_000 }], ...(hash && { hash }), ...more } },
  });
  const newVariants = 'the hash flagd would give units new variants';

  it.each<[string, Partial<Flag>]>([
    [
      'uses the operator matches, which flagd does not have: compare texts by starts_with, ends_with, contains or in',
      withRule('matches', ['a']),
    ],
    [
      'uses the operator cidr, which flagd does not have: compare texts by starts_with, ends_with, contains or in',
      withRule('cidr', ['10.0.0.0/8']),
    ],
    ['reads the size of a list: compare with an attribute that has the size', withRule('gt', [1], { as: 'size' })],
    [
      'reads an attribute as text and compares its letters: remove "as"',
      withRule('starts_with', ['a'], { as: 'text' }),
    ],
    [
      'ignores upper and lower case by contains: list the spellings',
      withRule('contains', ['a'], { ignore_case: true }),
    ],
    ['ignores the case of letters other than a to z: list the spellings', withRule('in', ['ö'], { ignore_case: true })],
    [
      'ignores the case of numbers and booleans: compare them in a clause of their own',
      withRule('in', ['a', 1], { ignore_case: true }),
    ],
    ['compares with half of a character: use the whole one', withRule('contains', ['\ud83d'])],
    ['compares with a number beyond 9007199254740991: compare with a text', withRule('in', [2 ** 53])],
    ['compares with a number beyond 9007199254740991: compare with a text', withRule('lt', [-(2 ** 53)])],
    [
      'compares with a version of more than 15 digits: remove "as"',
      withRule('semver_gt', ['12345678.12345678.0'], { as: 'version' }),
    ],
    [
      'reads the attribute "a.b": use a name of letters, digits and underscores that begins with a letter',
      withRule('in', ['a'], { attribute: 'a.b' }),
    ],
    [
      'reads the attribute "/a/length": use a name of letters, digits and underscores that begins with a letter',
      withRule('in', [1], { attribute: '/a/length' }),
    ],
    [
      'reads the attribute "/a/0": use a name of letters, digits and underscores that begins with a letter',
      withRule('in', ['a'], { attribute: '/a/0' }),
    ],
    ['compares the time by in: compare it by before or after', withRule('in', [0], { attribute: 'now' })],
    [
      'reads the time as a text: compare it by before or after',
      { targets: [{ variant: 'one', values: ['5'], attribute: 'now' }] },
    ],
    [
      'compares the time with a part of a second: use a whole second',
      withRule('before', ['2026-01-01T00:00:00.5Z'], { attribute: 'now' }),
    ],
    [
      'reads the context kind "organization": read an attribute of the context',
      withRule('in', ['a'], { context_kind: 'organization' }),
    ],
    [`divides units by its own hash: ${newVariants}`, bucketed(undefined)],
    [`divides units by the hash unleash: ${newVariants}`, bucketed('unleash')],
    ['divides units by several attributes: use one', bucketed('flagd', { fallback_bucket_by: ['b'] })],
    [
      'has a variant that is a list or a single JSON value: use an object around it',
      { kind: 'json', variants: [{ key: 'one', value: [1] }] },
    ],
    [
      'has a variant with a "$ref" that flagd would replace: use another name',
      { kind: 'json', variants: [{ key: 'one', value: { a: { $ref: 'fanion-text' } } }] },
    ],
  ])('leave out a flag that %s', (reason, changes) => {
    const only = placeOf({ ...plain, ...changes });
    expect(flagdReasons({ ...plain, ...changes }, only)).toEqual([reason]);
    expect(configurationOf(only)).toEqual({ $evaluators: sharedTests, flags: {} });
  });

  it('give every reason why a flag is left out', () => {
    const given: Flag = {
      ...plain,
      prerequisites: [{ flag: 'other', variants: ['one'] }],
      targets: [{ variant: 'one', values: ['acme'], context_kind: 'organization' }],
      rules: [
        {
          ...{ id: 'r', salt: 's', variant: 'one' },
          clauses: [
            { attribute: 'a', op: 'in', values: ['ö'], ignore_case: true },
            { attribute: 'a', op: 'gt', values: [1], as: 'size' },
          ],
        },
      ],
      ...bucketed(undefined),
    };
    const { flags, ...place } = placeOf(given);
    const other = { ...plain, key: 'other', ...withRule('in', [2 ** 53]) };
    expect(flagdReasons(given, { ...place, flags: { ...flags, other } })).toEqual([
      'depends on the flag "other", which compares with a number beyond 9007199254740991: compare with a text',
      'reads the context kind "organization": read an attribute of the context',
      'ignores the case of letters other than a to z: list the spellings',
      'reads the size of a list: compare with an attribute that has the size',
      `divides units by its own hash: ${newVariants}`,
    ]);
  });

  it('leave out a flag that depends on itself', () => {
    const given = { ...plain, prerequisites: [{ flag: 'main', variants: ['one'] }] };
    expect(flagdReasons(given, placeOf(given))).toEqual([
      'depends on the flag "main", which depends on the flag "main", which depends on itself',
    ]);
  });

  it('serve the default of the caller where units are hashed in another way', () => {
    const half = { variant: 'one', weight: 50_000 };
    const given: Flag = { ...plain, ...bucketed('flagd', { weights: [half, half] }) };
    const sent = JSON.stringify(configurationOf(placeOf(given)));
    const served = (configuration: string) =>
      evaluatorOf(JSON.parse(configuration)).resolveStringEvaluation(
        ...(['main', 'default', { targetingKey: 'u1' }, silent] as const),
      ).value;
    expect(served(sent)).toBe('1');
    // What an evaluator hashes that encodes texts as CBOR first.
    const encoded = sent.replace('"fractional":[{"cat":["fanion"', '"fractional":[{"cat":["ffanion"');
    expect(encoded).not.toBe(sent);
    expect(served(encoded)).toBe('default');
  });

  const levels = 6;
  const width = 20;
  const keysOf = (level: number) => Array.from({ length: level < levels ? width : 0 }, (_, i) => `${level}-${i}`);
  // There are 20 to the power of 6 paths through the layers, so a conversion for each path would not end.
  it('leave out a flag that names segments in layers', () => {
    const all = Array.from({ length: levels }, (_, level) =>
      keysOf(level).map((key): Segment => {
        const clauses: Clause[] = keysOf(level + 1).map((next) => ({ op: 'in_segment', values: [next] }));
        return { key, version: 1, included: ['u1'], excluded: [], rules: [{ clauses }] };
      }),
    ).flat();
    const flag = { ...plain, ...withRule('in_segment', ['0-0']) };
    const segments = Object.fromEntries(all.map((segment) => [segment.key, segment]));
    const given: Ruleset = { version: 1, environment: 'production', project: 'shop', flags: { main: flag }, segments };
    expect(flagdReasons(flag, given)).toEqual([
      'names segments and prerequisites with more than 10000 keys, clauses and values',
    ]);
    expect(configurationOf(given).flags).toEqual({});
  });

  it('leave out a flag with prerequisites in layers', () => {
    const key = (level: number) => `f${level}`;
    const all = Array.from({ length: 40 }, (_, level): Flag => {
      const prerequisites = level === 0 ? [] : [{ flag: key(level - 1), variants: ['one'] }];
      return { ...plain, ...withRule('in', ['a']), ...bucketed('flagd'), key: key(level), prerequisites };
    });
    const given = { ...placeOf(plain), flags: Object.fromEntries(all.map((flag) => [flag.key, flag])) };
    const reasons = all.map((flag) => flagdReasons(flag, given).length);
    // Each may fail, so it is twice in the next.
    expect(reasons.slice(0, 12)).toEqual(Array(12).fill(0));
    expect(reasons.at(-1)).toBe(1);
    expect(flagdReasons(all.at(13) ?? plain, given)).toEqual([
      expect.stringMatching(/names segments and prerequisites with more than 10000 keys, clauses and values$/),
    ]);
  });
});

describe('tests that all flags share', () => {
  it('survive being written into the text of a configuration', () => {
    // Both are special in the replacements of JavaScript or Python.
    expect(JSON.stringify(sharedTests)).not.toMatch(/[$\\]/);
  });
});
