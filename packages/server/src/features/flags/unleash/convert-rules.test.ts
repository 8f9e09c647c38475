import type { Clause, Flag, Ruleset, Segment } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { complete } from '../../../platform/steps.ts';
import { unleashFeatures, unleashReasons } from './convert-rules.ts';

const levels = 6;
const width = 20;
const keysOf = (level: number) => Array.from({ length: level < levels ? width : 0 }, (_, i) => `${level}-${i}`);

function flagOf(key: string, prerequisites: readonly string[], clauses: readonly Clause[]): Flag {
  return {
    ...{ key, kind: 'boolean', version: 1, enabled: true, salt: 'salt', targets: [] },
    variants: [
      { key: 'true', value: true },
      { key: 'false', value: false },
    ],
    off_variant: 'false',
    prerequisites: prerequisites.map((flag) => ({ flag, variants: ['true'] })),
    rules: [{ id: 'r', salt: 's', clauses, variant: 'true' }],
    fallthrough: { variant: 'false' },
  };
}

const rulesetOf = (flags: readonly Flag[], segments: readonly Segment[]): Ruleset => ({
  ...{ version: 1, environment: 'production', project: 'shop' },
  flags: Object.fromEntries(flags.map((flag) => [flag.key, flag])),
  segments: Object.fromEntries(segments.map((segment) => [segment.key, segment])),
});

/** Segments that match users of every segment of the next layer. */
const layeredSegments = Array.from({ length: levels }, (_, level) =>
  keysOf(level).map((key): Segment => {
    const named = keysOf(level + 1).map((next): Clause => ({ op: 'in_segment', values: [next] }));
    const clauses: Clause[] = named.length > 0 ? named : [{ op: 'in', attribute: 'plan', values: ['pro'] }];
    return { key, version: 1, included: [], excluded: [], rules: [{ clauses }] };
  }),
).flat();

// There are 20 to the power of 6 paths through the layers, so a conversion for each path would not end.
describe('a ruleset in layers', () => {
  it('keeps the flags of the last two layers, since parents have no parents', () => {
    const flags = Array.from({ length: levels }, (_, level) =>
      keysOf(level).map((key) => flagOf(key, keysOf(level + 1), [])),
    ).flat();
    const kept = complete(unleashFeatures(rulesetOf(flags, []))).map(({ name }) => name);
    expect(kept).toEqual([...keysOf(levels - 2), ...keysOf(levels - 1)]);
  });

  it('leaves out a flag whose segments need too many constraints', () => {
    const flag = flagOf('main', [], [{ op: 'in_segment', values: ['0-0'] }]);
    const ruleset = rulesetOf([flag], layeredSegments);
    expect(unleashReasons(flag, ruleset)).toEqual(['needs more than 1000 constraints']);
    expect(complete(unleashFeatures(ruleset))).toEqual([]);
  });
});

describe('versions', () => {
  const constraintsOf = (rules: readonly (readonly Clause[])[]) => {
    const flag = flagOf('main', [], []);
    const ruled = { ...flag, rules: rules.map((clauses, i) => ({ id: `r${i}`, salt: 's', clauses, variant: 'true' })) };
    const features = complete(unleashFeatures(rulesetOf([ruled], [])));
    return features.flatMap(({ strategies }) =>
      strategies.map(({ constraints }) => constraints.map(({ operator, inverted }) => [operator, inverted])),
    );
  };
  const version = (op: Clause['op'], negate = false): Clause => ({ op, attribute: 'v', values: ['2.1.0'], negate });

  it('are at least one if they are later or the same, which SDKs without SEMVER_GTE compare too', () => {
    expect(constraintsOf([[version('semver_gte')]])).toEqual([[['SEMVER_GT', false]], [['SEMVER_EQ', false]]]);
    expect(constraintsOf([[version('semver_lte')]])).toEqual([[['SEMVER_LT', false]], [['SEMVER_EQ', false]]]);
  });

  it('are not at least one if they are neither later nor the same, or missing', () => {
    const missing: Clause = { op: 'exists', attribute: 'v', values: [], negate: true };
    const neither = [
      ['SEMVER_GT', true],
      ['SEMVER_EQ', true],
    ];
    expect(constraintsOf([[version('semver_gte', true)], [missing]])).toEqual([neither]);
  });
});

describe('a flag that Unleash cannot express', () => {
  const clause = (op: Clause['op'], attribute = 'plan'): Clause => ({ op, attribute, values: ['pro'] });
  const weights = [
    { variant: 'true', weight: 50_000 },
    { variant: 'false', weight: 50_000 },
  ];
  const native = { rollout: { weights, missing: 'skip' as const } };

  it('has every reason', () => {
    const base = flagOf('main', [], []);
    const flag: Flag = {
      ...base,
      targets: [{ variant: 'true', values: ['acme'], context_kind: 'organization' }],
      rules: [
        { id: 'a', salt: 's', clauses: [clause('matches'), clause('in', '/plan')], variant: 'true' },
        { id: 'b', salt: 's', clauses: [], ...native },
        { id: 'c', salt: 's', clauses: [clause('in', '/plan')], variant: 'false' },
      ],
      fallthrough: { variant: null },
      prerequisites: [{ flag: 'gone', variants: ['true'] }],
    };
    expect(unleashReasons(flag, rulesetOf([flag], []))).toEqual([
      'needs the flag "gone", which is missing',
      'reads a context kind',
      'uses the operator matches',
      "divides units by the hash fanion, which Unleash's SDKs do not have",
      'reads the JSON pointer /plan',
      'serves the default of the code',
    ]);
  });

  it('has the reasons of its position', () => {
    const unleash = { rollout: { weights, missing: 'skip' as const, hash: 'unleash' as const } };
    const rules = [{ id: 'a', salt: 's', clauses: [], ...unleash }];
    const flag: Flag = { ...flagOf('main', [], []), rules, fallthrough: { variant: null } };
    expect(unleashReasons(flag, rulesetOf([flag], []))).toEqual([
      'serves the default of the code',
      'has a percentage before another rule',
    ]);
    const last: Flag = { ...flag, fallthrough: { variant: 'false' } };
    expect(unleashReasons(last, rulesetOf([last], []))).toEqual([]);
  });

  it('names what a flag that it needs cannot express', () => {
    const parent = flagOf('parent', [], [clause('matches')]);
    const flag = flagOf('main', ['parent'], []);
    expect(unleashReasons(flag, rulesetOf([flag, parent], []))).toEqual([
      'needs the flag "parent", which uses the operator matches',
    ]);
  });
});

describe('a flag whose variants are divided by a field', () => {
  const variants = ['blue', 'green'].map((key) => ({ key, value: key }));
  const weights = variants.map(({ key: variant }) => ({ variant, weight: 50_000 }));
  const rolloutOf = (bucket_by: string, more: object = {}) => ({
    rollout: { weights, hash: 'unleash_variants' as const, bucket_by, ...more },
  });
  const rule = { id: 'a', salt: 's', clauses: [{ op: 'in' as const, attribute: 'country', values: ['DE'] }] };
  const flagWith = (changes: Partial<Flag>): Flag => ({
    ...{ ...flagOf('main', [], []), kind: 'string', variants, off_variant: 'blue', rules: [], ...changes },
  });
  const converted = (flag: Flag) => complete(unleashFeatures(rulesetOf([flag], [])));

  // Unleash's SDKs for Python, Ruby and others divide the variants of a strategy by the field of the strategy.
  it('has the variants of the feature, which every SDK divides by their field', () => {
    const divided = rolloutOf('plan');
    const [feature] = converted(flagWith({ rules: [{ ...rule, variant: 'green' }], fallthrough: divided }));
    expect(feature?.variants.map(({ name, stickiness }) => [name, stickiness])).toEqual([
      ['blue', 'plan'],
      ['green', 'plan'],
    ]);
    expect(feature?.strategies.map((one) => one.variants.map(({ name }) => name))).toEqual([['green'], []]);
  });

  it('is absent if its rules divide in several ways', () => {
    const flag = flagWith({ rules: [{ ...rule, ...rolloutOf('country') }], fallthrough: rolloutOf('plan') });
    expect(unleashReasons(flag, rulesetOf([flag], []))).toEqual([
      'divides units over variants by another attribute than its percentage',
    ]);
    expect(converted(flag)).toEqual([]);
  });
});
