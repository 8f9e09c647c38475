import { createRequire } from 'node:module';
import type { EvaluationContext, JsonValue } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { Report } from '../../packages/cli/src/files/report.ts';
import { FlagDocument } from '../../packages/cli/src/flags/document.ts';
import { convertAll, converters } from '../../packages/cli/src/flags/import/index.ts';
import { plan } from '../../packages/cli/src/flags/plan.ts';
import { evaluator } from '../../packages/cli/src/flags/testing/serve.ts';

/*
 * An import moves no unit: 10,000 units are evaluated by the other product's own SDK and by our engine with the import,
 * and each must keep its variant.
 */

const require = createRequire(import.meta.url);
const UNITS = 10_000;
const units = Array.from({ length: UNITS }, (_, i) => ({
  userId: `user-${i}`,
  sessionId: i % 3 === 0 ? undefined : `session-${i % 977}`,
  company: i % 4 === 0 ? undefined : `company-${i % 1_009}`,
  country: ['DE', 'FR', 'US', 'ä-land'][i % 4],
}));
type Unit = (typeof units)[number];

const contextOf = ({ userId, ...attributes }: Unit): EvaluationContext =>
  JSON.parse(JSON.stringify({ targetingKey: userId, ...attributes }));

function imported(product: string, content: unknown) {
  const converter = converters[product];
  if (converter === undefined) throw new Error(product);
  const report = new Report();
  const set = convertAll(converter, [{ name: 'file', content }], report);
  // The server must accept the import.
  const nothing = {
    environments: undefined,
    flags: new Map(),
    flagKeys: new Set<string>(),
    archived: new Set<string>(),
  };
  const remote = { ...nothing, segments: new Map(), segmentKeys: new Set<string>(), pending: [] };
  expect(plan(set, remote).problems).toEqual([]);
  for (const flag of set.flags) expect(FlagDocument.parse(flag)).toEqual(flag);
  return { ask: evaluator(set, 'default'), notes: report.notes };
}

/** The number of units with the same result in both, and of distinct results. */
function agreement(
  ask: ReturnType<typeof evaluator>,
  flag: string,
  theirs: (unit: Unit) => JsonValue | undefined,
  ours: (answer: ReturnType<typeof ask>) => JsonValue | undefined = ({ value }) => value,
) {
  const seen = new Set<string>();
  let same = 0;
  const different: unknown[] = [];
  for (const unit of units) {
    const [here, there] = [ours(ask(flag, contextOf(unit))), theirs(unit)];
    seen.add(JSON.stringify(there));
    if (JSON.stringify(here) === JSON.stringify(there)) same++;
    else if (different.length < 3) different.push({ unit, here, there });
  }
  return { same, answers: seen.size, different };
}

describe('Unleash', () => {
  interface Client {
    isEnabled(name: string, context: object, fallback: () => boolean): boolean;
    getVariant(name: string, context: object): { name: string };
  }
  const UnleashClient: new (repository: object, strategies: object[]) => Client =
    require('unleash-client/lib/client').default;
  const { defaultStrategies }: { defaultStrategies: object[] } = require('unleash-client/lib/strategy');

  const rollout = (percent: number, more: object = {}, groupId = 'group') => ({
    name: 'flexibleRollout',
    parameters: { rollout: String(percent), groupId, stickiness: 'default', ...more },
  });
  const germans = { constraints: [{ contextName: 'country', operator: 'IN', values: ['DE'] }] };
  const variants = (stickiness: string, ...weights: number[]) =>
    weights.map((weight, i) => ({ name: `v${i}`, weight, stickiness }));
  const features: Record<string, object> = {
    'rollout-1': { strategies: [rollout(1)] },
    'rollout-37': { strategies: [rollout(37)] },
    'rollout-99': { strategies: [rollout(99, {}, 'another group')] },
    'rollout-0': { strategies: [rollout(0)] },
    'by-user': { strategies: [{ name: 'gradualRolloutUserId', parameters: { percentage: '45', groupId: 'g' } }] },
    'by-session': { strategies: [{ name: 'gradualRolloutSessionId', parameters: { percentage: '45', groupId: 'g' } }] },
    'sticky-user': { strategies: [rollout(20, { stickiness: 'userId' })] },
    'sticky-session': { strategies: [rollout(60, { stickiness: 'sessionId' })] },
    'sticky-company': { strategies: [rollout(50, { stickiness: 'company' })] },
    'sticky-company-for-all': { strategies: [rollout(100, { stickiness: 'company' })] },
    'without-group': { strategies: [{ name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId' } }] },
    'several-percentages': {
      strategies: [
        { ...rollout(30, {}, 'a'), ...germans },
        rollout(40, {}, 'b'),
        rollout(10, { stickiness: 'company' }),
      ],
    },
    'percentage-then-list': {
      strategies: [rollout(10), { name: 'userWithId', parameters: { userIds: 'user-1,user-2,user-77' } }],
    },
    variants: { strategies: [rollout(100)], variants: variants('default', 500, 300, 200) },
    'variants-of-some': { strategies: [rollout(40)], variants: variants('default', 333, 333, 334) },
    'variants-with-odd-weights': { strategies: [rollout(100)], variants: variants('userId', 1, 2, 4, 0, 10) },
    'variants-of-a-strategy': {
      strategies: [
        { ...rollout(50, {}, 'first'), ...germans, variants: variants('default', 700, 300) },
        { ...rollout(80, {}, 'second'), variants: [{ name: 'v2', weight: 1000, stickiness: 'default' }] },
      ],
    },
    'variants-without-strategies': { strategies: [], variants: variants('default', 100, 900) },
    'variants-with-overrides': {
      strategies: [rollout(30, { stickiness: 'userId' })],
      variants: [
        { name: 'v0', weight: 500, overrides: [{ contextName: 'country', values: ['FR'] }] },
        { name: 'v1', weight: 500, overrides: [{ contextName: 'userId', values: ['user-5', 'user-6'] }] },
      ],
    },
  };
  const file = {
    version: 2,
    features: Object.entries(features).map(([name, feature]) => ({ name, enabled: true, variants: [], ...feature })),
  };
  const { ask } = imported('unleash', file);
  const toggles = new Map(file.features.map((feature) => [feature.name, feature]));
  const client = new UnleashClient(
    { getToggle: (name: string) => toggles.get(name), getSegment: () => undefined },
    defaultStrategies,
  );
  const contextOfUnleash = ({ userId, sessionId, company, country }: Unit) => ({
    userId,
    sessionId,
    properties: { ...(company !== undefined && { company }), country },
  });

  it.each(Object.keys(features))('%s: every unit keeps its variant', (name) => {
    const divides = JSON.stringify(features[name]).includes('"v0"');
    const result = divides
      ? agreement(
          ask,
          name,
          (unit) => client.getVariant(name, contextOfUnleash(unit)).name,
          ({ variant }) => variant,
        )
      : agreement(ask, name, (unit) => client.isEnabled(name, contextOfUnleash(unit), () => false));
    expect(result.different).toEqual([]);
    expect(result.same).toBe(UNITS);
    expect(result.answers).toBe(name === 'rollout-0' ? 1 : divides ? result.answers : 2);
    if (divides) expect(result.answers).toBeGreaterThan(1);
  });
});

describe('GrowthBook', () => {
  interface Client {
    evalFeature(key: string, context: object): { value: JsonValue };
  }
  const { GrowthBookClient }: { GrowthBookClient: new () => Client & { initSync(options: object): Client } } =
    require('@growthbook/growthbook');

  const variations = ['a', 'b', 'c'];
  const rules: Record<string, object[]> = {
    'coverage-v1': [{ force: 'on', coverage: 0.3, hashAttribute: 'id' }],
    'coverage-v2': [{ force: 'on', coverage: 0.333, hashVersion: 2, seed: 'own seed' }],
    'coverage-0': [
      { force: 'on', coverage: 0 },
      { force: 'late', coverage: 0.5 },
    ],
    'coverage-then-another': [
      { force: 'x', coverage: 0.1, condition: { country: 'DE' } },
      { force: 'y', coverage: 0.5, hashAttribute: 'company' },
      { force: 'z', coverage: 1, hashAttribute: 'session' },
    ],
    'force-by-range': [{ force: 'on', range: [0.25, 0.75], hashVersion: 2, seed: 's' }],
    'force-with-filters': [
      {
        force: 'on',
        filters: [
          {
            seed: 'ns',
            ranges: [
              [0, 0.2],
              [0.5, 0.6],
            ],
            attribute: 'company',
          },
          { seed: 'm', hashVersion: 1, ranges: [[0, 0.9]] },
        ],
      },
    ],
    'experiment-v1': [{ variations, key: 'exp-1' }],
    'experiment-v2': [{ variations, key: 'exp-2', hashVersion: 2, weights: [0.2, 0.3, 0.5] }],
    'experiment-with-coverage': [
      { variations, coverage: 0.4, weights: [0.334, 0.333, 0.333], hashVersion: 2 },
      { force: 'rest' },
    ],
    'experiment-by-company': [{ variations: ['a', 'b'], hashAttribute: 'company' }],
    'experiment-in-a-namespace': [{ variations: ['a', 'b'], namespace: ['pricing', 0.1, 0.65], key: 'price' }],
    'experiment-with-ranges': [
      {
        variations,
        ranges: [
          [0, 0.1],
          [0.4, 0.5],
          [0.5, 0.999],
        ],
        hashVersion: 2,
        seed: 'moved',
        filters: [{ seed: 'f', ranges: [[0, 0.8]] }],
      },
    ],
    'experiment-with-a-holdout': [
      {
        variations: ['held', 'passes'],
        weights: [0.1, 0.9],
        meta: [{ key: 'held' }, { key: 'passes', passthrough: true }],
        key: 'holdout',
      },
      { variations: ['a', 'b'], key: 'inner' },
    ],
    'experiment-of-one': [{ variations: ['only'] }, { force: 'rest', coverage: 0.5 }],
  };
  const features = Object.fromEntries(
    Object.entries(rules).map(([key, list]) => [key, { defaultValue: 'default', rules: list }]),
  );
  const { ask } = imported('growthbook', { features });
  const client = new GrowthBookClient().initSync({ payload: { features } });
  const attributesOf = ({ userId, sessionId, company, country }: Unit) => ({
    attributes: { id: userId, sessionId, company, country },
  });

  it.each(Object.keys(rules))('%s: every unit keeps its variant', (key) => {
    const result = agreement(ask, key, (unit) => client.evalFeature(key, attributesOf(unit)).value);
    expect(result.different).toEqual([]);
    expect(result.same).toBe(UNITS);
    expect(result.answers).toBeGreaterThan(1);
  });
});

describe('GrowthBook gates', () => {
  interface Client {
    evalFeature(key: string, context: object): { value: JsonValue };
  }
  const { GrowthBookClient }: { GrowthBookClient: new () => Client & { initSync(options: object): Client } } =
    require('@growthbook/growthbook');

  it.each([
    ['a value', { value: 'y' }],
    ['one of some values', { value: { $in: ['y', 'z'] } }],
    ['any value', { value: { $exists: true } }],
    ['a truthy value', { value: true }],
  ])('a gate on %s serves as before', (_, condition) => {
    const features = {
      parent: {
        defaultValue: 'x',
        rules: [
          { force: 'y', coverage: 0.4 },
          { force: '', condition: { country: 'DE' } },
        ],
      },
      child: { defaultValue: 'on', rules: [{ parentConditions: [{ id: 'parent', condition, gate: true }] }] },
    };
    const { ask, notes } = imported('growthbook', { features });
    expect(notes.filter(({ level }) => level === 'lost')).toEqual([]);
    const client = new GrowthBookClient().initSync({ payload: { features } });
    const result = agreement(
      ask,
      'child',
      ({ userId: id, country }) => client.evalFeature('child', { attributes: { id, country } }).value,
    );
    expect(result.different).toEqual([]);
    expect(result.answers).toBe('$exists' in Object(condition.value) ? 1 : 2);
  });
});

describe('flagd', () => {
  interface Core {
    setConfigurations(text: string): unknown;
    resolveStringEvaluation(key: string, fallback: string, context: object, logger: object): { value: string };
  }
  const { FlagdCore }: { FlagdCore: new (storage?: object, logger?: object) => Core } =
    require('@openfeature/flagd-core');
  const silent = { error() {}, warn() {}, info() {}, debug() {} };

  const variable = (name: string) => ({ var: name });
  const byKey = (attribute: string) => ({ cat: [variable('$flagd.flagKey'), variable(attribute)] });
  const targetings: Record<string, object> = {
    'by-targeting-key': {
      fractional: [
        ['a', 25],
        ['b', 25],
        ['c', 50],
      ],
    },
    'by-attribute': { fractional: [variable('userId'), ['a', 1], ['b', 2], ['c', 4]] },
    'by-missing-attribute': { fractional: [variable('company'), ['a', 50], ['b', 50]] },
    'by-flag-key': { fractional: [byKey('userId'), ['a', 10], ['b', 90]] },
    'by-seed': { fractional: [{ cat: ['salt-', 7, variable('userId')] }, ['a', 33], ['b', 33], ['c', 34]] },
    'without-weights': { fractional: [variable('userId'), ['a'], ['b'], ['c']] },
    'with-large-weights': { fractional: [variable('userId'), ['a', 2_000_000], ['b', 1_000_000], ['c', 500_000]] },
    'with-weights-below-zero': { fractional: [variable('userId'), ['a', -10], ['b', 5], ['c', 5]] },
    'with-the-default-variant': { fractional: [variable('userId'), [null, 50], ['b', 50]] },
    'without-any-weight': { fractional: [variable('userId'), ['a', 0], ['b', 0]] },
    'within-an-if': {
      if: [
        { '==': [variable('country'), 'DE'] },
        { fractional: [variable('company'), ['a', 30], ['b', 70]] },
        { '==': [variable('country'), 'FR'] },
        'c',
        {
          fractional: [
            ['b', 1],
            ['c', 1],
          ],
        },
      ],
    },
  };
  const variants = { a: 'A', b: 'B', c: 'C', d: 'D' };
  const flags = Object.fromEntries(
    Object.entries(targetings).map(([key, targeting]) => [
      key,
      { state: 'ENABLED', variants, defaultVariant: 'd', targeting },
    ]),
  );
  const { ask } = imported('flagd', { flags });
  const core = new FlagdCore(undefined, silent);
  core.setConfigurations(JSON.stringify({ flags }));

  it.each(Object.keys(targetings))('%s: every unit keeps its variant', (key) => {
    const theirs = (unit: Unit) =>
      core.resolveStringEvaluation(key, 'fallback', { ...contextOf(unit), userId: unit.userId }, silent).value;
    const ours = (flag: string, context: EvaluationContext) => ask(flag, { ...context, userId: context.targetingKey });
    const result = agreement(ours, key, theirs);
    expect(result.different).toEqual([]);
    expect(result.same).toBe(UNITS);
    expect(result.answers).toBeGreaterThan(key === 'without-any-weight' ? 0 : 1);
  });
});

describe('LaunchDarkly', () => {
  interface Client {
    waitForInitialization(options: object): Promise<unknown>;
    variation(key: string, context: object, fallback: JsonValue): Promise<JsonValue>;
    close(): void;
  }
  interface TestData {
    usePreconfiguredFlag(flag: object): void;
    usePreconfiguredSegment(segment: object): void;
    getFactory(): object;
  }
  const { init }: { init(key: string, options: object): Client } = require('@launchdarkly/node-server-sdk');
  const { TestData }: { TestData: new () => TestData } = require('@launchdarkly/node-server-sdk/integrations');
  const logger = { error() {}, warn() {}, info() {}, debug() {} };

  const rollout = (weights: number[], more: object = {}) => ({
    rollout: { variations: weights.map((weight, variation) => ({ variation, weight })), ...more },
  });
  const clause = (attribute: string, op: string, values: unknown[], more: object = {}) => ({
    attribute,
    op,
    values,
    ...more,
  });
  const flagOf = (key: string, more: object) => ({
    key,
    version: 1,
    on: true,
    salt: `salt of ${key}`,
    variations: ['a', 'b', 'c'],
    offVariation: 0,
    fallthrough: { variation: 0 },
    targets: [],
    contextTargets: [],
    rules: [],
    prerequisites: [],
    ...more,
  });
  const flags = [
    flagOf('by-key', { fallthrough: rollout([25_000, 25_000, 50_000]) }),
    flagOf('by-seed', { fallthrough: rollout([10_000, 0, 90_000], { seed: 4711 }) }),
    flagOf('by-attribute', { fallthrough: rollout([50_000, 50_000], { bucketBy: 'company' }) }),
    flagOf('experiment-by-attribute', {
      fallthrough: rollout([50_000, 50_000], { kind: 'experiment', bucketBy: 'company', seed: 1 }),
    }),
    flagOf('anonymous-is-false', { rules: [{ clauses: [clause('anonymous', 'in', [false])], variation: 1 }] }),
    flagOf('anonymous-is-not-false', {
      rules: [{ clauses: [clause('anonymous', 'in', [false], { negate: true })], variation: 1 }],
    }),
    flagOf('anonymous-is-true', { rules: [{ clauses: [clause('anonymous', 'in', [true])], variation: 1 }] }),
    flagOf('a-name-with-slashes', { rules: [{ clauses: [clause('/a/b', 'in', ['x'])], variation: 1 }] }),
    flagOf('a-path', { rules: [{ clauses: [clause('/a/b', 'in', ['y'], { contextKind: 'user' })], variation: 1 }] }),
    ...[
      ['no-values', clause('company', 'in', [])],
      ['not-no-values', clause('company', 'in', [], { negate: true })],
      ['values-that-equal-nothing', clause('country', 'in', [null, ['FR'], { a: 1 }, 'US'])],
      ['an-unknown-segment', clause('', 'segmentMatch', ['gone'])],
      ['one-of-two-segments-is-unknown', clause('', 'segmentMatch', ['gone', 'part'])],
    ].map(([key, first]) =>
      flagOf(String(key), {
        rules: [
          { clauses: [first], variation: 1 },
          { clauses: [clause('country', 'in', ['DE'])], variation: 2 },
        ],
      }),
    ),
    flagOf('not-an-unknown-segment', {
      rules: [
        {
          clauses: [clause('', 'segmentMatch', ['gone'], { negate: true }), clause('country', 'in', ['DE'])],
          variation: 1,
        },
      ],
    }),
    flagOf('segment-of-a-part', {
      rules: [{ clauses: [clause('', 'segmentMatch', ['part'])], ...rollout([20_000, 80_000]) }],
    }),
    flagOf('targets-in-their-order', {
      targets: [
        { variation: 1, values: ['user-1', 'user-2', 'user-2'] },
        { variation: 2, values: ['user-2', 'user-3'] },
      ],
      contextTargets: [
        { contextKind: 'user', variation: 2, values: [] },
        { contextKind: 'user', variation: 1, values: [] },
      ],
    }),
  ];
  const segment = {
    key: 'part',
    version: 1,
    salt: 'segment salt',
    included: ['user-7'],
    excluded: ['user-8'],
    rules: [{ clauses: [clause('country', 'in', ['DE', 'FR'])], weight: 33_000 }],
  };
  const byKey = (items: readonly { key: string }[]) => Object.fromEntries(items.map((item) => [item.key, item]));
  const { ask } = imported('launchdarkly', { flags: byKey(flags), segments: byKey([segment]) });
  const more = (unit: Unit) => {
    const number = Number(unit.userId.slice('user-'.length));
    return {
      ...(number % 5 === 0 && { anonymous: true }),
      ...(number % 7 === 0 && { anonymous: false }),
      ...(number % 2 === 0 && { '/a/b': 'x' }),
      ...(number % 3 === 0 && { a: { b: 'y' } }),
    };
  };

  it.each(flags.map(({ key }) => key))('%s: every unit keeps its variant', async (key) => {
    const data = new TestData();
    for (const flag of flags) data.usePreconfiguredFlag(flag);
    data.usePreconfiguredSegment(segment);
    const client = init('sdk-key', {
      updateProcessor: data.getFactory(),
      sendEvents: false,
      diagnosticOptOut: true,
      logger,
    });
    try {
      await client.waitForInitialization({ timeout: 10 });
      const theirs = new Map<string, JsonValue>();
      for (const unit of units) {
        const { userId, ...attributes } = unit;
        const context = { kind: 'user', key: userId, ...attributes, ...more(unit) };
        theirs.set(userId, await client.variation(key, JSON.parse(JSON.stringify(context)), 'fallback'));
      }
      const ours = (flag: string, context: EvaluationContext) => {
        const unit = units[Number(String(context.targetingKey).slice('user-'.length))];
        return ask(flag, { ...context, ...(unit !== undefined && more(unit)) });
      };
      const result = agreement(ours, key, (unit) => theirs.get(unit.userId));
      expect(result.different).toEqual([]);
      expect(result.same).toBe(UNITS);
      expect(result.answers).toBeGreaterThan(1);
    } finally {
      client.close();
    }
  });

  describe('contexts of several kinds', () => {
    const org = { contextKind: 'organization' };
    const inOrder = [
      flagOf('a-clause-of-another-kind', { rules: [{ clauses: [clause('plan', 'in', ['pro'], org)], variation: 1 }] }),
      flagOf('a-negated-clause-of-another-kind', {
        rules: [{ clauses: [clause('plan', 'in', ['pro'], { ...org, negate: true })], variation: 1 }],
      }),
      flagOf('a-clause-of-users', {
        rules: [{ clauses: [clause('email', 'endsWith', ['.org'], { contextKind: 'user' })], variation: 1 }],
      }),
      flagOf('a-clause-without-a-kind', {
        rules: [{ clauses: [clause('key', 'startsWith', ['user-1'])], variation: 1 }],
      }),
      flagOf('targets-of-kinds', {
        targets: [{ variation: 1, values: ['user-1', 'user-3', 'acme-3'] }],
        contextTargets: [
          { ...org, variation: 2, values: ['acme-1', 'acme-3'] },
          { contextKind: 'user', variation: 1, values: [] },
        ],
      }),
      flagOf('a-rollout-of-another-kind', { fallthrough: rollout([50_000, 50_000], org) }),
      flagOf('a-rollout-of-users', { fallthrough: rollout([50_000, 50_000]) }),
      flagOf('the-kind-itself', { rules: [{ clauses: [clause('kind', 'in', ['organization'])], variation: 1 }] }),
      flagOf('anonymous-organizations', {
        rules: [{ clauses: [clause('anonymous', 'in', [false], org)], variation: 1 }],
      }),
      flagOf('a-segment-of-kinds', { rules: [{ clauses: [clause('', 'segmentMatch', ['mixed'])], variation: 1 }] }),
    ];
    const mixed = {
      key: 'mixed',
      version: 1,
      salt: 'mixed',
      included: ['user-4', 'user-5'],
      excluded: ['user-6', 'user-1'],
      includedContexts: [{ ...org, values: ['acme-1'] }],
      excludedContexts: [{ ...org, values: ['acme-2'] }],
      rules: [{ clauses: [clause('country', 'in', ['DE', 'FR'])] }],
    };
    const kinds = imported('launchdarkly', { flags: byKey(inOrder), segments: byKey([mixed]) });
    const contexts = units.slice(0, 400).map(({ userId, country }, i) => {
      const user = { key: userId, country, email: i % 2 === 0 ? 'a@x.org' : 'a@x.com' };
      const organization = {
        key: `acme-${i % 23}`,
        plan: ['pro', 'free'][i % 3],
        ...(i % 7 === 0 && { anonymous: true }),
      };
      if (i % 4 === 0) return { kind: 'user', ...user };
      if (i % 4 === 1) return { kind: 'organization', ...organization };
      return { kind: 'multi', user, organization };
    });

    it.each(inOrder.map(({ key }) => key))('%s serves as before', async (key) => {
      const data = new TestData();
      for (const flag of inOrder) data.usePreconfiguredFlag(flag);
      data.usePreconfiguredSegment(mixed);
      const updateProcessor = data.getFactory();
      const client = init('sdk-key', { updateProcessor, sendEvents: false, diagnosticOptOut: true, logger });
      try {
        await client.waitForInitialization({ timeout: 10 });
        const answers = new Set<JsonValue>();
        for (const context of contexts.map((each) => JSON.parse(JSON.stringify(each)))) {
          const theirs = await client.variation(key, context, 'fallback');
          const { key: unit, ...rest } = context;
          const own = unit === undefined ? context : { targetingKey: unit, ...rest };
          expect(kinds.ask(key, own).value, JSON.stringify(context)).toBe(theirs);
          answers.add(theirs);
        }
        expect(answers.size).toBeGreaterThan(1);
      } finally {
        client.close();
      }
    });
  });
});
