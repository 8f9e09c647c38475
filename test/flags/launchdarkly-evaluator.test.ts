import { compileRuleset, evaluate, type Flag, OPERATOR_NAMES, type Rule, type Ruleset } from '@fanion/flag-engine';
import { init, integrations, type LDClient } from '@launchdarkly/node-server-sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineContext } from '../../packages/server/src/features/flags/launchdarkly/context-rules.ts';
import {
  launchDarklyData,
  launchDarklyReasons,
} from '../../packages/server/src/features/flags/launchdarkly/convert-rules.ts';
import { complete } from '../../packages/server/src/platform/steps.ts';

const silent = { error() {}, warn() {}, info() {}, debug() {} };
const attributes = ['plan', 'age', 'version', 'targetingKey', 'name', 'tags'];
const versions = [
  '1',
  '1.0',
  '2.0.0',
  '2.0.0-rc.1',
  '2.0.0-rc.10',
  '2.0.0+build',
  '02.0.0',
  'v2.0.0',
  '2.0.0-',
  '1.2.3.4',
];
const times = ['2026-05-01T08:30:00Z', '2026-05-01T08:30:00.001+02:00', '1970-01-01T00:00:00.005Z', '2026-05-01'];
const patterns = ['^p', '^[^a]+$', '\\d+\\.\\d', 'r.*', 'f|7$'];
const scalar = fc.oneof(
  fc.constantFrom<string | number | boolean>('pro', 'free', '', 'PRO', 'p', '7', 7, 0, -1, 1.5, 2 ** 53, true, false),
  fc.constantFrom(...versions),
  fc.constantFrom(...times, ...patterns),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant(null), fc.constant({ plan: 'pro' }));
const clause = fc.record(
  {
    attribute: fc.constantFrom(...attributes),
    op: fc.constantFrom(...OPERATOR_NAMES.filter((name) => name !== 'in_segment')),
    values: fc.array(scalar, { minLength: 1, maxLength: 3 }),
    negate: fc.boolean(),
    context_kind: fc.constantFrom('user', 'organization'),
    ignore_case: fc.boolean(),
  },
  { requiredKeys: ['attribute', 'op', 'values'] },
);
const weights = [
  { variant: 'on', weight: 30_000 },
  { variant: 'off', weight: 50_000, untracked: true },
  { variant: 'on', weight: 20_000 },
];
const serve = fc.constantFrom(
  ...[{ variant: 'on' }, { variant: 'off' }, { variant: null }, { rollout: { weights } }],
  ...[{ rollout: { weights, tracked: true } }, { rollout: { weights, context_kind: 'organization' } }],
  ...[
    { rollout: { weights, seed: '61' } },
    { rollout: { weights, seed: 'shared' } },
    { rollout: { weights, bucket_by: 'plan' } },
  ],
);
const rules = fc.array(fc.tuple(fc.array(clause, { maxLength: 2 }), serve), { maxLength: 3 });
const targets = fc.array(
  fc.record({ variant: fc.constantFrom('on', 'off'), values: fc.subarray(['u1', 'u2', 'u3']) }),
  { maxLength: 2 },
);
const flag = fc
  .record({ rules, targets, fallthrough: serve, enabled: fc.boolean(), off_variant: fc.constantFrom('off', null) })
  .map(
    ({ rules: written, ...rest }): Flag => ({
      ...{ key: 'flag', kind: 'boolean', version: 1, salt: 'salt', prerequisites: [], ...rest },
      variants: [
        { key: 'on', value: true },
        { key: 'off', value: false },
      ],
      rules: written.map(([clauses, served], i): Rule => ({ id: `r${i}`, salt: 'salt', clauses, ...served })),
    }),
  );
const fields = fc.dictionary(fc.constantFrom('plan', 'age', 'version', 'name', 'tags'), value, { maxKeys: 5 });
const part = fc.tuple(fc.constantFrom('u1', 'u2', 'u3', 'u4', 'u5'), fields).map(([key, rest]) => ({ ...rest, key }));
const context = fc.oneof(
  part.map((one) => ({ ...one, kind: 'user' })),
  part.map((one) => ({ ...one, kind: 'organization' })),
  fc.tuple(part, part).map(([user, organization]) => ({ kind: 'multi', user, organization })),
);

/** What is served to LaunchDarkly's SDKs, judged by their own evaluator. */
describe("LaunchDarkly's evaluator", () => {
  const data = new integrations.TestData();
  let client: LDClient;
  beforeAll(async () => {
    client = init('sdk-key', { updateProcessor: data.getFactory(), sendEvents: false, logger: silent });
    await client.waitForInitialization({ timeout: 10 });
  });
  afterAll(() => client.close());

  let version = 0;
  async function compared(one: Flag, contexts: readonly object[]): Promise<boolean> {
    const ruleset: Ruleset = {
      version: 1,
      environment: 'production',
      project: 'shop',
      flags: { flag: one },
      segments: {},
    };
    const compiled = compileRuleset(ruleset);
    // Nobody can write it.
    if (compiled.flags.get('flag')?.plan.malformed !== undefined) return false;
    const served = complete(launchDarklyData(ruleset)).flags.flag;
    const reasons = launchDarklyReasons(one, ruleset);
    expect(served === undefined, JSON.stringify(reasons)).toBe(reasons.length > 0);
    if (served === undefined) return false;
    await data.usePreconfiguredFlag({ ...served, version: ++version } as never);
    for (const each of contexts) {
      const wanted = evaluate(compiled, 'flag', engineContext(each));
      const given = await client.variationDetail('flag', each as never, 'default');
      const told = JSON.stringify({ each, given, wanted });
      expect(given.value, told).toBe(wanted.variant === null ? 'default' : wanted.value);
      expect(given.reason.inExperiment === true, told).toBe(wanted.tracked === true);
    }
    return true;
  }

  it('gives the answers of the engine for every flag that is served', async () => {
    let served = 0;
    await fc.assert(
      fc.asyncProperty(flag, fc.array(context, { minLength: 1, maxLength: 5 }), async (one, contexts) => {
        if (await compared(one, contexts)) served++;
      }),
      { numRuns: 2_000 },
    );
    expect(served).toBeGreaterThan(200);
  });

  it('gives the answers of the engine for each operator that it has, and each pair of values', async () => {
    const values = ['pro', '', 'PRO', 7, 0, 1.5, true, false, ...versions, ...times, ...patterns];
    const contexts = [...values, ['pro', 7], null].map((plan) => ({ kind: 'user', key: 'u1', plan }));
    let served = 0;
    for (const op of OPERATOR_NAMES)
      for (const one of values)
        for (const negate of [false, true]) {
          const clauses = [{ attribute: 'plan', op, values: [one], negate }];
          const rule = { id: 'r', salt: 's', clauses, variant: 'on' };
          const [base] = fc.sample(flag, { numRuns: 1, seed: 1 });
          if (base === undefined) throw new Error('no flag');
          const plain = { targets: [], enabled: true, fallthrough: { variant: 'off' }, off_variant: 'off' };
          if (await compared({ ...base, ...plain, rules: [rule] }, contexts)) served++;
        }
    expect(served).toBeGreaterThan(200);
  });
});
