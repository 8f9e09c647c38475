import { users, vocabulary } from '../contexts.ts';
import type { Random } from '../random.ts';

const v = (name: string) => ({ var: name });

const equal = (operator: string) => (random: Random) => ({
  [operator]: [v('plan'), random.pick(vocabulary.plan)],
});
const ordered = (operator: string) => (random: Random) => {
  const name = random.pick(['age', 'score'] as const);
  return { [operator]: [v(name), random.pick<number>(vocabulary[name])] };
};

const conditions: readonly ((random: Random) => object)[] = [
  ...['==', '!=', '===', '!=='].map(equal),
  ...['<', '<=', '>', '>='].map(ordered),
  (random) => ({ '<': [10, v('age'), random.pick(vocabulary.age)] }),
  (random) => ({ in: [v('country'), random.some(vocabulary.country, 3)] }),
  (random) => ({ in: [v('targetingKey'), random.some(users, 40)] }),
  (random) => ({ in: [random.pick(['ro', '@shop', 'E']), v('email')] }),
  () => ({ '!': v('beta') }),
  () => ({ '!!': v('beta') }),
  (random) => ({ starts_with: [v('email'), random.pick(['e', 'ada', 'E'])] }),
  (random) => ({ ends_with: [v('email'), random.pick(['.example', 'z'])] }),
  ...['=', '!=', '<', '<=', '>', '>=', '^', '~'].map((sign) => (random: Random) => ({
    sem_ver: [v('version'), sign, random.pick(vocabulary.version)],
  })),
  (random) => ({ [random.pick(['<', '>'])]: [v('$flagd.timestamp'), random.pick([1_000_000_000, 4_000_000_000])] }),
  () => ({ $ref: 'grown' }),
];

const kinds: readonly Readonly<Record<string, unknown>>[] = [
  { on: true, off: false },
  { blue: '#00f', green: '#0f0', red: '#f00' },
  { one: 1, half: 2.5, none: 0 },
  { small: { size: 1 }, large: { size: 2, list: [1, null] }, empty: {} },
];

/** flagd's definitions: the operators in turn, alone and combined, with divisions. */
export function flagdFile(count: number, random: Random): object {
  const flags = Array.from({ length: count }, (_, i) => [`fd-${i}`, flagOf(i, random)]);
  return { flags: Object.fromEntries(flags), $evaluators: { grown: { '>=': [v('age'), 18] } } };
}

function flagOf(i: number, random: Random): object {
  const variants = random.chance(0.5) ? { on: true, off: false } : random.pick(kinds);
  const names = Object.keys(variants);
  const serve = () => {
    if (random.chance(0.5)) return random.pick(names);
    const [first, second] = names;
    const weights = random.pick([
      [50, 50],
      [10, 90],
      [1, 2],
    ]);
    const divided = [
      [first, weights[0]],
      [second, weights[1]],
    ];
    const unit = v(i % 3 === 0 ? 'email' : 'targetingKey');
    return { fractional: random.chance(0.5) ? divided : [{ cat: [`seed-${i}`, unit] }, ...divided] };
  };
  const first = conditions[i % conditions.length] ?? random.pick(conditions);
  const condition = combined(first(random), random);
  const more = random.chance(0.4) ? [random.pick(conditions)(random), serve()] : [];
  return {
    ...{ state: random.chance(0.05) ? 'DISABLED' : 'ENABLED', variants, defaultVariant: random.pick(names) },
    ...(!random.chance(0.1) && { targeting: { if: [condition, serve(), ...more, serve()] } }),
  };
}

function combined(condition: object, random: Random): object {
  const other = () => random.pick(conditions)(random);
  switch (random.below(8)) {
    case 0:
      return { or: [condition, other()] };
    case 1:
      return { and: [condition, other()] };
    case 2:
      return { '!': condition };
    default:
      return condition;
  }
}
