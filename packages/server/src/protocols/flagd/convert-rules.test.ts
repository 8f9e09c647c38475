import {
  type Clause,
  compileRuleset,
  evaluate,
  type Flag,
  type JsonValue,
  type Ruleset,
  type Segment,
  type Serve,
} from '@fanion/flag-engine';
import { FlagdCore } from '@openfeature/flagd-core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../../platform/steps.ts';
import { flagdConfiguration, flagdReasons } from './convert-rules.ts';

const silent = { error() {}, warn() {}, info() {}, debug() {} };
const texts = ['', 'a', 'ab', '5', 'true', 'null', 'u1', 'u2'];
const scalar = fc.oneof(fc.constantFrom(...texts), fc.constantFrom(0, -1, 1.5, 5), fc.boolean());
const leaf = fc.oneof(scalar, fc.constant(null), fc.array(fc.oneof(scalar, fc.constant(null)), { maxLength: 3 }));
const nested = fc.oneof(leaf, fc.constant({ a: 'a' }), fc.constant([['a']]));
const contexts = fc.record(
  // flagd's SDK for JavaScript does not hash text beyond ASCII as UTF-8, which flagd and its other SDKs do.
  { targetingKey: fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'grapheme-ascii' })), a: nested, b: nested },
  { requiredKeys: [] },
);
const attribute = fc.constantFrom('targetingKey', 'a', 'b', '/a/b', 'now', 'constructor');
const clause: fc.Arbitrary<Clause> = fc.oneof(
  fc.record({
    attribute,
    op: fc.constantFrom('in' as const, 'eq' as const, 'not_in' as const, 'neq' as const),
    values: fc.array(scalar, { minLength: 1, maxLength: 3 }),
    negate: fc.boolean(),
  }),
  fc.record({ attribute, op: fc.constant('exists' as const), values: fc.constant([]), negate: fc.boolean() }),
  fc.record({ op: fc.constant('in_segment' as const), values: fc.constant(['group']), negate: fc.boolean() }),
);
const variant = fc.constantFrom('one', 'two', null);
const serve: fc.Arbitrary<Serve> = fc.oneof(
  fc.record({ variant }),
  fc.record({
    rollout: fc.record(
      {
        hash: fc.constant('flagd' as const),
        weights: fc.nat(100_000).map((first) => [
          { variant: 'one', weight: first },
          { variant: 'two', weight: 100_000 - first },
        ]),
        seed: fc.constantFrom('seed', 's2'),
        buckets: fc.constantFrom(3, 100, 1_000),
        missing: fc.constantFrom('first' as const, 'skip' as const),
      },
      { requiredKeys: ['hash', 'weights'] },
    ),
  }),
);
const flag: fc.Arbitrary<Flag> = fc
  .record({
    enabled: fc.boolean(),
    off_variant: variant,
    fallthrough: serve,
    targets: fc.array(
      fc.record({
        variant: fc.constantFrom('one', 'two'),
        values: fc.array(fc.constantFrom('a', 'u1', 'größe'), { maxLength: 2 }),
        attribute: fc.constantFrom('targetingKey', 'a'),
      }),
      { maxLength: 2 },
    ),
    rules: fc.array(
      fc
        .record({ clauses: fc.array(clause, { maxLength: 2 }), served: serve })
        .map(({ clauses, served }) => ({ id: 'r', salt: 's', clauses, ...served })),
      { maxLength: 3 },
    ),
  })
  .map((changes) => ({
    ...{ key: 'main', kind: 'string', version: 1, salt: 'salt', prerequisites: [] },
    variants: [
      { key: 'one', value: '1' },
      { key: 'two', value: '2' },
    ],
    ...changes,
  }));
const ruleset: fc.Arbitrary<Ruleset> = fc
  .record({
    main: flag,
    group: fc.record({
      ...{ key: fc.constant('group'), version: fc.constant(1) },
      included: fc.constantFrom([], ['u1', '5']),
      excluded: fc.constantFrom([], ['u2', 'true']),
      rules: fc.array(
        fc.record({
          clauses: fc.array(
            clause.filter(({ op }) => op !== 'in_segment'),
            { minLength: 1, maxLength: 2 },
          ),
        }),
        { maxLength: 2 },
      ),
    }),
  })
  .map(({ main, group }) => ({
    ...{ version: 1, environment: 'production', project: 'shop' },
    flags: { main },
    segments: { group },
  }));

describe("flags in flagd's form", () => {
  it("have the engine's value for every context, by flagd's own evaluator", () => {
    let compared = 0;
    fc.assert(
      fc.property(ruleset, fc.array(contexts, { minLength: 5, maxLength: 20 }), (given, all) => {
        const compiled = compileRuleset(given);
        const core = new FlagdCore(undefined, silent);
        core.setConfigurations(complete(flagdConfiguration(given)));
        if (core.getFlag('main') === undefined) return;
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

  it.each<[string, Partial<Flag>]>([
    ['uses the operator semver_gt', withRule('semver_gt', ['1.0.0'])],
    ['uses the operator starts_with', withRule('starts_with', ['a'])],
    ['converts an attribute', withRule('in', ['a'], { ignore_case: true })],
    ['has prerequisites', { prerequisites: [{ flag: 'other', variants: ['one'] }] }],
    ['divides units by its own hash', { fallthrough: { rollout: { weights: [{ variant: 'one', weight: 100_000 }] } } }],
    ['has a variant that is a list or a single JSON value', { kind: 'json', variants: [{ key: 'one', value: [1] }] }],
  ])('leave out a flag that %s', (reason, changes) => {
    const given = { ...plain, ...changes };
    const only = {
      ...{ version: 1, environment: 'production', project: 'shop', segments: {} },
      flags: { main: given },
    };
    expect(flagdReasons(given, only)).toEqual([reason]);
    expect(JSON.parse(complete(flagdConfiguration(only)))).toEqual({ flags: {} });
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
            { attribute: 'a', op: 'matches', values: ['a'] },
            { attribute: 'a', op: 'in', values: ['a'], ignore_case: true },
          ],
        },
      ],
      fallthrough: { rollout: { weights: [{ variant: 'one', weight: 100_000 }] } },
    };
    const only = {
      ...{ version: 1, environment: 'production', project: 'shop', segments: {} },
      flags: { main: given },
    };
    expect(flagdReasons(given, only)).toEqual([
      'has prerequisites',
      'reads the context kind "organization"',
      'uses the operator matches',
      'converts an attribute',
      'divides units by its own hash',
    ]);
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
    expect(flagdReasons(flag, given)).toEqual(['names segments with more than 10000 keys, clauses and values']);
    expect(JSON.parse(complete(flagdConfiguration(given)))).toEqual({ flags: {} });
  });
});
