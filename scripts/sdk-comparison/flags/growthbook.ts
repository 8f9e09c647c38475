import { users, vocabulary } from '../contexts.ts';
import type { Random } from '../random.ts';

const numbers = (random: Random) => {
  const name = random.pick(['age', 'score'] as const);
  return { name, value: random.pick<number>(vocabulary[name]) };
};
const texts = (random: Random) => {
  const name = random.pick(['country', 'plan', 'email'] as const);
  return { name, values: random.some<string>(vocabulary[name], 3) };
};

const ofNumbers = (operator: string) => (random: Random) => {
  const { name, value } = numbers(random);
  return { [name]: { [operator]: value } };
};
const ofTexts = (operator: string) => (random: Random) => {
  const { name, values } = texts(random);
  return { [name]: { [operator]: values } };
};
const ofVersions = (operator: string) => (random: Random) => ({
  version: { [operator]: random.pick(vocabulary.version) },
});

const conditions: readonly ((random: Random) => object)[] = [
  (random) => ({ plan: random.pick(vocabulary.plan) }),
  (random) => ({ age: random.pick(vocabulary.age) }),
  (random) => ({ beta: random.chance(0.5) }),
  (random) => ({ plan: { $eq: random.pick(vocabulary.plan) } }),
  (random) => ({ plan: { $ne: random.pick(vocabulary.plan) } }),
  ...['$gt', '$gte', '$lt', '$lte'].map(ofNumbers),
  ...['$in', '$nin', '$ini', '$nini'].map(ofTexts),
  ...['$veq', '$vne', '$vgt', '$vgte', '$vlt', '$vlte'].map(ofVersions),
  (random) => ({ tags: { $all: random.some(vocabulary.tags, 2) } }),
  () => ({ tags: { $alli: ['A'] } }),
  (random) => ({ tags: { $size: 1 + random.below(3) } }),
  (random) => ({ tags: { $elemMatch: { $eq: random.pick(vocabulary.tags) } } }),
  (random) => ({ email: { $exists: random.chance(0.5) } }),
  (random) => ({ email: { $regex: random.pick(['@shop', '^e', 'example$']) } }),
  (random) => ({ email: { $not: { $regex: random.pick(['@shop', '^e']) } } }),
  (random) => ({ 'organization.plan': { $in: random.some(vocabulary.plan, 2) } }),
  () => ({ id: { $inGroup: 'staff' } }),
  () => ({ id: { $notInGroup: 'staff' } }),
  () => ({ country: { $inGroup: 'german' } }),
  (random) => ({ id: { $in: random.some(users, 40) } }),
];

const kinds: readonly (readonly unknown[])[] = [
  [true, false],
  ['blue', 'green', 'red'],
  [1, 2.5, 0],
  [{ size: 1 }, { size: 2, list: [1, null] }, {}],
];

/** A payload of GrowthBook's SDKs: operators in turn, in logical operators, with coverage, experiments and namespaces. */
export function growthBookFile(count: number, random: Random): object {
  const features = Array.from({ length: count }, (_, i) => [`gb-${i}`, featureOf(i, random)]);
  const savedGroups = { staff: users.slice(0, 300), german: ['DE', 'AT', 'CH'] };
  return { features: Object.fromEntries(features), savedGroups };
}

function featureOf(i: number, random: Random): object {
  const values = random.chance(0.5) ? [true, false] : random.pick(kinds);
  const rules = Array.from({ length: 1 + random.below(2) }, (_, at) => {
    const first = at === 0 ? conditions[i % conditions.length] : undefined;
    const condition = combined((first ?? random.pick(conditions))(random), random);
    const hashing = { hashVersion: 1 + (i % 2), seed: `seed-${i}-${at}` };
    if (random.chance(0.4)) return { condition, force: random.pick(values) };
    if (random.chance(0.4))
      return { condition, force: random.pick(values), coverage: random.pick([0.1, 0.5]), ...hashing };
    const namespace = random.chance(0.2) ? { namespace: ['space', 0, 0.5] } : {};
    const two = values.slice(0, 2);
    return {
      condition,
      variations: two,
      weights: [0.3, 0.7],
      coverage: random.pick([0.5, 1]),
      key: `exp-${i}-${at}`,
      ...hashing,
      ...namespace,
    };
  });
  const parent = {
    parentConditions: [{ id: `gb-${random.below(Math.max(1, i))}`, condition: { value: true }, gate: true }],
  };
  return { defaultValue: random.pick(values), rules: [...(i > 0 && random.chance(0.1) ? [parent] : []), ...rules] };
}

function combined(condition: object, random: Random): object {
  const other = () => random.pick(conditions)(random);
  switch (random.below(8)) {
    case 0:
      return { $or: [condition, other()] };
    case 1:
      return { $and: [condition, other()] };
    case 2:
      return { $nor: [condition, other()] };
    case 3:
      return { $not: condition };
    default:
      return condition;
  }
}
