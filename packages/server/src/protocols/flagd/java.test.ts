import { type Clause, compileRuleset, type EvaluationContext, evaluate, type Ruleset } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { compareWithEngine, configurationOf, fails } from './testing/compare-with-engine.ts';
import { targetedInJava } from './testing/java-evaluator.ts';

/** What flagd's guide excepts: pointers lead into `b`. */
const isUsual = ({ b }: EvaluationContext) => !Array.isArray(b);

/** Compared as a version, such a number fails, and callers get their default. */
const hasLongNumber = (context: EvaluationContext) =>
  JSON.stringify(context)
    .split(/[[\],:{}]/)
    .map(Number)
    .some((number) => number >= 1e13 || (number >= 1e7 && number % 1 !== 0));

describe("flags for flagd's provider for Java", () => {
  it("have the engine's value for every usual context", () => {
    const compared = compareWithEngine(targetedInJava, isUsual, hasLongNumber);
    expect(compared).toBeGreaterThan(2_000);
  }, 120_000);

  const flagWith = (changes: Partial<Clause>): Ruleset => ({
    ...{ version: 1, environment: 'production', project: 'shop', segments: {} },
    flags: {
      main: {
        ...{ key: 'main', kind: 'string', version: 1, enabled: true, salt: 'salt', targets: [], prerequisites: [] },
        variants: [{ key: 'one', value: '1' }],
        rules: [
          { id: 'r', salt: 's', clauses: [{ attribute: 'a', op: 'in', values: [], ...changes }], variant: 'one' },
        ],
        ...{ off_variant: null, fallthrough: { variant: null } },
      },
    },
  });
  it.each<[string, Partial<Clause>, object, string | null]>([
    ['a missing attribute', { op: 'not_in', values: ['x'] }, {}, 'one'],
    ['a missing attribute that is a text', { op: 'starts_with', values: ['x'] }, {}, null],
    ['null that is a number', { op: 'lt', values: [5] }, { a: null }, null],
    ['-0', { values: [0] }, { a: -0 }, 'one'],
    ['a list in a list', { values: ['x'] }, { a: [['x']] }, null],
    ['an empty list in a list', { op: 'lt', values: [5] }, { a: [[]] }, null],
    ['a short text as a number', { op: 'gte', values: [18], as: 'number' }, { a: '18' }, 'one'],
    ['a text that is too short for a time', { op: 'before', values: [0] }, { a: '1969' }, null],
    ['a time', { op: 'before', values: [0] }, { a: '1969-12-31T23:59:59.5Z' }, 'one'],
    ['a text that is shorter without its case', { values: ['abc'], ignore_case: true }, { a: 'ab' }, null],
    ['a character where a text is empty', { values: [''], ignore_case: true }, { a: 'x' }, null],
    ['the order of versions', { op: 'semver_gt', values: ['2.9.0'] }, { a: '2.10.0' }, 'one'],
    ['numbers in pre-releases', { op: 'semver_gt', values: ['2.0.0-rc.2'] }, { a: '2.0.0-rc.10' }, 'one'],
    ['texts with numbers in pre-releases', { op: 'semver_gt', values: ['2.0.0-rc2'] }, { a: '2.0.0-rc10' }, null],
    ['a version without a number', { op: 'semver_eq', values: ['1.2.0-rc.1'] }, { a: '1.2-rc.1' }, 'one'],
    ['a version with a great number', { op: 'semver_lt', values: ['9999999999.0.0'] }, { a: '3.0.0' }, 'one'],
    ['an empty version', { op: 'semver_lt', values: ['1.0.0'], as: 'version' }, { a: '' }, null],
    ['a number as a version', { op: 'semver_lt', values: ['1.6'], as: 'version' }, { a: 1.5 }, 'one'],
    ['a long number as a version', { op: 'semver_eq', values: ['20260501'], as: 'version' }, { a: 20_260_501 }, 'one'],
    ['the zeros of a long number', { op: 'semver_eq', values: ['20000001'], as: 'version' }, { a: 20_000_001 }, 'one'],
  ])('read %s', (_, changes, context, variant) => {
    const { flags, $evaluators } = configurationOf(flagWith(changes));
    expect(targetedInJava(flags.main?.targeting, $evaluators, context)).toBe(variant);
    const given = compileRuleset(flagWith(changes), { clock: Date.now });
    expect(evaluate(given, 'main', context as EvaluationContext).variant ?? null).toBe(variant);
  });

  it('fail for a long number as a version, and for a pointer that leads into a list', () => {
    const failsWith = (changes: Partial<Clause>, context: object) => {
      const { flags, $evaluators } = configurationOf(flagWith(changes));
      return fails(() => targetedInJava(flags.main?.targeting, $evaluators, context));
    };
    const asVersion = { op: 'semver_gt', values: ['1.0.0'], as: 'version' } as const;
    const numbers = [9_999_999.5, 10_000_000, 10_000_000.5, 1e13 - 1, 1e13];
    expect(numbers.map((a) => failsWith(asVersion, { a }))).toEqual([false, false, true, false, true]);
    const pointer = { attribute: '/a/b', values: ['x'] };
    expect([{ b: 'x' }, 'x', null, ['x']].map((a) => failsWith(pointer, { a }))).toEqual([false, false, false, true]);
  });
});
