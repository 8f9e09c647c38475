import { type HashName, OPERATOR_NAMES, type OperatorName } from '@fanion/flag-engine';
import { users, vocabulary } from '../contexts.ts';
import type { Random } from '../random.ts';

interface ClauseForm {
  readonly attribute?: string;
  readonly values: readonly unknown[];
  readonly [member: string]: unknown;
}

const ofVersion = (random: Random): ClauseForm => ({ attribute: 'version', values: [random.pick(vocabulary.version)] });
const ofNumber = (random: Random): ClauseForm => ({ attribute: 'age', values: [random.pick(vocabulary.age)] });
const ofTime = (random: Random): ClauseForm =>
  random.chance(0.5)
    ? { attribute: 'joined', values: [random.pick(vocabulary.joined)] }
    : { attribute: 'now', values: [random.pick(['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'])] };
const ofNetwork = (): ClauseForm => ({ attribute: 'ip', values: ['10.0.0.0/8', '203.0.113.9', '2001:db8::/32'] });
const ofPart = (random: Random): ClauseForm => ({
  ...{ attribute: random.pick(['plan', 'email', 'targetingKey']), values: random.some(['p', 'user-1', 'ro', '7'], 2) },
});
const ofList = (random: Random): ClauseForm =>
  random.pick([
    { attribute: 'plan', values: random.some<unknown>(vocabulary.plan, 3) },
    { attribute: 'age', values: random.some<unknown>(vocabulary.age, 3) },
    { attribute: 'tags', values: random.some<unknown>(vocabulary.tags, 2) },
    { attribute: 'targetingKey', values: random.some(users, 40) },
    { attribute: '/organization/plan', values: random.some<unknown>(vocabulary.plan, 2) },
  ]);

function clauseOf(op: OperatorName, random: Random): object {
  const made = formOf(op, random);
  return { op, ...made, ...(op !== 'in_segment' && { negate: random.chance(0.2) }) };
}

function formOf(op: OperatorName, random: Random): ClauseForm {
  if (op === 'exists') return { attribute: random.pick(['email', 'country']), values: [] };
  if (op === 'in_segment') return { values: [random.pick(['native-staff', 'native-grown'])] };
  if (op === 'matches') return { attribute: 'email', values: ['^[a-e]'] };
  if (op.startsWith('semver')) return ofVersion(random);
  if (op === 'cidr' || op === 'in_cidr') return ofNetwork();
  if (op === 'before' || op === 'after') return ofTime(random);
  if (['lt', 'lte', 'gt', 'gte'].includes(op)) return ofNumber(random);
  return ['starts_with', 'ends_with', 'contains'].includes(op) ? ofPart(random) : ofList(random);
}

const hashes: readonly HashName[] = ['fanion', 'unleash_variants', 'growthbook_v1', 'growthbook_v2', 'flagd'];
const variantsOf = [
  { kind: 'boolean', values: [true, false] },
  { kind: 'string', values: ['blue', 'green'] },
  { kind: 'number', values: [1, 2.5] },
  { kind: 'json', values: [{ size: 1 }, { size: 2 }] },
] as const;

/** Segments that native flags name. */
export const nativeSegments = [
  { key: 'native-staff', included: users.slice(0, 300), excluded: users.slice(200, 400), rules: [] },
  {
    ...{ key: 'native-grown', included: [], excluded: users.slice(0, 20) },
    rules: [{ clauses: [{ attribute: 'age', op: 'in', values: [18, 30, 64, '18', '30', '64'] }] }],
  },
];

/** Flags of Fanion itself, in the form of its files: every operator in turn, with percentages by each hash. */
export function nativeFlags(count: number, random: Random, own: HashName): (object & { readonly key: string })[] {
  return Array.from({ length: count }, (_, i) => {
    const { kind, values } = i % 3 > 0 ? variantsOf[0] : random.pick(variantsOf);
    const keys = kind === 'boolean' ? ['true', 'false'] : values.map((_, at) => `v${at}`);
    const op = OPERATOR_NAMES[i % OPERATOR_NAMES.length] ?? 'in';
    const [first = '', second = ''] = keys;
    const weights = [
      { variant: first, weight: 30_000 },
      { variant: second, weight: 70_000 },
    ];
    const rollout = {
      weights,
      hash: i % 3 === 0 ? random.pick(hashes) : own,
      ...(i % 4 === 1 && { missing: 'skip', seed: `seed-${i}` }),
    };
    return {
      ...{ key: `native-${i}`, kind, variants: keys.map((key, at) => ({ key, value: values[at] })) },
      off_variant: second,
      prerequisites: i > 2 && random.chance(0.1) ? [{ flag: `native-${1 + (i % 2)}`, variants: ['true'] }] : [],
      environments: {
        production: {
          enabled: !random.chance(0.05),
          targets: random.chance(0.2) ? [{ variant: first, values: random.some(users, 30) }] : [],
          rules: [{ clauses: [clauseOf(op, random)], variant: first }],
          fallthrough: random.chance(0.5) ? { variant: random.chance(0.1) ? null : second } : { rollout },
        },
      },
    };
  });
}
