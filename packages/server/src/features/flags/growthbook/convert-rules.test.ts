import {
  type Clause,
  compileRuleset,
  evaluate,
  type Flag,
  type JsonValue,
  type Rule,
  type Ruleset,
  type Segment,
  type Serve,
} from '@fanion/flag-engine';
import { GrowthBook } from '@growthbook/growthbook';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../../../platform/steps.ts';
import { growthBookFeatures, growthBookReasons } from './convert-rules.ts';
import { contextOfAttributes } from './remote-rules.ts';

const texts = ['', 'a', 'ab', 'b.c', 'a/b', 'A', '5', '1.5', 'true', 'u1', 'u2', 'x\n', 'a+b(', '(ab)'];
const numbers = [0, -1, 1, 1.5, 5, 10];
const decimals = ['0', '-1', '+1', '1.', '.5', '01.50', '10', '-0', '1.25', '.', '-', '5\n', '1.5.0'];
const versions = ['1', '1.5', '1.5.0', 'v1.5.1', 'V2', '1.10', '1.5.0-rc.1', '01.5', '10.0.0+b', '1.5-rc', '1.9.9-0'];
const scalar = fc.oneof(
  fc.constantFrom(...texts),
  fc.constantFrom(...decimals),
  fc.constantFrom(...versions),
  fc.constantFrom(...numbers, 1.25, 2, 2.5),
  fc.constantFrom('AB', 'aB', 'B.C', 'X\n', 'TRUE', 'A+B(', '\u212a', 'k', '\u0130', 'i'),
  fc.boolean(),
);
const equality = fc.constantFrom('in' as const, 'eq' as const, 'not_in' as const, 'neq' as const);
const order = fc.constantFrom('lt' as const, 'lte' as const, 'gt' as const, 'gte' as const);
const place = fc.constantFrom('starts_with' as const, 'ends_with' as const, 'contains' as const);
const versionOrder = fc.constantFrom(...(['semver_eq', 'semver_lt', 'semver_lte', 'semver_gt', 'semver_gte'] as const));
const leaf = fc.oneof(
  scalar,
  fc.constant(null),
  fc.array(fc.oneof(scalar, fc.constant(null), fc.constant([]) as fc.Arbitrary<JsonValue>), { maxLength: 3 }),
  fc.constant({ a: 'a' }),
);
const attributes = fc.record(
  { id: leaf, a: leaf, b: leaf, nested: fc.oneof(leaf, fc.record({ a: leaf })), targetingKey: fc.constant('u1') },
  { requiredKeys: [] },
);
const attribute = fc.constantFrom('targetingKey', 'id', 'a', 'b', '/nested/a', '/a/0', 'b.c', 'now', 'constructor');
const clause: fc.Arbitrary<Clause> = fc.oneof(
  fc.record({
    attribute,
    op: equality,
    values: fc.array(scalar, { minLength: 1, maxLength: 3 }),
    negate: fc.boolean(),
  }),
  fc.record({
    attribute,
    op: equality,
    values: fc.array(fc.constantFrom(...texts, 'false', '0', '-1', '5.0', '05'), { minLength: 1, maxLength: 3 }),
    negate: fc.boolean(),
    as: fc.constant('text' as const),
  }),
  fc.record({
    attribute,
    op: order,
    values: fc.array(fc.constantFrom(...numbers), { minLength: 1, maxLength: 2 }),
    negate: fc.boolean(),
  }),
  fc.record({
    attribute,
    op: place,
    values: fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 2 }),
    negate: fc.boolean(),
  }),
  fc.record({
    attribute,
    op: fc.oneof(equality, place),
    values: fc.array(fc.constantFrom('a', 'Ab', 'b.C', 'a/b', 'true', 'k', 'i', 'a+b('), {
      minLength: 1,
      maxLength: 3,
    }),
    negate: fc.boolean(),
    ignore_case: fc.constant(true),
  }),
  fc.record({
    attribute,
    op: fc.oneof(equality, order),
    values: fc.array(fc.constantFrom(...numbers, -1.5, 0.25, 12.75), { minLength: 1, maxLength: 2 }),
    negate: fc.boolean(),
    as: fc.constantFrom('number' as const, 'size' as const),
  }),
  fc.record({
    attribute,
    op: equality,
    values: fc.array(fc.constantFrom('1.5', 'ab', 'true', '-', 5, true), { minLength: 1, maxLength: 3 }),
    negate: fc.boolean(),
    as: fc.constant('number' as const),
  }),
  fc.record({
    attribute,
    op: fc.constant('matches' as const),
    values: fc.array(fc.constantFrom('^a', 'b.*$', '^[^a]+$', 'A|\\d$', '^\\w+$', 'k+', '^(?:u|x)\\d?'), {
      minLength: 1,
      maxLength: 2,
    }),
    negate: fc.boolean(),
    ignore_case: fc.boolean(),
  }),
  fc.record(
    {
      attribute,
      op: versionOrder,
      values: fc.array(fc.constantFrom('1', '1.5', '1.5.0', '1.5.1', '1.10.0', '0.9.12', '2.0.0+b'), {
        minLength: 1,
        maxLength: 2,
      }),
      negate: fc.boolean(),
      as: fc.constant('version' as const),
    },
    { requiredKeys: ['attribute', 'op', 'values', 'negate'] },
  ),
  fc.record({ attribute, op: fc.constant('exists' as const), values: fc.constant([]), negate: fc.boolean() }),
  fc.record({ op: fc.constant('in_segment' as const), values: fc.constant(['group']), negate: fc.boolean() }),
);
const hash = fc.constantFrom('growthbook_v1' as const, 'growthbook_v2' as const);
const bucketBy = fc.constantFrom('targetingKey', 'a', 'id');
const variant = fc.constantFrom('one', 'two', null);
const serve: fc.Arbitrary<Serve> = fc.oneof(
  fc.record({ variant }),
  fc.record({
    rollout: fc.record(
      {
        hash,
        weights: fc.nat(100_000).chain((first) =>
          fc.record({ from: fc.constant(first), untracked: fc.boolean() }).map(({ from, untracked }) => [
            { variant: 'one', weight: from, ...(untracked && { untracked }) },
            { variant: 'two', weight: 100_000 - from },
          ]),
        ),
        bucket_by: bucketBy,
        seed: fc.constantFrom('seed', 's2'),
        tracked: fc.boolean(),
        missing: fc.constantFrom('first' as const, 'skip' as const),
      },
      { requiredKeys: ['hash', 'weights'] },
    ),
  }),
);
const shares = fc.array(
  fc.record({
    hash,
    seed: fc.constant('share'),
    bucket_by: bucketBy,
    ranges: fc.constant([[20_000, 70_000] as const]),
  }),
  { maxLength: 1 },
);
const rule: fc.Arbitrary<Rule> = fc
  .record({ clauses: fc.array(clause, { maxLength: 2 }), shares, serve })
  .map(({ serve: served, ...rest }) => ({ id: 'r', salt: 's', ...rest, ...served }));
const flagOf = (key: string, prerequisites: Flag['prerequisites'][]): fc.Arbitrary<Flag> =>
  fc
    .record({
      enabled: fc.boolean().map((isOn) => isOn || key === 'main'),
      off_variant: variant,
      fallthrough: serve,
      targets: fc.array(
        fc.record({
          variant: fc.constantFrom('one', 'two'),
          values: fc.array(fc.constantFrom(...texts.filter(Boolean)), { maxLength: 2 }),
          attribute: fc.constantFrom('targetingKey', 'a'),
        }),
        { maxLength: 2 },
      ),
      rules: fc.array(rule, { maxLength: 3 }),
      prerequisites: fc.constantFrom(...prerequisites),
    })
    .map((changes) => ({
      ...{ key, kind: 'string', version: 1, salt: 'salt' },
      variants: [
        { key: 'one', value: '1' },
        { key: 'two', value: '2' },
      ],
      ...changes,
    }));
const segment: fc.Arbitrary<Segment> = fc.record({
  key: fc.constant('group'),
  version: fc.constant(1),
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
});
const ruleset: fc.Arbitrary<Ruleset> = fc
  .record({
    main: flagOf('main', [[], [{ flag: 'gate', variants: ['one'] }], [{ flag: 'gone', variants: ['one'] }]]),
    gate: flagOf('gate', [[]]),
    group: segment,
  })
  .map(({ main, gate, group }) => ({
    ...{ version: 1, environment: 'production', project: 'shop' },
    flags: { main, gate },
    segments: { group },
  }));

describe('flags in the form of GrowthBook', () => {
  it("have the engine's value for every context, by GrowthBook's own evaluator", () => {
    let compared = 0;
    fc.assert(
      fc.property(ruleset, fc.array(attributes, { minLength: 5, maxLength: 20 }), (given, all) => {
        const compiled = compileRuleset(given);
        // As it arrives.
        const features = JSON.parse(JSON.stringify(complete(growthBookFeatures(given))));
        for (const each of all) {
          const sdk = new GrowthBook({ features, attributes: each });
          for (const key of Object.keys(features)) {
            const ours = evaluate(compiled, key, contextOfAttributes(each));
            expect(sdk.getFeatureValue<JsonValue>(key, null), `${key}: ${ours.reason}`).toEqual(ours.value);
            compared++;
          }
          sdk.destroy();
        }
      }),
      { numRuns: 1_500 },
    );
    expect(compared).toBeGreaterThan(10_000);
  }, 120_000);

  const plain: Flag = {
    ...{
      key: 'main',
      kind: 'boolean',
      version: 1,
      enabled: true,
      salt: 'salt',
      targets: [],
      rules: [],
      prerequisites: [],
    },
    variants: [
      { key: 'true', value: true },
      { key: 'false', value: false },
    ],
    off_variant: 'false',
    fallthrough: { variant: 'false' },
  };
  const half = [
    { variant: 'true', weight: 50_000 },
    { variant: 'false', weight: 50_000 },
  ];
  const withRule = (op: Clause['op'], values: Clause['values'], more: object = {}): Partial<Flag> => ({
    rules: [{ id: 'r', salt: 's', clauses: [{ attribute: 'a', op, values, ...more }], variant: 'true' }],
  });
  const onlyIn = (flag: Flag): Ruleset => ({
    ...{ version: 1, environment: 'production', project: 'shop', segments: {} },
    flags: { [flag.key]: flag },
  });

  it.each<[string, Partial<Flag>]>([
    ['uses the operator semver_caret', withRule('semver_caret', ['1.0.0'])],
    ['compares with the pre-release 1.0.0-rc.1', withRule('semver_gt', ['1.0.0-rc.1'])],
    ['compares with a version of numbers above 9999', withRule('semver_gt', ['10000.0.0'], { as: 'version' })],
    ['uses a pattern that means something else in other languages', withRule('matches', ['^a.b'])],
    ['uses the operator after', withRule('after', ['2026-01-01T00:00:00Z'])],
    ['ignores the case of letters other than a to z', withRule('in', ['ä'], { ignore_case: true })],
    [
      'compares with more than 200 values by patterns',
      withRule(
        'in',
        Array.from({ length: 201 }, (_, i) => `a${i}`),
        { ignore_case: true },
      ),
    ],
    ['compares texts with the number 1e+21', withRule('gt', [1e21], { as: 'number' })],
    ['reads an attribute as text', withRule('in', [1], { as: 'text' })],
    ['serves the default of the code from a rule', { rules: [{ id: 'r', salt: 's', clauses: [], variant: null }] }],
    ['reads the context kind "organization"', withRule('eq', [1], { context_kind: 'organization' })],
    ['reads the attribute "constructor"', withRule('eq', [1], { attribute: 'constructor' })],
    ['names the unusable segment "gone"', withRule('in_segment', ['gone'])],
    ['divides units by its own hash', { fallthrough: { rollout: { weights: half } } }],
    ['divides units by the hash unleash', { fallthrough: { rollout: { weights: half, hash: 'unleash' } } }],
    ['has a variant whose value is null', { variants: [...plain.variants, { key: 'none', value: null }] }],
  ])('leave out a flag that %s, and give the reason', (reason, changes) => {
    const flag = { ...plain, ...changes };
    expect(growthBookReasons(flag, onlyIn(flag))).toEqual([reason]);
    expect(complete(growthBookFeatures(onlyIn(flag)))).toEqual({});
  });

  // The SDK for Python ignores a rule whose value is null.
  it('serve nothing without a rule that serves nothing: by a gate, and by a missing default', () => {
    const percentage: Flag = {
      ...plain,
      ...{ key: 'percentage', fallthrough: { rollout: { weights: half, hash: 'growthbook_v2' } } },
    };
    const needs = (key: string, flag: string): Flag => ({
      ...{ ...plain, key, off_variant: null, prerequisites: [{ flag, variants: ['true'] }] },
    });
    const flags = { percentage, met: needs('met', 'percentage'), missing: needs('missing', 'gone') };
    const features = JSON.parse(JSON.stringify(complete(growthBookFeatures({ ...onlyIn(plain), flags }))));
    expect(Object.keys(features)).toEqual(['percentage', 'met', 'missing']);
    expect(JSON.stringify(features)).not.toContain('"force":null');
    const sdk = new GrowthBook({ features, attributes: {} });
    expect(Object.keys(features).map((key) => sdk.getFeatureValue(key, 'default'))).toEqual(Array(3).fill('default'));
  });

  it('report measured weights as an experiment, and no others', () => {
    const weights = [
      { variant: 'true', weight: 50_000 },
      { ...half[1], variant: 'false', weight: 50_000, untracked: true },
    ];
    const flag: Flag = { ...plain, fallthrough: { rollout: { weights, hash: 'growthbook_v2', tracked: true } } };
    const features = JSON.parse(JSON.stringify(complete(growthBookFeatures(onlyIn(flag)))));
    const viewed: unknown[] = [];
    for (let i = 0; i < 40; i++) {
      const sdk = new GrowthBook({
        features,
        attributes: { id: `u${i}` },
        trackingCallback: (experiment, result) => void viewed.push([experiment.key, result.key, result.value]),
      });
      sdk.getFeatureValue('main', false);
      sdk.destroy();
    }
    expect(viewed.length).toBeGreaterThan(5);
    expect(viewed.length).toBeLessThan(35);
    expect(new Set(viewed.map((each) => JSON.stringify(each)))).toEqual(new Set(['["main","true",true]']));
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
    const given = { ...onlyIn(flag), segments };
    expect(growthBookReasons(flag, given)).toEqual(['names segments with more than 10000 keys, clauses and values']);
    expect(complete(growthBookFeatures(given))).toEqual({});
  });

  it('have every flag that needs others in layers', () => {
    const all = Array.from({ length: levels }, (_, level) =>
      keysOf(level).map((key): Flag => {
        const prerequisites = keysOf(level + 1).map((flag) => ({ flag, variants: ['true'] }));
        return { ...plain, key, prerequisites };
      }),
    ).flat();
    const flags = Object.fromEntries(all.map((flag) => [flag.key, flag]));
    expect(Object.keys(complete(growthBookFeatures({ ...onlyIn(plain), flags })))).toHaveLength(levels * width);
  });
});
