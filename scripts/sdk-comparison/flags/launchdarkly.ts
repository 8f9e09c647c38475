import { users, vocabulary } from '../contexts.ts';
import type { Random } from '../random.ts';

const texts = ['country', 'plan', 'email', 'version', 'key'] as const;
const joined = vocabulary.joined;

function listed(random: Random): object {
  const attribute = random.pick(['country', 'plan', 'age', 'beta', 'tags', 'key', 'score'] as const);
  const values = attribute === 'key' ? random.some(users, 40) : random.some<unknown>(vocabulary[attribute], 3);
  return { attribute, op: 'in', values };
}

const ofTexts = (op: string, parts: readonly string[]) => (random: Random) => ({
  ...{ attribute: random.pick(texts), op },
  values: random.some(parts, 2),
});

const ofNumbers = (op: string) => (random: Random) => {
  const attribute = random.pick(['age', 'score'] as const);
  return { attribute, op, values: [random.pick<number>(vocabulary[attribute])] };
};

const ofVersions = (op: string) => (random: Random) => ({
  ...{ attribute: 'version', op },
  values: [random.pick([...vocabulary.version, '2', '1.9'])],
});

/** One for each operator, and for each form of `in`. */
const clauses: readonly ((random: Random) => object)[] = [
  listed,
  ofTexts('startsWith', ['p', 'user-1', 'a', '2.']),
  ofTexts('endsWith', ['7', '.example', 'o', '.0']),
  ofTexts('contains', ['ro', '@shop', '-3', 'E']),
  ofTexts('matches', ['^p.o', '[0-9]+$', 'example$']),
  ...['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual'].map(ofNumbers),
  ...['semVerEqual', 'semVerLessThan', 'semVerGreaterThan'].map(ofVersions),
  ...['before', 'after'].map((op) => (random: Random) => ({ attribute: 'joined', op, values: [random.pick(joined)] })),
  (random) => ({ attribute: '', op: 'segmentMatch', values: random.some(['staff', 'grown', 'nested'], 2) }),
  (random) => ({
    ...{ contextKind: 'organization', attribute: random.pick(['plan', 'key']), op: 'in' },
    values: [random.pick(vocabulary.plan), `org-${random.below(50)}`, `org-${random.below(50)}`],
  }),
  (random) => ({ contextKind: 'organization', attribute: 'size', op: 'lessThan', values: [random.below(100)] }),
];

const kinds: readonly (readonly unknown[])[] = [
  [true, false],
  ['blue', 'green', 'red'],
  [1, 2.5, 0],
  [{ size: 1 }, { size: 2, deep: { list: [1, null, 'x'] } }, {}],
];

/** A flag file of LaunchDarkly's SDKs: the operators in turn, then percentages, prerequisites and flags that are off. */
export function launchDarklyFile(count: number, random: Random): object {
  const flags = Array.from({ length: count }, (_, i) => flagOf(i, random));
  return { flags: Object.fromEntries(flags.map((flag) => [flag.key, flag])), segments };
}

function flagOf(i: number, random: Random) {
  const variations = random.chance(0.5) ? [true, false] : random.pick(kinds);
  const variation = () => random.below(variations.length);
  const serve = () => {
    if (random.chance(0.5)) return { variation: variation() };
    const weights = i % 2 === 0 ? [30_000, 70_000] : [12_345, 87_655];
    const divided = weights.map((weight, at) => ({ variation: at, weight }));
    const kind = random.chance(0.2) ? { kind: 'experiment' } : {};
    const of = random.chance(0.2) ? { contextKind: 'organization' } : {};
    return { rollout: { variations: divided, ...kind, ...of, ...(random.chance(0.3) && { seed: 1 + i }) } };
  };
  const ruleOf = (at: number) => {
    const first = at === 0 ? clauses[i % clauses.length] : undefined;
    const made = [first ?? random.pick(clauses), ...(random.chance(0.2) ? [random.pick(clauses)] : [])];
    const negated = made.map((make) => ({ contextKind: 'user', negate: random.chance(0.2), ...make(random) }));
    return { id: `rule-${at}`, clauses: negated, ...serve() };
  };
  return {
    ...{ key: `ld-${i}`, version: 1, on: !random.chance(0.05), variations, salt: `salt-${i}`, deleted: false },
    ...(!random.chance(0.1) && { offVariation: variation() }),
    fallthrough: serve(),
    targets: random.chance(0.3) ? [{ variation: variation(), values: random.some(users, 50) }] : [],
    rules: Array.from({ length: 1 + random.below(2) }, (_, at) => ruleOf(at)),
    prerequisites: i > 0 && random.chance(0.1) ? [{ key: `ld-${random.below(i)}`, variation: 0 }] : [],
  };
}

const clause = (attribute: string, op: string, ...values: unknown[]) => ({
  ...{ contextKind: 'user', attribute, op, values, negate: false },
});
const segment = (key: string, more: object) => ({
  ...{ key, version: 1, included: [], excluded: [], rules: [], salt: `salt-${key}`, deleted: false, ...more },
});

const segments = {
  staff: segment('staff', { included: users.slice(0, 300), excluded: users.slice(200, 400) }),
  grown: segment('grown', { rules: [{ clauses: [clause('age', 'greaterThanOrEqual', 18)] }] }),
  nested: segment('nested', {
    excluded: users.slice(0, 50),
    rules: [
      { clauses: [clause('', 'segmentMatch', 'staff'), clause('plan', 'in', 'pro', 'free')] },
      { clauses: [clause('country', 'in', 'JP')] },
    ],
  }),
};
