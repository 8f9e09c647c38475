import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Clause,
  compileRuleset,
  type Flag,
  ofrepFlags,
  ofrepFragments,
  type Ruleset,
  renderedOutcomes,
  resolve,
} from './index.ts';

function flag(key: string, changes: Partial<Flag>): Flag {
  return {
    key,
    kind: 'string',
    version: 1,
    enabled: true,
    variants: [
      { key: 'a', value: 'ä' },
      { key: 'b', value: 'b' },
    ],
    off_variant: 'b',
    fallthrough: { variant: 'b' },
    targets: [],
    rules: [],
    salt: 's',
    prerequisites: [],
    ...changes,
  };
}

/** Percentages, rules, and flags that fail: with a context without a targeting key, and by themselves. */
function ruleset(size: number): Ruleset {
  const weights = [
    { variant: 'a', weight: 50_000 },
    { variant: 'b', weight: 50_000 },
  ];
  const clauses: Clause[] = [{ attribute: 'n', op: 'gt', values: [5] }];
  const shapes: Partial<Flag>[] = [
    { fallthrough: { rollout: { weights } } },
    { rules: [{ id: 'r', salt: 's', clauses, variant: 'a' }] },
    { enabled: false },
    { off_variant: 'nowhere' },
    { rules: [{ id: 'r', salt: 's', clauses: [{ op: 'in_segment', values: ['team'] }], rollout: { weights } }] },
    { prerequisites: [{ flag: 'flag-0000', variants: ['a'] }], fallthrough: { rollout: { weights, bucket_by: 'n' } } },
    { prerequisites: [{ flag: 'gone', variants: ['a'] }] },
  ];
  const flags = Array.from({ length: size }, (_, i) =>
    flag(`flag-${String(i).padStart(4, '0')}`, shapes[i % shapes.length] ?? {}),
  );
  return {
    version: 1,
    environment: 'production',
    project: 'shop',
    flags: Object.fromEntries(flags.map((each) => [each.key, each])),
    segments: {
      team: { key: 'team', version: 1, included: ['a', 'ä'], excluded: ['b'], rules: [{ clauses }] },
    },
  };
}

const text = (fragments: readonly Uint8Array[]) => fragments.map((each) => new TextDecoder().decode(each));

describe('the fragments of a bulk answer', () => {
  it.each([0, 1, 200])('are the answers of the flags one by one, for %i flags', (size) => {
    const compiled = compileRuleset(ruleset(size));
    const context = fc.record(
      { targetingKey: fc.stringMatching(/^[a-zäß]{0,3}$/), n: fc.integer({ min: 0, max: 10 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(context, (each) => {
        const fragments = text(ofrepFragments(compiled, each));
        expect(fragments).toEqual([...compiled.flags.keys()].map((key) => resolve(compiled, key, each).ofrep()));
        expect(`[${fragments.join(',')}]`).toBe(ofrepFlags(compiled, each));
      }),
    );
  });

  it('are the same memory for the same outcomes, however many units there are', () => {
    const compiled = compileRuleset(ruleset(3));
    const seen = new Set<Uint8Array>();
    for (let unit = 0; unit < 500; unit++)
      for (const fragment of ofrepFragments(compiled, { targetingKey: `user-${unit}`, n: unit % 11 }))
        seen.add(fragment);
    // Two variants of a percentage, a rule that matches or not, and one that is off.
    expect(seen.size).toBe(5);
  });
});

describe('outcomes in another form', () => {
  it('are those of the flags one by one, also after others were rendered', () => {
    const compiled = compileRuleset(ruleset(200));
    const reasons = renderedOutcomes(
      ({ evaluation: { reason, error } }, { key }) => `${key} ${reason} ${error?.message}`,
    );
    const context = fc.record(
      { targetingKey: fc.stringMatching(/^[a-zäß]{0,3}$/), n: fc.integer({ min: 0, max: 10 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(context, (each) => {
        const alone = [...compiled.flags.keys()].map((key) => {
          const { reason, error } = resolve(compiled, key, each).evaluation;
          return `${key} ${reason} ${error?.message}`;
        });
        expect(reasons(compiled, each)).toEqual(alone);
      }),
    );
  });

  it('are made once for each outcome of a flag, however many units there are', () => {
    const compiled = compileRuleset(ruleset(3));
    const made: string[] = [];
    const keys = renderedOutcomes(({ evaluation }) => {
      made.push(evaluation.key);
      return evaluation.key;
    });
    for (let unit = 0; unit < 500; unit++) keys(compiled, { targetingKey: `user-${unit}`, n: unit % 11 });
    expect(made.toSorted()).toEqual(['flag-0000', 'flag-0000', 'flag-0001', 'flag-0001', 'flag-0002']);
  });
});
