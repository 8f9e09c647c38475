import { createRequire } from 'node:module';
import {
  type Clause,
  compileRuleset,
  evaluate,
  type Flag,
  type OperatorName,
  type Rule,
  type Ruleset,
  type Segment,
  type Serve,
  type Target,
} from '@fanion/flag-engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../../../platform/steps.ts';
import { unleashReasons } from './convert-rules.ts';
import { toggleOf, unleashContext } from './frontend-rules.ts';
import { unleashPayload } from './payload-rules.ts';

/*
 * Unleash's own evaluator over what is served gives the engine's answers. These contexts are left out, and named in the
 * guide: partial versions (`2.1`), units that are missing in a percentage, units beyond ASCII, and text that is a number for
 * JavaScript only (the empty text, `0x10`, ` 7`).
 */

interface Toggle {
  readonly name: string;
}
interface Client {
  isEnabled(name: string, context: object, fallback: () => boolean): boolean;
  getVariant(name: string, context: object): { name: string; enabled: boolean; payload?: object };
}
const require = createRequire(import.meta.url);
const UnleashClient: new (repository: object, strategies: object[]) => Client =
  require('unleash-client/lib/client').default;
const { defaultStrategies }: { defaultStrategies: object[] } = require('unleash-client/lib/strategy');

const now = Date.UTC(2026, 10, 29);
const attributes = ['targetingKey', 'sessionId', 'plan', 'version', 'age'];
const texts = ['pro', 'PRO', 'free', 'prof', '7', '18', '2.1.0', '2.1.0-rc.1', '3.0.0', 'user-1', 'user-2'];
const contexts = fc.record(
  {
    userId: fc.constantFrom('user-1', 'user-2', 'user-3', '7'),
    sessionId: fc.constantFrom('user-1', 'session-2'),
    properties: fc.record(
      {
        plan: fc.constantFrom(...texts),
        version: fc.constantFrom('2.1.0', '2.1.0-rc.1', '3.0.0', 'v2.1.0', 'none', '2.1.0-rc.10+build'),
        age: fc.constantFrom('7', '18', '7.0', '-3', '1e3', 'old', 7, 18),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['properties'] },
);

const operators: readonly (OperatorName | 'unknown')[] = [
  ...(['in', 'not_in', 'starts_with', 'ends_with', 'contains', 'matches', 'eq', 'neq', 'lt', 'lte', 'gt'] as const),
  ...(['gte', 'before', 'after', 'semver_eq', 'semver_lt', 'semver_lte', 'semver_gt', 'semver_gte', 'cidr'] as const),
  ...(['semver_caret', 'exists', 'in_segment'] as const),
];
const isVersion = (op: string) => op.startsWith('semver_');
const valuesOf = (op: string, as: string | undefined): fc.Arbitrary<Clause['values']> => {
  if (op === 'exists') return fc.constant([]);
  if (op === 'in_segment') return fc.subarray(['beta', 'nested'], { minLength: 1 });
  if (isVersion(op)) return fc.constantFrom(['2.1.0'], ['2.1'], ['3'], ['2.1.0-rc.1'], ['2.0.0', '3.0.0']);
  if (op === 'before' || op === 'after')
    return fc.constantFrom(['2026-11-28T00:00:00Z'], ['2026-11-30T00:00:00+01:00'], [now]);
  if (op === 'cidr') return fc.constant(['10.0.0.0/8']);
  if (as === 'number' || ['lt', 'lte', 'gt', 'gte'].includes(op)) return fc.constantFrom([7], [18], [7, 18]);
  return fc.subarray([...texts, ' pro '], { minLength: 1, maxLength: 3 });
};
const clauses: fc.Arbitrary<Clause> = fc
  .record({
    attribute: fc.constantFrom(...attributes),
    op: fc.constantFrom(...operators) as fc.Arbitrary<OperatorName>,
    negate: fc.boolean(),
    as: fc.constantFrom(undefined, undefined, 'text', 'number'),
    ignore_case: fc.constantFrom(false, false, true),
  })
  .chain(({ attribute, op, negate, as, ignore_case }) => {
    const isText = ['in', 'not_in', 'eq', 'neq', 'starts_with', 'ends_with', 'contains'].includes(op);
    const isNumber = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte'].includes(op);
    const reading = as === 'text' ? (isText ? as : undefined) : as === 'number' && isNumber ? as : undefined;
    const isTime = op === 'before' || op === 'after';
    return valuesOf(op, reading).map(
      (values): Clause => ({
        ...(op !== 'in_segment' && { attribute: isTime ? 'now' : isVersion(op) ? 'version' : attribute }),
        ...{ op, values, negate },
        ...(reading !== undefined && { as: reading }),
        ...(ignore_case && isText && { ignore_case }),
      }),
    );
  });

const stickiness = fc.constantFrom(
  {},
  { fallback_bucket_by: ['sessionId'] },
  { fallback_bucket_by: ['sessionId', 'remoteAddress'] },
  { bucket_by: 'plan' },
);
const units = { fallback_bucket_by: ['sessionId'] };
const shares = fc
  .record({ place: stickiness, percent: fc.integer({ min: 0, max: 100 }), seed: fc.constantFrom('group', 'flag-a') })
  .map(({ place, percent, seed }) => [
    { ...place, hash: 'unleash' as const, seed, ranges: [[0, percent * 1_000] as [number, number]] },
  ]);
const weightsOf = (first: string, second: string) =>
  fc.integer({ min: 0, max: 100 }).map((percent) => [
    { variant: first, weight: percent * 1_000 },
    { variant: second, weight: 100_000 - percent * 1_000 },
  ]);
const serves = (variants: readonly [string, string, ...string[]], kind: Flag['kind']): fc.Arbitrary<Serve> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...variants, ...variants, null).map((variant) => ({ variant })) },
    {
      weight: 2,
      arbitrary: fc
        .record({ weights: weightsOf(variants[0], variants[1]), seed: fc.constantFrom('group', undefined) })
        .map(
          ({ weights, seed }): Serve => ({
            rollout: {
              ...units,
              ...(seed !== undefined && { seed }),
              ...(kind === 'boolean'
                ? { hash: 'unleash', missing: 'skip' }
                : { hash: 'unleash_variants', buckets: 100 }),
              weights,
            },
          }),
        ),
    },
    {
      weight: 1,
      arbitrary: weightsOf(variants[0], variants[1]).map((weights): Serve => ({ rollout: { weights } })),
    },
  );

const kinds = {
  boolean: { keys: ['true', 'false'], values: { true: true, false: false } },
  string: { keys: ['blue', 'grey', 'disabled'], values: { blue: 'b', grey: 'g', disabled: 'disabled' } },
  json: { keys: ['one', 'two', 'disabled'], values: { one: { a: 1 }, two: [2], disabled: null } },
} as const;

function flags(key: string, required: readonly string[]): fc.Arbitrary<Flag> {
  return fc.constantFrom<keyof typeof kinds>('boolean', 'boolean', 'string', 'json').chain((kind) => {
    const { keys, values } = kinds[kind];
    const served = serves(keys, kind);
    const rules = fc
      .record({
        clauses: fc.array(clauses, { maxLength: 2 }),
        serve: served,
        shares: fc.option(shares, { nil: undefined }),
      })
      .map(({ serve, shares, ...rule }) => ({ ...rule, ...serve, ...(shares !== undefined && { shares }) }));
    const targets: fc.Arbitrary<Target> = fc.record({
      variant: fc.constantFrom(...keys),
      values: fc.subarray(['user-1', 'user-2', 'pro'], { minLength: 1 }),
      attribute: fc.constantFrom('targetingKey', 'plan'),
    });
    return fc
      .record({
        enabled: fc.constantFrom(true, true, true, true, false),
        off_variant: fc.constantFrom(...keys, null, keys.at(-1) ?? null, keys.at(-1) ?? null),
        fallthrough: served,
        targets: fc.array(targets, { maxLength: 2 }),
        rules: fc.array(rules, { maxLength: 3 }),
        prerequisites: fc.subarray([...required]),
        wanted: fc.subarray<string>([...keys, 'true', 'false', 'blue'], { minLength: 1 }),
      })
      .map(
        ({ rules, prerequisites, wanted, ...flag }): Flag => ({
          ...{ key, kind, version: 1, salt: 'salt', ...flag },
          variants: Object.entries(values).map(([variant, value]) => ({ key: variant, value })),
          rules: rules.map((rule, i): Rule => ({ id: `rule-${i}`, salt: `salt-${i}`, ...rule })),
          prerequisites: prerequisites.map((required) => ({ flag: required, variants: wanted })),
        }),
      );
  });
}

const plain = clauses.filter(({ op }) => op !== 'in_segment');
const segments = (key: string, clause: fc.Arbitrary<Clause>): fc.Arbitrary<Segment> =>
  fc.record({
    key: fc.constant(key),
    version: fc.constant(1),
    included: fc.subarray(['user-1', '7']),
    excluded: fc.subarray(['user-2', 'user-1']),
    rules: fc.array(fc.record({ clauses: fc.array(clause, { minLength: 1, maxLength: 2 }) }), { maxLength: 2 }),
  });
const rulesets: fc.Arbitrary<Ruleset> = fc
  .record({
    a: flags('flag-a', []),
    b: flags('flag-b', ['flag-a']),
    beta: segments('beta', plain),
    nested: segments('nested', fc.oneof(plain, fc.constant<Clause>({ op: 'in_segment', values: ['beta'] }))),
  })
  .map(({ a, b, beta, nested }) => ({
    ...{ version: 1, environment: 'production', project: 'shop' },
    flags: { 'flag-a': a, 'flag-b': b },
    segments: { beta, nested },
  }));

/** Whether an SDK divides contexts without a user and a session at random for a flag. */
function isRandom(ruleset: Ruleset, key: string): boolean {
  const { features } = complete(unleashPayload(ruleset));
  const text = JSON.stringify(features.find((feature) => (feature as Toggle).name === key));
  return text.includes('"dependencies":[{') || text.includes('"flexibleRollout"');
}

function theirs(ruleset: Ruleset): Client {
  const { features, segments } = JSON.parse(JSON.stringify(complete(unleashPayload(ruleset))));
  const repository = {
    getToggle: (name: string) => features.find((feature: Toggle) => feature.name === name),
    getSegment: (id: number) => segments.find((segment: { id: number }) => segment.id === id),
  };
  return new UnleashClient(repository, defaultStrategies);
}

const tally = { served: 0, enabled: 0, absent: 0 };

describe("Unleash's evaluator", () => {
  it('gives the answers of the engine for each flag that is served', () => {
    fc.assert(
      fc.property(rulesets, fc.array(contexts, { minLength: 20, maxLength: 20 }), (ruleset, asked) => {
        const compiled = compileRuleset(ruleset, { clock: () => now });
        const client = theirs(ruleset);
        for (const flag of Object.values(ruleset.flags)) {
          if (unleashReasons(flag, ruleset).length > 0) {
            tally.absent++;
            expect(client.isEnabled(flag.key, {}, () => true)).toBe(true);
            continue;
          }
          tally.served++;
          const random = isRandom(ruleset, flag.key);
          for (const context of asked) {
            if (random && context.userId === undefined && context.sessionId === undefined) continue;
            const ours = toggleOf(evaluate(compiled, flag.key, unleashContext(context)), flag.kind);
            const sent = { ...context, currentTime: new Date(now) };
            const isEnabled = client.isEnabled(flag.key, sent, () => false);
            expect(isEnabled, JSON.stringify(context)).toBe(ours?.enabled ?? false);
            if (isEnabled) tally.enabled++;
            if (!isEnabled || flag.kind === 'boolean') continue;
            expect(client.getVariant(flag.key, sent)).toMatchObject(ours?.variant ?? {});
          }
        }
      }),
      { numRuns: 1_000 },
    );
    expect(tally.served).toBeGreaterThan(300);
    expect(tally.enabled).toBeGreaterThan(1_500);
    expect(tally.absent).toBeGreaterThan(300);
  });
});
