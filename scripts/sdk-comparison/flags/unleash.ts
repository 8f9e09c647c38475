import { users, vocabulary } from '../contexts.ts';
import type { Random } from '../random.ts';

const fields = ['country', 'plan', 'email', 'userId', 'version'] as const;

const ofLists = (operator: string) => (random: Random) => {
  const contextName = random.pick(['country', 'plan', 'userId', 'beta', 'sessionId'] as const);
  const own = contextName === 'beta' ? ['true'] : contextName === 'sessionId' ? ['session-1', 'session-2'] : undefined;
  const known = contextName === 'userId' ? users : contextName === 'country' ? vocabulary.country : vocabulary.plan;
  const values = (own ?? random.some<string>(known, 40)).filter((value) => value !== '');
  return { contextName, operator, values: values.length === 0 ? ['DE'] : values };
};

const ofTexts = (operator: string, parts: readonly string[]) => (random: Random) => ({
  ...{ contextName: random.pick(fields), operator, values: random.some(parts, 2) },
  ...(random.chance(0.3) && { caseInsensitive: true }),
});

const ofNumbers = (operator: string) => (random: Random) => {
  const contextName = random.pick(['age', 'score'] as const);
  return { contextName, operator, values: [], value: String(random.pick<number>(vocabulary[contextName])) };
};

const constraints: readonly ((random: Random) => object)[] = [
  ...['IN', 'NOT_IN'].map(ofLists),
  ofTexts('STR_STARTS_WITH', ['p', 'user-1', 'A', '2.']),
  ofTexts('STR_ENDS_WITH', ['7', '.example', 'O', '.0']),
  ofTexts('STR_CONTAINS', ['ro', '@Shop', '-3', 'E']),
  ...['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'].map(ofNumbers),
  ...['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_GTE', 'SEMVER_LT', 'SEMVER_LTE'].map((operator) => (random: Random) => ({
    ...{ contextName: 'version', operator, values: [], value: random.pick(vocabulary.version) },
  })),
  ...['DATE_AFTER', 'DATE_BEFORE'].map((operator) => (random: Random) => ({
    ...{ contextName: 'currentTime', operator, values: [] },
    value: random.pick(['2020-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z']),
  })),
  (random) => ({ contextName: 'email', operator: 'REGEX', values: [], value: random.pick(['^[a-e]', 'example$']) }),
  () => ({ contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.0.0.0/8', '203.0.113.9'] }),
];

/** The features of one environment, as Unleash's backend SDKs read them: operators in turn, strategies, variants and parents. */
export function unleashFile(count: number, random: Random): object {
  return { version: 2, features: Array.from({ length: count }, (_, i) => featureOf(i, random)), segments };
}

function featureOf(i: number, random: Random): object {
  const stickiness = random.pick(['default', 'userId', 'userId', 'plan']);
  const variants = random.chance(0.4) ? variantsOf(random, stickiness) : [];
  const strategies = Array.from({ length: 1 + random.below(2) }, (_, at) => strategyOf(i, at, random, stickiness));
  const parent = { feature: `un-${random.below(Math.max(1, i))}`, enabled: true };
  return {
    ...{ name: `un-${i}`, type: 'release', enabled: !random.chance(0.05), stale: false, impressionData: false },
    strategies,
    variants,
    ...(i > 0 && random.chance(0.1) && { dependencies: [parent] }),
  };
}

function strategyOf(i: number, at: number, random: Random, stickiness: string): object {
  const first = at === 0 ? constraints[i % constraints.length] : undefined;
  const made = [first ?? random.pick(constraints), ...(random.chance(0.3) ? [random.pick(constraints)] : [])];
  const own = made.map((make) => ({ inverted: random.chance(0.2), caseInsensitive: false, ...make(random) }));
  const more = { constraints: own, ...(random.chance(0.2) && { segments: [1 + random.below(2)] }) };
  if (random.chance(0.1))
    return { name: 'userWithId', parameters: { userIds: random.some(users, 30).join(',') }, ...more };
  if (random.chance(0.3)) return { name: 'default', parameters: {}, ...more };
  const rollout = String(random.pick([0, 10, 33, 50, 75, 100]));
  return { name: 'flexibleRollout', parameters: { rollout, groupId: `un-${i}`, stickiness }, ...more };
}

function variantsOf(random: Random, stickiness: string): object[] {
  const weights = random.pick([
    [500, 500],
    [333, 333, 334],
    [100, 900],
  ]);
  const payload = (at: number) => (random.chance(0.5) ? { payload: { type: 'string', value: `value ${at}` } } : {});
  return weights.map((weight, at) => ({
    ...{ name: `variant-${at}`, weight, weightType: 'variable', stickiness, overrides: [] },
    ...payload(at),
  }));
}

const segments = [
  {
    ...{ id: 1, name: 'german' },
    constraints: [{ contextName: 'country', operator: 'IN', values: ['DE', 'AT', 'CH'], inverted: false }],
  },
  {
    ...{ id: 2, name: 'known' },
    constraints: [{ contextName: 'userId', operator: 'IN', values: users.slice(0, 2_000), inverted: false }],
  },
];
