import type {
  Clause,
  EvaluationContext,
  Flag,
  JsonValue,
  OperatorName,
  Prerequisite,
  Rollout,
  Ruleset,
  Scalar,
  Segment,
  Serve,
  Share,
} from '@fanion/flag-engine';
import fc from 'fast-check';

/** Texts that some evaluators read as numbers, versions, times or booleans. */
const texts = [
  ...['', 'a', 'ab', 'AB', 'kit', 'K\u0130T', '\u212a\u0130', 'xkit', '😀', 'a😀', '😀a', 'größe', ' ', '|', 'x|'],
  ...['true', 'false', 'True', 'False', 'null', 'None', 'NaN', 'inf', 'Infinity', '-infinity', '[object Object]'],
  ...[
    '5',
    ' 5 ',
    '5.0',
    '05',
    '+5',
    '-5',
    '5.',
    '.5',
    '.',
    '+',
    '-',
    '1e3',
    '1E+3',
    '1e',
    'e1',
    '1e0001',
    '1e400',
    '-1e400',
  ],
  ...['0x10', '1_000', '0', '-0', '1', '18', '17.999', '1e-3', '٥', '5\n', `${'0'.repeat(63)}5`, `${'0'.repeat(64)}5`],
  ...['1.2.3', 'v1.2.3', 'V1.2', 'vv1.2.3', '1', '1.2', '01.2.3', '1.02.3', '1.2.3.4', ' 1.2.3', '1.2.3 ', '=1.2.3'],
  ...[
    '1.2.3-rc.1',
    '1.2.3-rc.10',
    '1.2.3-rc.2',
    '1.2.3-rc',
    '1.2.3-rc.',
    '1.2.3-01',
    '1.2.3-0a',
    '1.2-rc.1',
    '1.2.3-1',
  ],
  ...['1.2.3+b.1', '1.2.3+', '1.2.3-rc.1+b', '1.10.0', '2.0.0', '0.2.3', '0.0.3', '1.2.3-a-b', '1.2.3-a', '1.', '1..2'],
  ...['99999999999999999999.0.0', `1.2.3-${'a'.repeat(250)}`, `1.2.3-${'a'.repeat(251)}`, '1.2.3|', '1.2.3-|'],
  ...['2024-02-29T12:00:00Z', '2023-02-29T12:00:00Z', '2024-02-29t12:00:00z', '2024-02-29 12:00:00.5+02:00'],
  ...[
    '2024-02-29T12:00:00.123456789Z',
    '2024-02-29T12:00:00.1234567891Z',
    '2024-02-29T12:00:00',
    '2024-02-29',
    '0000-01-01T00:00:00Z',
  ],
  ...[
    '2024-12-31T23:59:60-23:59',
    '2024-13-01T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:00:00+24:00',
    '1900-03-01T00:00:00Z',
  ],
  ...['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8'],
];
const numbers = [
  ...[
    0, -0, 1, -1, 1.5, 5, 16, 18, 17.999, 0.5, 1_000, 2.5, 1.1, 1.05, 1.2, 10, 1.123456789012345, 0.30000000000000004,
  ],
  ...[1e15, 1e16, 1e21, 1e300, -1e300, 1e-7, 0.000001, 2 ** 53 - 1, 2 ** 53, 1.0999999999999999, 12.100000000000001],
  ...[1_709_208_000_000, 1_709_208_000_000.5, -2_203_891_200_000],
];
export const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<Scalar>(...texts) },
  { weight: 3, arbitrary: fc.constantFrom<Scalar>(...numbers) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.stringMatching(/^[-+]?\d{0,3}\.?\d{0,3}([eE][-+]?\d{0,4})?$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^[vV]?\d{0,2}(\.\d{0,2}){0,3}(-[a1.-]{0,4})?(\+[a1.]{0,3})?$/) },
  {
    weight: 1,
    arbitrary: fc.stringMatching(
      /^20[012]\d-[01]\d-[0-3]\d[T ][012]\d:[0-6]\d:[0-6]\d(\.\d{1,4})?([+-][012]\d:[0-6]\d|Z)$/,
    ),
  },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
);
/** Objects whose members hide what objects inherit. */
const objects = fc.constantFrom<JsonValue>(
  ...[{}, { a: 'a' }, { length: 1, 0: 'a' }, { toString: null }, { toString: 1, valueOf: 1 }, { constructor: null }],
  ...[{ charAt: null, toFixed: null }, { charAt: 'a', toFixed: 5, toString: null }, { '-': 1 }, { var: 'a' }],
);
const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: objects },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>([], ['a'], [5], [{ toString: null }]) },
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 3 }) },
);

/** flagd's SDK for JavaScript does not hash text beyond ASCII as UTF-8, which flagd and its other SDKs do. */
const unit: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...texts.filter((text) => /^[ -~]*$/.test(text))) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme-ascii' }) },
  { weight: 2, arbitrary: fc.oneof(fc.constantFrom<JsonValue>(...numbers, true, false, null, ['u1'], []), objects) },
);

export const contexts: fc.Arbitrary<EvaluationContext> = fc.record(
  {
    targetingKey: unit,
    unit,
    a: value,
    b: fc.oneof(value, fc.record({ c: value }), fc.constant({ c: { d: 1 } })),
    now: fc.oneof({ weight: 1, arbitrary: value }, { weight: 2, arbitrary: fc.constant(null) }),
  },
  { requiredKeys: [] },
);

const attribute = fc.oneof(
  { weight: 8, arbitrary: fc.constant('a') },
  { weight: 2, arbitrary: fc.constantFrom('targetingKey', '/b/c', 'b') },
);
const as = fc.constantFrom('number', 'text', undefined, undefined);
const someOf = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 });
const equality = fc
  .record({
    ...{ attribute, negate: fc.boolean(), as },
    op: fc.constantFrom<OperatorName>('in', 'eq', 'not_in', 'neq'),
    values: someOf(scalar),
    ignore_case: fc.constantFrom(true, false, false),
  })
  .map(({ as, values, ...clause }) => {
    const wanted = as === 'number' ? 'number' : as === 'text' ? 'string' : undefined;
    const typed = values.filter((value) => wanted === undefined || typeof value === wanted);
    return { ...clause, values: typed.length > 0 ? typed : [wanted === 'number' ? 5 : '5'], ...(as && { as }) };
  });
const order = fc
  .record({
    ...{ attribute, negate: fc.boolean() },
    op: fc.constantFrom<OperatorName>('lt', 'lte', 'gt', 'gte'),
    values: someOf(fc.constantFrom(...numbers)),
    as: fc.constantFrom('number', undefined),
  })
  .map(({ as, ...clause }) => ({ ...clause, ...(as && { as }) }));
const letters = fc.record({
  ...{ attribute, negate: fc.boolean() },
  op: fc.constantFrom<OperatorName>('starts_with', 'ends_with', 'contains'),
  values: someOf(fc.constantFrom('', 'a', 'b', 'k', 'K', 'ki', 'KIT', '😀', '5', 'ö', '1.2', '\u{1f600}a')),
  ignore_case: fc.constantFrom(true, false, false),
});
const version = fc
  .record({
    ...{ attribute, negate: fc.boolean() },
    op: fc.constantFrom<OperatorName>(
      ...(['eq', 'lt', 'lte', 'gt', 'gte', 'caret', 'tilde', 'same_major', 'same_minor'] as const).map(
        (name) => `semver_${name}` as const,
      ),
    ),
    values: someOf(
      fc.constantFrom(
        '1.2.3',
        '1',
        '1.2',
        '1.2.3-rc.2',
        '0.2.3',
        '0.0.3',
        '1.10.0',
        '1.1',
        '10.0.0',
        '0',
        '1.2.3-1',
        '1.2.3-0a',
      ),
    ),
    as: fc.constantFrom('version', undefined),
  })
  .map(({ as, ...clause }) => ({ ...clause, ...(as && { as }) }));
const instants = [
  '2024-02-29T12:00:00Z',
  '2024-02-29T10:00:00.5+02:00',
  0,
  1_709_208_000_000,
  '1900-02-28T23:59:60Z',
  5,
];
const time = fc.record({
  ...{ attribute, negate: fc.boolean() },
  op: fc.constantFrom<OperatorName>('before', 'after'),
  values: someOf(fc.constantFrom<Scalar>(...instants)),
});
/** None of these times is near the present. */
const now = fc
  .record({
    negate: fc.boolean(),
    op: fc.constantFrom<OperatorName>('before', 'after', 'lt', 'lte', 'gt', 'gte', 'exists'),
    values: someOf(fc.constantFrom<Scalar>(0, 1_709_208_000_000, 4_102_444_800_000, '2024-02-29T12:00:00Z')),
  })
  .map(({ op, values, ...clause }): Clause => {
    const isTime = op === 'before' || op === 'after';
    const own = values.filter((value) => isTime || typeof value === 'number');
    return { attribute: 'now', op, values: op === 'exists' ? [] : own.length > 0 ? own : [0], ...clause };
  });
const exists = fc.record({
  attribute,
  op: fc.constant('exists' as const),
  values: fc.constant([]),
  negate: fc.boolean(),
});
const inSegment = fc.record({
  op: fc.constant('in_segment' as const),
  values: fc.constant(['group']),
  negate: fc.boolean(),
});
const ownClause = fc.oneof(equality, order, letters, version, time, now, exists) as fc.Arbitrary<Clause>;
const clause: fc.Arbitrary<Clause> = fc.oneof({ weight: 9, arbitrary: ownClause }, { weight: 1, arbitrary: inSegment });

const bucketing = {
  hash: fc.constant('flagd' as const),
  seed: fc.constantFrom('seed', 's2'),
  buckets: fc.constantFrom(3, 100, 1_000),
};
const rollout: fc.Arbitrary<Rollout> = fc.record(
  {
    ...bucketing,
    weights: fc.nat(100_000).map((first) => [
      { variant: 'one', weight: first },
      { variant: 'two', weight: 100_000 - first },
    ]),
    missing: fc.constantFrom('first' as const, 'skip' as const),
    bucket_by: fc.constantFrom('targetingKey', 'unit'),
  },
  { requiredKeys: ['hash', 'weights'] },
);
const share: fc.Arbitrary<Share> = fc.record(
  {
    ...bucketing,
    ranges: fc.array(
      fc.tuple(fc.nat(100_000), fc.nat(100_000)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
      { maxLength: 2 },
    ),
    missing: fc.constantFrom('in' as const, 'out' as const),
    bucket_by: fc.constantFrom('targetingKey', 'unit'),
  },
  { requiredKeys: ['hash', 'seed', 'ranges'] },
);
const variant = fc.constantFrom('one', 'two', null);
const serve: fc.Arbitrary<Serve> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ variant }) },
  { weight: 1, arbitrary: fc.record({ rollout }) },
);
const rules = (of: fc.Arbitrary<Clause>) =>
  fc
    .record({
      clauses: fc.array(of, { minLength: 1, maxLength: 2 }),
      shares: fc.array(share, { maxLength: 1 }),
      isShared: fc.nat(12),
    })
    .map(({ clauses, shares, isShared }) => ({ clauses, ...(isShared === 0 && shares.length > 0 && { shares }) }));

const flagWith = (key: string, prerequisites: fc.Arbitrary<readonly Prerequisite[]>): fc.Arbitrary<Flag> =>
  fc
    .record({
      ...{ enabled: fc.nat(9).map((n) => n > 0), off_variant: variant, fallthrough: serve, prerequisites },
      targets: fc.array(
        fc.record({
          variant: fc.constantFrom('one', 'two'),
          values: fc.array(fc.constantFrom('', 'a', 'u1', 'größe', '5', 'true'), { maxLength: 2 }),
          attribute: fc.constantFrom('targetingKey', 'a'),
        }),
        { maxLength: 1 },
      ),
      rules: fc
        .array(
          fc
            .tuple(rules(clause), serve, fc.option(variant, { nil: undefined }))
            // What importers write for a division: the same rule again, for contexts without a unit.
            .map(([rule, served, without]) => [
              { id: 'r', salt: 's', ...rule, ...served },
              ...('rollout' in served && without !== undefined
                ? [{ id: 'o', salt: 'o', ...rule, variant: without }]
                : []),
            ]),
          { minLength: 1, maxLength: 2 },
        )
        .map((rules) => rules.flat()),
    })
    .map((changes) => ({
      ...{ key, kind: 'string', version: 1, salt: 'salt' },
      variants: [
        { key: 'one', value: '1' },
        { key: 'two', value: '2' },
      ],
      ...changes,
    }));

const requires = (flag: string) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<readonly Prerequisite[]>([]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<readonly Prerequisite[]>(
        [{ flag, variants: ['one'] }],
        [{ flag: 'gone', variants: ['one'] }],
      ),
    },
  );
const segment: fc.Arbitrary<Segment> = fc.record({
  ...{ key: fc.constant('group'), version: fc.constant(1) },
  included: fc.constantFrom([], ['u1', '5', '']),
  excluded: fc.constantFrom([], ['u2', 'true']),
  rules: fc.array(rules(ownClause), { maxLength: 2 }),
});

/** Rulesets with a flag `main`, which may depend on `base`, which may depend on `root`. */
export const rulesets: fc.Arbitrary<Ruleset> = fc
  .record({
    main: flagWith('main', requires('base')),
    base: flagWith('base', requires('root')),
    root: flagWith('root', fc.constant([])),
    group: segment,
  })
  .map(({ group, ...flags }) => ({
    ...{ version: 1, environment: 'production', project: 'shop' },
    flags,
    segments: { group },
  }));
