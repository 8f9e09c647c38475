import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Clause,
  compileRuleset,
  evaluate,
  evaluateAll,
  explain,
  type Flag,
  MAX_REGEX_STEPS,
  OPERATOR_NAMES,
  ofrepFlags,
  type Ruleset,
  resolve,
  sdkFlags,
} from './index.ts';
import { compiled, flag, ruleset, segment } from './testing/flags.ts';

const inSegment: Clause = { op: 'in_segment', values: ['s'] };

const NAMES = ['targetingKey', 'plan', '__proto__', 'constructor', 'toString', '/a/b', '/__proto__/x', '/0', 'a'];

const anyContext = fc.dictionary(
  fc.oneof(fc.constantFrom(...NAMES.map((name) => name.replaceAll('/', ''))), fc.string()),
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  { noNullPrototype: false },
);

/** Values of the kinds that operators take, so that a good part of the clauses compile. */
const clauseValue = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('1.2.3', '10.0.0.0/8', '2024-02-29T00:00:00Z', '^a+$', 'beta'),
);

const anyClause: fc.Arbitrary<Clause> = fc.record({
  attribute: fc.constantFrom(...NAMES),
  op: fc.constantFrom(...OPERATOR_NAMES),
  values: fc.array(clauseValue, { maxLength: 3 }),
  negate: fc.boolean(),
});

const anyFlag: fc.Arbitrary<Flag> = fc
  .record({
    enabled: fc.boolean(),
    clauses: fc.array(anyClause, { maxLength: 3 }),
    tracked: fc.boolean(),
    bucket_by: fc.constantFrom(...NAMES),
    prerequisites: fc.array(fc.constantFrom('a', 'b', 'c', 'missing'), { maxLength: 2 }),
  })
  .map(({ enabled, clauses, tracked, bucket_by, prerequisites }) =>
    flag('x', {
      enabled,
      targets: [{ variant: 'true', values: ['u', 'a'], attribute: bucket_by }],
      rules: [{ id: 'r', salt: 's', clauses, variant: 'true' }],
      fallthrough: {
        rollout: {
          bucket_by,
          tracked,
          weights: [
            { variant: 'true', weight: 50_000 },
            { variant: 'false', weight: 50_000 },
          ],
        },
      },
      prerequisites: prerequisites.map((required) => ({ flag: required, variants: ['true'] })),
    }),
  );

const anyRuleset: fc.Arbitrary<Ruleset> = fc.tuple(anyFlag, anyFlag, anyFlag).map(([a, b, c]) =>
  ruleset(
    [
      { ...a, key: 'a' },
      { ...b, key: 'b' },
      { ...c, key: 'c' },
    ],
    [segment('beta', { included: ['u'], rules: [{ clauses: [{ op: 'in_segment', values: ['beta'] }] }] })],
  ),
);

describe('evaluation is total', () => {
  it('returns the same answer for any context in every function', () => {
    fc.assert(
      fc.property(anyRuleset, anyContext, (rules, context) => {
        const flags = compileRuleset(rules);
        const all = evaluateAll(flags, context);
        for (const key of ['a', 'b', 'c']) {
          const evaluation = evaluate(flags, key, context);
          expect(all.get(key)).toEqual(evaluation);
          expect(explain(flags, key, context).evaluation).toEqual(evaluation);
          expect(evaluation.variant === null).toBe(evaluation.reason === 'ERROR');
          expect(evaluation.error === undefined).toBe(evaluation.reason !== 'ERROR');
          expect(JSON.parse(resolve(flags, key, context).ofrep()).key).toBe(key);
        }
        expect(JSON.parse(ofrepFlags(flags, context))).toHaveLength(3);
        expect(Object.keys(JSON.parse(sdkFlags(flags, context)))).toEqual(['a', 'b', 'c']);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns an answer for any data delivered as a flag or segment', () => {
    const anyJson = fc.oneof(fc.jsonValue(), fc.constantFrom(null, 5, {}, { key: 'x', version: 1, rules: [{}] }));
    const uses = flag('uses', { rules: [{ id: 'r', salt: 's', clauses: [inSegment], variant: 'true' }] });
    fc.assert(
      fc.property(anyJson, (delivered) => {
        const source = { ...ruleset([uses]), segments: { s: delivered } };
        const rules: Ruleset = JSON.parse(JSON.stringify({ ...source, flags: { uses, x: delivered } }));
        const flags = compileRuleset(rules);
        for (const key of ['x', 'uses']) {
          expect(evaluate(flags, key, {}).error?.code).toBe('PARSE_ERROR');
          expect(explain(flags, key, {}).decided_by).toBe('error');
          expect(JSON.parse(resolve(flags, key, {}).sdk)).toMatchObject({ key, reason: 'ERROR' });
          expect(JSON.parse(resolve(flags, key, {}).ofrep())).toMatchObject({ key, errorCode: 'PARSE_ERROR' });
        }
      }),
    );
  });

  it('returns an answer when a context throws', () => {
    const flags = compiled([flag('x', { rules: [proRule()] })]);
    const throwing = {
      get plan(): string {
        throw new Error('boom');
      },
    };
    expect(evaluate(flags, 'x', throwing).error).toEqual({
      code: 'GENERAL',
      message: 'flag "x": the context could not be read: boom',
    });
    const proxy = new Proxy({}, { getOwnPropertyDescriptor: () => throwUp(), get: () => throwUp() });
    expect(evaluate(flags, 'x', proxy).error?.code).toBe('GENERAL');
    expect(evaluateAll(flags, proxy).get('x')?.error?.code).toBe('GENERAL');
    expect(explain(flags, 'x', proxy).decided_by).toBe('error');
  });

  it.each([null, 7, 'text', []])('treats %j as an empty context', (context) => {
    const flags = compiled([flag('x', { rules: [proRule()] })]);
    expect(evaluate(flags, 'x', JSON.parse(JSON.stringify(context))).reason).toBe('FALLTHROUGH');
  });
});

describe('one call into the engine', () => {
  it('evaluates a lattice of prerequisites once per flag, not once per path', () => {
    // 40 layers of 5: 5^40 paths.
    const layers = Array.from({ length: 200 }, (_, i) => {
      const below = Math.floor(i / 5) - 1;
      const required = below < 0 ? [] : Array.from({ length: 5 }, (_unused, j) => `f${below * 5 + j}`);
      const prerequisites = required.map((key) => ({ flag: key, variants: ['true'] }));
      return flag(`f${i}`, { fallthrough: { variant: 'true' }, prerequisites });
    });
    const flags = compiled(layers);
    expect(evaluate(flags, 'f199', {}).reason).toBe('FALLTHROUGH');
    expect([...evaluateAll(flags, {}).values()].every(({ value }) => value === true)).toBe(true);
  });

  it('evaluates a lattice of segments once per segment', () => {
    const segments = Array.from({ length: 60 }, (_, i) => {
      const below = i === 0 ? [] : [0, 1, 2].map(() => ({ op: 'in_segment' as const, values: [`s${i - 1}`] }));
      return segment(`s${i}`, { rules: below.map((clause) => ({ clauses: [clause] })) });
    });
    const rules = [{ id: 'r', salt: 's', clauses: [{ op: 'in_segment' as const, values: ['s59'] }], variant: 'true' }];
    expect(evaluate(compiled([flag('x', { rules })], segments), 'x', { targetingKey: 'u' }).value).toBe(false);
  });

  it('handles a chain of a thousand prerequisites', () => {
    const chain = Array.from({ length: 1_000 }, (_, i) =>
      flag(`f${i}`, {
        fallthrough: { variant: 'true' },
        prerequisites: i === 0 ? [] : [{ flag: `f${i - 1}`, variants: ['true'] }],
      }),
    );
    expect(evaluate(compiled(chain), 'f999', {}).value).toBe(true);
  });

  it('returns the bucket of the flag itself, not of a prerequisite', () => {
    const weights = [
      { variant: 'true', weight: 100_000 },
      { variant: 'false', weight: 0 },
    ];
    const base = flag('base', { fallthrough: { rollout: { weights } } });
    const prerequisites = [{ flag: 'base', variants: ['true'] }];
    const flags = compiled([
      base,
      flag('fixed', { prerequisites }),
      flag('own', { prerequisites, fallthrough: { rollout: { weights } } }),
      flag('top', { prerequisites: [{ flag: 'own', variants: ['true'] }] }),
    ]);
    const context = { targetingKey: 'u' };
    expect(evaluate(flags, 'fixed', context)).not.toHaveProperty('bucket');
    expect(evaluate(flags, 'top', context)).not.toHaveProperty('bucket');
    const { bucket } = evaluate(flags, 'own', context);
    expect(bucket).not.toBe(evaluate(flags, 'base', context).bucket);
    expect(evaluateAll(flags, context).get('own')?.bucket).toBe(bucket);
  });

  it('does not let one failed flag make the next look like a cycle', () => {
    const percentage = flag('b-needs-key', {
      fallthrough: { rollout: { weights: [{ variant: 'true', weight: 100_000 }] } },
    });
    const needs = (key: string) => flag(key, { prerequisites: [{ flag: 'b-needs-key', variants: ['true'] }] });
    const all = evaluateAll(compiled([needs('a'), percentage, needs('c')]), {});
    expect([...all.values()].map(({ error }) => error?.code)).toEqual(new Array(3).fill('TARGETING_KEY_MISSING'));
  });

  it('bounds the work of regular expressions', () => {
    const clauses: Clause[] = [{ attribute: 'text', op: 'matches', values: ['^(a+)+$', '(x+x+)+y'] }];
    const flags = compiled([flag('x', { rules: [{ id: 'r', salt: 's', clauses, variant: 'true' }] })]);
    expect(evaluate(flags, 'x', { text: 'a'.repeat(50_000) }).value).toBe(true);
    expect(evaluate(flags, 'x', { text: `${'a'.repeat(50_000)}!` }).value).toBe(false);
    expect(evaluate(flags, 'x', { text: 'a'.repeat(MAX_REGEX_STEPS) }).error?.code).toBe('GENERAL');
  });
});

describe('a returned evaluation', () => {
  it('cannot be changed by the caller', () => {
    const value = { theme: { dark: [1, 2] } };
    const config = flag('config', { kind: 'json', variants: [{ key: 'false', value }] });
    const flags = compiled([config]);
    const { value: served } = evaluate(flags, 'config', {});
    expect(served).toEqual(value);
    expect(served).not.toBe(value);
    expect(Object.isFrozen(served)).toBe(true);
    expect(Object.isFrozen((served as typeof value).theme.dark)).toBe(true);
    expect(Object.isFrozen(value)).toBe(false);
  });

  it('matches the text that OFREP documents', () => {
    const rules = [proRule()];
    const outcome = resolve(compiled([flag('a"b', { version: 7, rules })]), 'a"b', { plan: 'pro' });
    expect(outcome.ofrep('"user-1"')).toBe(
      '{"key":"a\\"b","value":true,"reason":"TARGETING_MATCH","variant":"true","metadata":' +
        '{"flagVersion":7,"version":"7","flagSetId":"shop/production","contextId":"user-1"}}',
    );
    expect(outcome.sdk).toBe(
      '{"key":"a\\"b","value":true,"variant":"true","reason":"RULE_MATCH","flag_version":7,"rule_id":"pro"}',
    );
  });

  it('is an empty bulk answer for a ruleset without flags', () => {
    expect(ofrepFlags(compiled([]), {})).toBe('[]');
    expect(sdkFlags(compiled([]), {})).toBe('{}');
  });

  it('reads a date of a local context as its text over HTTP', () => {
    const clauses: Clause[] = [{ attribute: 'signed_up', op: 'before', values: ['2024-01-01T00:00:00Z'] }];
    const flags = compiled([flag('x', { rules: [{ id: 'r', salt: 's', clauses, variant: 'true' }] })]);
    expect(evaluate(flags, 'x', { signed_up: new Date('2023-12-31T23:59:59Z') }).value).toBe(true);
    expect(evaluate(flags, 'x', { signed_up: [new Date('2024-01-01T00:00:00Z')] }).value).toBe(false);
    expect(evaluate(flags, 'x', { signed_up: new Date(Number.NaN) }).value).toBe(false);
  });

  it('reads own properties only', () => {
    const flags = compiled([flag('x', { rules: [proRule()] })]);
    expect(evaluate(flags, 'x', Object.create({ plan: 'pro' })).value).toBe(false);
    const polluted = Object.assign({}, JSON.parse('{"__proto__": {"plan": "pro", "targetingKey": "u"}}'));
    expect(polluted.plan).toBe('pro');
    expect(evaluate(flags, 'x', polluted).value).toBe(false);
  });
});

function proRule(): Flag['rules'][number] {
  return { id: 'pro', salt: 's', clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' };
}

function throwUp(): never {
  throw new TypeError('no');
}
