import { createRequire } from 'node:module';
import type { EvaluationContext, JsonValue } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { Report } from '../../packages/cli/src/files/report.ts';
import { FlagDocument } from '../../packages/cli/src/flags/document.ts';
import { convertAll, converters } from '../../packages/cli/src/flags/import/index.ts';
import { evaluator } from '../../packages/cli/src/flags/testing/serve.ts';

/*
 * An imported condition means what it meant: each operator of the other product, over values of every type, is evaluated
 * by the product's own SDK and by our engine with the import. What differs is listed as an exception, and nothing else
 * may.
 */

const require = createRequire(import.meta.url);
/** The attribute `a` of each context; undefined is a missing one. */
const values: readonly (JsonValue | undefined)[] = [
  undefined,
  'abc',
  'ABCdef',
  ' abc ',
  '7',
  '7.50',
  '18',
  'v2.1.0',
  '2.1.0',
  '2.1.0-rc.1',
  '2.0.9',
  '3.4.5',
  'none',
  '10.1.2.3',
  '192.168.0.1',
  '2001:db8::1',
  0,
  7,
  7.5,
  18,
  30,
  true,
  false,
];
const lists: readonly JsonValue[] = [['abc', 'x'], ['x', 'y', 'z'], [7], []];
const contextOf = (value: JsonValue | undefined): EvaluationContext =>
  JSON.parse(JSON.stringify({ targetingKey: 'unit', a: value }));

/** One boolean flag for each condition. */
function imported(product: string, content: unknown) {
  const converter = converters[product];
  if (converter === undefined) throw new Error(product);
  const report = new Report();
  const set = convertAll(converter, [{ name: 'file', content }], report);
  for (const flag of set.flags) expect(FlagDocument.parse(flag)).toEqual(flag);
  return { ask: evaluator(set, 'default'), lost: report.notes.filter(({ level }) => level === 'lost') };
}

/** Values that a condition treats otherwise than the product does, and why. */
interface Exception {
  readonly conditions: RegExp;
  readonly why: string;
  readonly values: (value: JsonValue | undefined) => boolean;
}

/**
 * The values for which the two disagree, without the exceptions. `theirs` returns undefined where the product fails to
 * evaluate.
 */
function disagreements(
  condition: string,
  exceptions: readonly Exception[],
  ours: (value: JsonValue | undefined) => boolean,
  theirs: (value: JsonValue | undefined) => boolean | undefined,
  asked = values,
): string[] {
  const but = exceptions.filter(({ conditions }) => conditions.test(condition));
  return asked
    .filter((value) => !but.some((exception) => exception.values(value)))
    .filter((value) => (theirs(value) ?? ours(value)) !== ours(value))
    .map((value) => JSON.stringify(value) ?? 'missing');
}

const isBoolean = (value: unknown) => typeof value === 'boolean';
const isVersion = (value: unknown) => /^v?\d+(\.\d+){2}(-.*)?$/.test(String(value));

describe('Unleash', () => {
  interface Client {
    isEnabled(name: string, context: object, fallback: () => boolean): boolean;
  }
  const UnleashClient: new (repository: object, strategies: object[]) => Client =
    require('unleash-client/lib/client').default;
  const { defaultStrategies }: { defaultStrategies: object[] } = require('unleash-client/lib/strategy');
  const of = (operator: string, ...values: string[]) => ({ operator, values, value: values[0] });
  const constraints: readonly { operator: string; caseInsensitive?: boolean }[] = [
    of('IN', 'abc', '7', 'true'),
    of('NOT_IN', 'abc', '7', 'true'),
    of('IN'),
    of('IN', ' abc ', ''),
    of('STR_STARTS_WITH', 'abc', '1'),
    of('STR_ENDS_WITH', 'def', '5'),
    of('STR_CONTAINS', 'bc', '.'),
    ...['STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS', 'REGEX'].map((operator) => ({
      ...of(operator, 'ABC'),
      caseInsensitive: true,
    })),
    of('REGEX', '^[a-z]+$'),
    ...['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'].map((operator) => of(operator, '7.5')),
    of('NUM_EQ', '18'),
    ...['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_GTE', 'SEMVER_LT', 'SEMVER_LTE'].map((operator) => of(operator, '2.1.0')),
    of('IN_CIDR', '10.0.0.0/8', '2001:db8::/32'),
  ];
  const conditions = constraints.flatMap((constraint) =>
    [false, true].map((inverted) => ({ contextName: 'a', ...constraint, inverted })),
  );
  const features = conditions.map((constraint, i) => ({
    name: `f${i}`,
    enabled: true,
    strategies: [{ name: 'default', constraints: [constraint], parameters: {} }],
  }));
  const { ask, lost } = imported('unleash', { version: 2, features });
  const toggles = new Map(features.map((feature) => [feature.name, feature]));
  const client = new UnleashClient(
    { getToggle: (name: string) => toggles.get(name), getSegment: () => undefined },
    defaultStrategies,
  );

  const exceptions: Exception[] = [
    { conditions: /SEMVER/, why: '"7" is version 7.0.0 here', values: (value) => /^\d+(\.\d+)?$/.test(String(value)) },
  ];

  it('loses no condition', () => expect(lost).toEqual([]));
  it.each(conditions.map((condition, i) => [JSON.stringify(condition), i] as const))('%s', (condition, i) => {
    const ours = (value: JsonValue | undefined) => ask(`f${i}`, contextOf(value)).value === true;
    const theirs = (value: JsonValue | undefined) =>
      client.isEnabled(`f${i}`, { userId: 'unit', properties: { a: value } }, () => false);
    expect(disagreements(condition, exceptions, ours, theirs)).toEqual([]);
  });
});

describe('GrowthBook', () => {
  interface Client {
    evalFeature(key: string, context: object): { value: JsonValue };
  }
  const { GrowthBookClient }: { GrowthBookClient: new () => Client & { initSync(options: object): Client } } =
    require('@growthbook/growthbook');
  const ofLists = /\$(n?ini?|all|alli|size|elemMatch|exists|inGroup|notInGroup)"/;
  const tests: readonly JsonValue[] = [
    'abc',
    '7',
    7,
    0,
    true,
    false,
    null,
    ...['$eq', '$ne'].flatMap((name) => ['abc', 7, true, null].map((value) => ({ [name]: value }))),
    ...['$gt', '$gte', '$lt', '$lte'].flatMap((name) => [0, 7.5, 18].map((value) => ({ [name]: value }))),
    ...['$veq', '$vne', '$vgt', '$vgte', '$vlt', '$vlte'].map((name) => ({ [name]: '2.1.0' })),
    ...['$in', '$nin'].map((name) => ({ [name]: ['abc', 7, true] })),
    ...['$ini', '$nini'].map((name) => ({ [name]: ['ABC', 'abcdef', 7] })),
    { $in: [] },
    { $nin: [] },
    { $all: ['abc', 'x'] },
    { $alli: ['ABC'] },
    { $all: [] },
    ...[0, 2, 3].map((size) => ({ $size: size })),
    { $size: { $gt: 1 } },
    { $size: { $ne: 2 } },
    { $elemMatch: { $eq: 'abc' } },
    { $exists: true },
    { $exists: false },
    { $regex: '^[a-c]+$' },
    { $regexi: '^abc' },
    { $not: { $regex: 'b' } },
    { $not: { $gt: 10 } },
    { $gt: 5, $lt: 10 },
    { $inGroup: 'texts' },
    { $notInGroup: 'texts' },
    { $inGroup: 'numbers' },
    ...['$in', '$nin', '$ini', '$nini', '$all', '$alli'].map((name) => ({ [name]: 'abc' })),
    { $not: { $nin: 'abc' } },
    { $inGroup: 'gone' },
    { $notInGroup: 'gone' },
  ];
  const conditions: readonly JsonValue[] = [
    ...tests.map((a) => ({ a })),
    { $or: [{ a: 'abc' }, { a: { $gt: 10 } }] },
    { $nor: [{ a: 'abc' }, { a: { $gt: 10 } }] },
    { $not: { a: { $in: ['abc'] } } },
    { $or: [] },
    { $savedGroup: { id: 'list' } },
    { $savedGroup: { id: 'other', attributeKey: 'a' } },
    { $savedGroup: { id: 'rule' } },
  ];
  const savedGroups = {
    texts: ['abc', '7'],
    numbers: [7, 18],
    list: { type: 'list', attributeKey: 'a', values: ['abc', 30] },
    other: { type: 'list', attributeKey: 'b', values: ['x'] },
    rule: { type: 'condition', condition: { a: { $gt: 10 } } },
  };
  const features = Object.fromEntries(
    conditions.map((condition, i) => [`f${i}`, { defaultValue: false, rules: [{ condition, force: true }] }]),
  );
  const { ask, lost } = imported('growthbook', { features, savedGroups });
  const client = new GrowthBookClient().initSync({ payload: { features, savedGroups } });

  const exceptions: Exception[] = [
    { conditions: /"\$(gte?|lte?)"|:0\}$/, why: 'true is 1 there', values: isBoolean },
    {
      conditions: /:(true|false)\}$/,
      why: 'whatever is not empty is true there',
      values: (value) => !isBoolean(value),
    },
    {
      conditions: /\$v(gt|lt)e?"/,
      why: 'any text is a version there',
      values: (value) => value !== undefined && !isVersion(value),
    },
  ];

  it('loses no condition', () => expect(lost).toEqual([]));
  it.each(conditions.map((condition, i) => [JSON.stringify(condition), i] as const))('%s', (condition, i) => {
    const ours = (value: JsonValue | undefined) => ask(`f${i}`, contextOf(value)).value === true;
    const theirs = (a: JsonValue | undefined) =>
      client.evalFeature(`f${i}`, { attributes: { id: 'unit', ...(a !== undefined && { a }) } }).value === true;
    const asked = ofLists.test(condition) ? [...values, ...lists] : values;
    expect(disagreements(condition, exceptions, ours, theirs, asked)).toEqual([]);
  });
});

describe('flagd', () => {
  interface Core {
    setConfigurations(text: string): unknown;
    resolveBooleanEvaluation(
      key: string,
      fallback: boolean,
      context: object,
      logger: object,
    ): { value: boolean; errorCode?: string };
  }
  const { FlagdCore }: { FlagdCore: new (storage?: object, logger?: object) => Core } =
    require('@openfeature/flagd-core');
  const silent = { error() {}, warn() {}, info() {}, debug() {} };
  const a = { var: 'a' };
  const conditions: readonly JsonValue[] = [
    ...['==', '!=', '===', '!=='].flatMap((name) => ['abc', 7, '7', true].map((value) => ({ [name]: [a, value] }))),
    { '==': [a, null] },
    ...['<', '<=', '>', '>='].flatMap((name) => [0, 7.5, 18].map((value) => ({ [name]: [a, value] }))),
    { '<': [5, a, 20] },
    { '<=': [7, a, 18] },
    { in: [a, ['abc', 7, true]] },
    { in: ['bc', a] },
    { '!': a },
    { '!!': a },
    { '!': { in: [a, ['abc']] } },
    { starts_with: [a, 'abc'] },
    { ends_with: [a, 'def'] },
    ...['=', '!=', '<', '<=', '>', '>=', '^', '~'].map((sign) => ({ sem_ver: [a, sign, '2.1.0'] })),
    { sem_ver: [a, '>=', 'v2.1'] },
    { sem_ver: [a, '=', 7] },
    { '!': { sem_ver: [a, '!=', '2.1.0'] } },
    { and: [{ '>': [a, 5] }, { '<': [a, 20] }] },
    { or: [{ '==': [a, 'abc'] }, { '>=': [a, 18] }] },
    ...['<', '<=', '>', '>='].flatMap((name) =>
      [1_000_000_000, 4_000_000_000].map((time) => ({ [name]: [{ var: '$flagd.timestamp' }, time] })),
    ),
    { $ref: 'shared' },
  ];
  const flags = Object.fromEntries(
    conditions.map((condition, i) => [
      `f${i}`,
      {
        state: 'ENABLED',
        variants: { yes: true, no: false },
        defaultVariant: 'no',
        targeting: { if: [condition, 'yes', 'no'] },
      },
    ]),
  );
  const file = { flags, $evaluators: { shared: { '>': [a, 10] } } };
  const { ask, lost } = imported('flagd', file);
  const core = new FlagdCore(undefined, silent);
  core.setConfigurations(JSON.stringify(file));

  const exceptions: Exception[] = [
    { conditions: /"[<>]=?"/, why: 'true is 1 there', values: isBoolean },
    {
      conditions: /,null\]/,
      why: 'its engine for JavaScript finds 0 equal to null',
      values: (value) => value === 0 || value === false,
    },
  ];

  it('loses no condition', () => expect(lost).toEqual([]));
  it.each(conditions.map((condition, i) => [JSON.stringify(condition), i] as const))('%s', (condition, i) => {
    const ours = (value: JsonValue | undefined) => ask(`f${i}`, contextOf(value)).value === true;
    const theirs = (value: JsonValue | undefined) => {
      const answer = core.resolveBooleanEvaluation(`f${i}`, false, contextOf(value), silent);
      return answer.errorCode === undefined ? answer.value : undefined;
    };
    expect(disagreements(condition, exceptions, ours, theirs)).toEqual([]);
  });
});
