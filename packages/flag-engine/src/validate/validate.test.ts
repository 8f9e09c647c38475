import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ClauseDraft,
  compileRuleset,
  evaluate,
  type JsonValue,
  MAX_CLAUSES,
  MAX_DEPENDENCY_DEPTH,
  MAX_LISTED_VALUES,
  MAX_PATTERN_LENGTH,
  MAX_RULES,
  MAX_TRIED_VALUES,
  MAX_VARIANT_DEPTH,
  MAX_VARIANT_LENGTH,
  OPERATOR_NAMES,
  type Prerequisite,
  type Rule,
  type SegmentDraft,
  type TargetingDraft,
  validatePrerequisites,
  validateSegment,
  validateTargeting,
  validateVariants,
} from '../index.ts';
import { flag, ruleset, segment } from '../testing/flags.ts';
import { nested } from '../testing/nested.ts';

const variants = flag('x').variants;
const known = { segments: new Set(['beta']) };

function targeting(changes: Partial<TargetingDraft>): TargetingDraft {
  return { enabled: true, off_variant: 'false', fallthrough: { variant: 'true' }, targets: [], rules: [], ...changes };
}

function issuesOf(changes: Partial<TargetingDraft>): Record<string, string> {
  const issues = validateTargeting({ variants }, targeting(changes), known);
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
}

function clauseIssues(clause: ClauseDraft): Record<string, string> {
  return issuesOf({ rules: [{ clauses: [clause], variant: 'true' }] });
}

const at = (path: string) => `rules.0.clauses.0.${path}`;

describe('validateTargeting', () => {
  it('accepts valid targeting', () => {
    expect(
      issuesOf({
        targets: [{ variant: 'true', values: ['u'] }],
        rules: [
          { id: 'r', clauses: [{ op: 'in_segment', values: ['beta'] }], variant: 'true' },
          {
            clauses: [{ attribute: '/a/b', op: 'exists', values: [], negate: true }],
            rollout: {
              weights: [
                { variant: 'true', weight: 1 },
                { variant: 'false', weight: 99_999 },
              ],
            },
          },
        ],
      }),
    ).toEqual({});
  });

  it('rejects unknown variants in every field', () => {
    expect(
      issuesOf({
        off_variant: 'a',
        fallthrough: { rollout: { weights: [{ variant: 'b', weight: 100_000 }] } },
        targets: [{ variant: 'c', values: ['u'] }],
        rules: [{ clauses: [], variant: 'd' }],
      }),
    ).toEqual({
      off_variant: 'unknown variant "a"',
      'fallthrough.rollout.weights.0.variant': 'unknown variant "b"',
      'targets.0.variant': 'unknown variant "c"',
      'rules.0.variant': 'unknown variant "d"',
    });
  });

  it.each([
    [[99_999, 0], { 'fallthrough.rollout.weights': 'must sum to 100000 (100%), not 99999' }],
    [[], { 'fallthrough.rollout.weights': 'must sum to 100000 (100%), not 0' }],
    [
      [-1, 100_001],
      {
        'fallthrough.rollout.weights.0.weight': 'must be a whole number from 0 to 100000',
        'fallthrough.rollout.weights.1.weight': 'must be a whole number from 0 to 100000',
      },
    ],
    [
      [0.5, 99_999.5],
      {
        'fallthrough.rollout.weights.0.weight': 'must be a whole number from 0 to 100000',
        'fallthrough.rollout.weights.1.weight': 'must be a whole number from 0 to 100000',
      },
    ],
  ])('checks weights %j', (weights, issues) => {
    const rollout = { weights: weights.map((weight) => ({ variant: 'true', weight })) };
    expect(issuesOf({ fallthrough: { rollout } })).toEqual(issues);
  });

  it('requires one variant or one rollout', () => {
    const rollout = { weights: [{ variant: 'true', weight: 100_000 }] };
    expect(issuesOf({ fallthrough: {} })).toEqual({ fallthrough: 'needs a variant or a rollout' });
    expect(issuesOf({ rules: [{ clauses: [], variant: 'true', rollout }] })).toEqual({
      'rules.0': 'has both a variant and a rollout',
    });
    expect(issuesOf({ fallthrough: { rollout: { ...rollout, bucket_by: '/~', seed: '' } } })).toEqual({
      'fallthrough.rollout.bucket_by': expect.stringContaining('not a JSON pointer'),
      'fallthrough.rollout.seed': 'must be a non-empty text',
    });
  });

  it.each<[ClauseDraft, string, string | RegExp]>([
    [{ attribute: 'a', op: 'resembles', values: ['x'] }, 'op', 'unknown operator "resembles"'],
    [{ attribute: 'a', op: 'constructor', values: ['x'] }, 'op', 'unknown operator "constructor"'],
    [{ attribute: 'a', op: 'in', values: [] }, 'values', 'must have at least one value'],
    [{ attribute: 'a', op: 'in', values: [null] }, 'values.0', 'must be a string, number or boolean'],
    [{ attribute: 'a', op: 'in', values: ['x', Number.NaN] }, 'values.1', 'must be a finite number'],
    [{ attribute: 'a', op: 'lt', values: ['7'] }, 'values.0', 'must be a finite number'],
    [{ attribute: 'a', op: 'contains', values: [7] }, 'values.0', 'must be a string'],
    [{ attribute: 'a', op: 'contains', values: ['x'.repeat(1_025)] }, 'values.0', 'has more than 1024 characters'],
    [{ attribute: 'a', op: 'matches', values: ['('] }, 'values.0', /^is not an RE2 pattern: /],
    [{ attribute: 'a', op: 'matches', values: ['(?=a)'] }, 'values.0', /^is not an RE2 pattern: /],
    [{ attribute: 'a', op: 'matches', values: ['(a)\\1'] }, 'values.0', /^is not an RE2 pattern: /],
    [
      { attribute: 'a', op: 'matches', values: ['((a{100}){10}){9}'] },
      'values.0',
      /^is (too large|not an RE2 pattern)/,
    ],
    [{ attribute: 'a', op: 'matches', values: ['a'.repeat(MAX_PATTERN_LENGTH + 1)] }, 'values.0', /at most 1000 char/],
    [{ attribute: 'a', op: 'before', values: ['2024-02-30T00:00:00Z'] }, 'values.0', /RFC 3339/],
    [{ attribute: 'a', op: 'after', values: ['2024-02-28'] }, 'values.0', /RFC 3339/],
    [{ attribute: 'a', op: 'semver_gt', values: ['v1.0.0'] }, 'values.0', /semantic version/],
    [{ attribute: 'a', op: 'cidr', values: ['10.0.0.0/33'] }, 'values.0', /IP address/],
    [{ attribute: 'a', op: 'cidr', values: ['::1/129'] }, 'values.0', /IP address/],
    [{ attribute: 'a', op: 'exists', values: [true] }, 'values', /must be empty/],
    [{ attribute: '', op: 'exists', values: [] }, 'attribute', 'an attribute is needed'],
    [{ op: 'in', values: ['x'] }, 'attribute', 'an attribute is needed'],
    [{ attribute: '/a~2', op: 'in', values: ['x'] }, 'attribute', /not a JSON pointer/],
    [{ attribute: 'a', op: 'in_segment', values: ['beta'] }, 'attribute', /must be left out/],
    [{ op: 'in_segment', values: ['gone'] }, 'values.0', 'unknown segment "gone"'],
    [{ op: 'in_segment', values: [] }, 'values', 'must have at least one segment'],
    [{ attribute: 'a', op: 'in', values: new Array(MAX_LISTED_VALUES + 1).fill('x') }, 'values', /has 10001 entries/],
    [{ attribute: 'a', op: 'lt', values: new Array(MAX_TRIED_VALUES + 1).fill(1) }, 'values', /has 201 entries/],
  ])('rejects the clause %j', (clause, path, message) => {
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(clauseIssues(clause)).toEqual({ [at(path)]: expected });
  });

  it.each([
    [{ hash: 'md5' }, { hash: /^unknown hash "md5": use one of fanion, unleash/ }],
    [{ seed: '' }, { seed: 'must be a non-empty text' }],
    [{ hash: 'flagd', seed: '' }, {}],
    [{ hash: 'flagd', buckets: 0 }, { buckets: 'must be a whole number from 1 to 100000' }],
    [{ buckets: 100 }, { buckets: 'must be left out: the number of buckets of "fanion" is fixed' }],
    [{ hash: 'growthbook_v2', buckets: 100 }, { buckets: /is fixed$/ }],
    [{ fallback_bucket_by: ['a', ''] }, { 'fallback_bucket_by.1': 'an attribute is needed' }],
    [{ fallback_bucket_by: ['a', 'b', 'c', 'd', 'e'] }, { fallback_bucket_by: /^has 5 entries/ }],
  ])('rejects a meaningless rollout or share of %j', (bucketing, expected) => {
    const draft = JSON.parse(JSON.stringify(bucketing));
    const weights = [{ variant: 'true', weight: 100_000 }];
    const below = (path: string) =>
      Object.fromEntries(
        Object.entries(expected).map(([field, what]) => [`${path}.${field}`, expect.stringMatching(what)]),
      );
    expect(issuesOf({ fallthrough: { rollout: { ...draft, weights } } })).toEqual(below('fallthrough.rollout'));
    const shares = [{ seed: 's', ranges: [[0, 1_000]] as [number, number][], ...draft }];
    const rules = [{ clauses: [], shares, variant: 'true' }];
    const inShares = issuesOf({ rules });
    expect(inShares).toEqual(expect.objectContaining(below('rules.0.shares.0')));
  });

  it.each([
    ['unleash', undefined, 33_300, /^ends between two buckets: the hash has 100, so percentages come in steps of 1%$/],
    ['growthbook_v1', undefined, 33_350, /in steps of 0.1%$/],
    ['flagd', 3, 40_000, /in steps of 33.3333%$/],
    ['unleash', undefined, 33_000, undefined],
    ['flagd', 3, 33_334, undefined],
    ['fanion', undefined, 33_333, undefined],
  ] as const)('refuses a percentage that %s cannot serve exactly (%s buckets, %s)', (hash, buckets, weight, wrong) => {
    const weights = [
      { variant: 'true', weight },
      { variant: 'false', weight: 100_000 - weight },
    ];
    const issues = issuesOf({ fallthrough: { rollout: { hash, buckets, weights } } });
    const path = 'fallthrough.rollout.weights.0.weight';
    expect(issues).toEqual(wrong === undefined ? {} : { [path]: expect.stringMatching(wrong) });
    const shares = [{ hash, buckets, seed: 's', ranges: [[0, weight]] as const }];
    const inShares = issuesOf({ rules: [{ clauses: [], shares, variant: 'true' }] });
    expect(inShares).toEqual(wrong === undefined ? {} : { 'rules.0.shares.0.ranges.0': expect.stringMatching(wrong) });
  });

  it('limits rules, clauses and ids', () => {
    const clause = { attribute: 'a', op: 'in', values: ['x'] };
    const rule = { clauses: [clause], variant: 'true' };
    expect(issuesOf({ rules: new Array(MAX_RULES + 1).fill(rule) })).toHaveProperty('rules');
    const wide = { ...rule, clauses: new Array(MAX_CLAUSES + 1).fill(clause) };
    expect(issuesOf({ rules: [wide] })).toEqual({ 'rules.0.clauses': 'has 51 entries, at most 50 are allowed' });
    expect(
      issuesOf({
        rules: [
          { ...rule, id: 'r' },
          { ...rule, id: 'r' },
        ],
      }),
    ).toEqual({
      'rules.1.id': 'the id "r" appears twice',
    });
  });

  it('rejects a value in two targets of the same attribute', () => {
    const targets = [
      { variant: 'true', values: ['u', 'v'] },
      { variant: 'false', values: ['u'] },
      { variant: 'false', values: ['u'], attribute: 'company' },
    ];
    expect(issuesOf({ targets })).toEqual({ 'targets.1.values.0': '"u" is a value of targets.0 already' });
  });

  it.each([
    [{ op: 'in', values: ['1'], as: 'number' }, { 'values.0': 'must be a number, as the attribute is read as number' }],
    [{ op: 'eq', values: [1], as: 'text' }, { 'values.0': 'must be a text, as the attribute is read as text' }],
    [{ op: 'gte', values: [1], as: 'size' }, {}],
    [{ op: 'semver_gt', values: ['v1.0.0'], as: 'version' }, {}],
    [
      { op: 'contains', values: ['a'], as: 'size' },
      expect.objectContaining({ as: '"contains" does not compare numbers' }),
    ],
    [{ op: 'cidr', values: ['10.0.0.1'], ignore_case: true }, { ignore_case: '"cidr" does not compare letters' }],
    [{ op: 'in', values: ['a'], context_kind: 'a b' }, { context_kind: expect.stringMatching(/1 to 64 letters/) }],
    [{ op: 'in', values: ['a'], context_kind: 'multi' }, { context_kind: expect.stringMatching(/cannot be/) }],
  ])('checks how an attribute is read: %j', (clause, expected) => {
    const found = clauseIssues({ attribute: 'a', ...JSON.parse(JSON.stringify(clause)) });
    expect(
      Object.fromEntries(Object.entries(found).map(([path, message]) => [path.replace(at(''), ''), message])),
    ).toEqual(expected);
  });

  it('accepts one value as a target of two kinds', () => {
    const targets = [
      { variant: 'true', values: ['acme'], context_kind: 'organization' },
      { variant: 'false', values: ['acme'], context_kind: 'device' },
    ];
    expect(issuesOf({ targets })).toEqual({});
    expect(issuesOf({ targets: [{ variant: 'true', values: ['a'], context_kind: 'kind' }] })).toHaveProperty([
      'targets.0.context_kind',
    ]);
  });

  it('accepts only targeting that compiles', () => {
    const value = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constantFrom('1.2.3-rc.1', '10.0.0.0/8', '::/0', '2024-02-29T00:00:00+02:00', '^(a|b)+$', '[', 'beta'),
    );
    const clause = fc.record({
      attribute: fc.constantFrom('a', '/a/b', '/a~', '__proto__', ''),
      op: fc.constantFrom(...OPERATOR_NAMES),
      values: fc.array(value, { maxLength: 3 }),
      negate: fc.boolean(),
    });
    const weight = fc.constantFrom(0, 50_000, 100_000, -50_000, 0.5);
    const serve = fc.oneof(
      fc.record({ variant: fc.constantFrom('true', 'maybe') }),
      fc.record({
        rollout: fc.record({
          weights: fc.array(fc.record({ variant: fc.constantFrom('true', 'maybe'), weight }), { maxLength: 3 }),
        }),
      }),
    );
    fc.assert(
      fc.property(clause, serve, ({ attribute, ...rest }, served) => {
        const written = rest.op === 'in_segment' ? rest : { attribute, ...rest };
        const issues = validateTargeting(
          { variants },
          targeting({ rules: [{ clauses: [written], ...served }] }),
          known,
        );
        const rule: Rule = { id: 'r', salt: 's', clauses: [written], ...served };
        const flags = compileRuleset(ruleset([flag('x', { rules: [rule] })], [segment('beta')]));
        const malformed = evaluate(flags, 'x', { targetingKey: 'u' }).error?.code === 'PARSE_ERROR';
        // An empty list and an argument of `exists` compile, but are rejected as mistakes.
        const onlyStrict = issues.every(({ message }) => /at least one|must be empty/.test(message));
        expect(malformed).toBe(issues.length > 0 && !onlyStrict);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('validateVariants', () => {
  it('requires values of the flag’s kind, unique keys, and existing defaults', () => {
    const issues = validateVariants({
      kind: 'number',
      variants: [
        { key: 'a', value: 1 },
        { key: 'a', value: '1' },
        { key: '', value: Number.POSITIVE_INFINITY },
      ],
      default_variant: 'b',
      off_variant: 'c',
    });
    expect(issues).toEqual([
      { path: 'variants.1.key', message: 'the key "a" appears twice' },
      { path: 'variants.1.value', message: 'must be a number, the kind of the flag' },
      { path: 'variants.2.key', message: 'must be a non-empty text' },
      { path: 'variants.2.value', message: 'must be a finite number' },
      { path: 'default_variant', message: 'unknown variant "b"' },
      { path: 'off_variant', message: 'unknown variant "c"' },
    ]);
  });

  it('accepts any JSON for kind json, up to a size', () => {
    expect(validateVariants({ kind: 'json', variants: [{ key: 'a', value: { deep: [null] } }] })).toEqual([]);
    const [issue] = validateVariants({ kind: 'json', variants: [{ key: 'a', value: 'x'.repeat(MAX_VARIANT_LENGTH) }] });
    expect(issue?.path).toBe('variants.0.value');
    expect(validateVariants({ kind: 'json', variants: [] })).toHaveLength(1);
  });
  it('limits the depth of values', () => {
    const of = (depth: number) =>
      validateVariants({ kind: 'json', variants: [{ key: 'a', value: nested(depth) as JsonValue }] });
    expect(of(MAX_VARIANT_DEPTH)).toEqual([]);
    expect(of(MAX_VARIANT_DEPTH + 1)).toEqual([
      { path: 'variants.0.value', message: `is nested more than ${MAX_VARIANT_DEPTH} deep` },
    ]);
    expect(of(30_000)).toHaveLength(1);
  });
});

describe('validatePrerequisites', () => {
  const flags = new Map(['a', 'b', 'c'].map((key) => [key, variants]));
  const check = (key: string, prerequisites: Prerequisite[], graph = new Map([['b', ['a']]])) =>
    validatePrerequisites(key, prerequisites, flags, graph).map(({ path, message }) => `${path}: ${message}`);

  it('accepts flags and variants that exist', () => {
    expect(check('c', [{ flag: 'b', variants: ['true', 'false'] }])).toEqual([]);
  });

  it('rejects unknown, repeated and empty entries', () => {
    const prerequisites = [
      { flag: 'x', variants: ['true'] },
      { flag: 'a', variants: ['maybe'] },
      { flag: 'a', variants: [] },
    ];
    expect(check('c', prerequisites)).toEqual([
      'prerequisites.0.flag: unknown flag "x"',
      'prerequisites.1.variants.0: unknown variant "maybe"',
      'prerequisites.2.flag: "a" appears twice',
      'prerequisites.2.variants: must have at least one variant',
    ]);
  });

  it('rejects cycles and long chains', () => {
    expect(check('a', [{ flag: 'b', variants: ['true'] }])).toEqual(['prerequisites: would make a cycle: a → b → a']);
    const chain = Array.from({ length: MAX_DEPENDENCY_DEPTH }, (_, i): [string, string[]] => [`f${i}`, [`f${i + 1}`]]);
    const deep = new Map([['b', ['f0']], ...chain]);
    expect(check('a', [{ flag: 'b', variants: ['true'] }], deep)).toHaveLength(1);
  });
});

describe('validateSegment', () => {
  const graph = new Map([['beta', ['alpha']]]);
  const check = (key: string, draft: Partial<SegmentDraft>) =>
    validateSegment(key, { included: [], excluded: [], rules: [], ...draft }, { ...known, graph }).map(
      ({ path, message }) => `${path}: ${message}`,
    );

  it('accepts lists and rules', () => {
    expect(check('new', { included: ['u'], rules: [{ clauses: [{ op: 'in_segment', values: ['beta'] }] }] })).toEqual(
      [],
    );
  });

  it('rejects rules that match every context, empty keys, and cycles', () => {
    expect(check('new', { included: [''], rules: [{ clauses: [] }] })).toEqual([
      'included.0: must be a non-empty text',
      'rules.0.clauses: must have at least one clause or share, or it matches every context',
    ]);
    const naming = (key: string) => ({ rules: [{ clauses: [{ op: 'in_segment', values: [key] }] }] });
    expect(check('alpha', naming('beta'))).toEqual(['rules: would make a cycle: alpha → beta → alpha']);
    expect(check('self', naming('self'))).toEqual(['rules: would make a cycle: self → self']);
  });
});
