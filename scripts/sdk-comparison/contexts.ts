import { type Random, randomOf } from './random.ts';

/** A context in OpenFeature's form. `organization` is an object with its own `key`. */
export type Context = Readonly<Record<string, unknown>> & { readonly targetingKey: string };

/** What attributes contain, and what flags compare them with. */
export const vocabulary = {
  country: ['DE', 'AT', 'CH', 'FR', 'US', 'us', 'GB', 'JP', ''],
  plan: ['free', 'pro', 'Pro', 'enterprise', 'trial', 'pro-annual'],
  email: ['ada@shop.example', 'eve+1@shop.example', 'bob@mail.example', 'Eve@Mail.Example', 'x@y.z'],
  version: ['1.0.0', '1.9.0', '1.10.0', '2.0.0-rc.1', '2.0.0-rc.10', '2.0.0', '2.1.3', '10.0.1'],
  age: [0, 7, 17, 18, 30, 64, 65, 120],
  score: [-1.5, 0, 0.25, 3, 7.5, 99.9],
  beta: [true, false],
  tags: ['a', 'b', 'red', 'blue', 'x-1'],
  ip: ['10.0.0.1', '10.1.2.3', '192.168.1.20', '203.0.113.9', '2001:db8::1'],
  joined: ['2020-01-01T00:00:00Z', '2024-02-29T12:00:00Z', '2026-05-01T08:30:00+02:00'],
} as const;

export const users = Array.from({ length: 4_000 }, (_, i) => `user-${i}`);

/**
 * Contexts whose attributes are sometimes missing, and sometimes of another type. With `asTexts`, every attribute is one text, as Unleash's SDKs
 * send it, and the plan is never missing: Unleash divides contexts at random that do not have the unit of a percentage.
 */
export function contextsOf(count: number, seed: number, asTexts: boolean): Context[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, () => (asTexts ? textContext(random) : typedContext(random)));
}

type Name = keyof typeof vocabulary;
const names = Object.keys(vocabulary) as Name[];

function typedContext(random: Random): Context {
  const attributes = names.flatMap((name): [string, unknown][] => {
    if (random.chance(0.15)) return [];
    if (random.chance(0.05)) return [[name, random.pick<unknown>(['7', 7, true, '', 0, '18', ['a', 'b']])]];
    const value = random.pick<unknown>(vocabulary[name]);
    return [[name, name === 'tags' ? random.some(vocabulary.tags, 3) : value]];
  });
  const organization = { key: `org-${random.below(50)}`, plan: random.pick(vocabulary.plan), size: random.below(100) };
  return {
    targetingKey: random.pick(users),
    ...Object.fromEntries(attributes),
    ...(random.chance(0.5) && { organization }),
  };
}

function textContext(random: Random): Context {
  const attributes = names.flatMap((name): [string, string][] => {
    const text = String(random.pick<unknown>(vocabulary[name]));
    // An empty text is a number in some languages, and not in others.
    return text === '' || (name !== 'plan' && random.chance(0.15)) ? [] : [[name, text]];
  });
  return {
    targetingKey: random.pick(users),
    ...Object.fromEntries(attributes),
    ...(random.chance(0.5) && { sessionId: `session-${random.below(500)}` }),
    remoteAddress: random.pick(vocabulary.ip),
  };
}
