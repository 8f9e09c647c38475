import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clause, compileRuleset, type Flag, ofrepBlocks, ofrepFlags, type Ruleset } from './index.ts';

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
  ];
  const flags = Array.from({ length: size }, (_, i) => flag(`flag-${String(i).padStart(4, '0')}`, shapes[i % 4] ?? {}));
  return {
    version: 1,
    environment: 'production',
    project: 'shop',
    flags: Object.fromEntries(flags.map((each) => [each.key, each])),
    segments: {},
  };
}

describe('bulk answers in blocks', () => {
  const text = (blocks: readonly Uint8Array[]) =>
    `[${blocks.map((block) => new TextDecoder().decode(block)).join(',')}]`;

  it.each([0, 1, 15, 16, 17, 200])('equal the text of the whole answer, for %i flags', (size) => {
    const compiled = compileRuleset(ruleset(size));
    const context = fc.record(
      { targetingKey: fc.stringMatching(/^[a-z]{0,2}$/), n: fc.integer({ min: 0, max: 10 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(context, (each) => {
        expect(text(ofrepBlocks(compiled, each))).toBe(ofrepFlags(compiled, each));
      }),
    );
  });

  it('stay correct when there are more distinct answers than cached ones', () => {
    const compiled = compileRuleset(ruleset(64));
    for (const _ of [1, 2])
      for (let unit = 0; unit < 500; unit++) {
        const context = { targetingKey: `user-${unit}`, n: unit % 11 };
        expect(text(ofrepBlocks(compiled, context))).toBe(ofrepFlags(compiled, context));
      }
  });

  it('are the same bytes for the same outcomes', () => {
    const { flags, ...head } = ruleset(32);
    // What fails is written out each time: its message may differ.
    const sound = Object.fromEntries(Object.entries(flags).filter((_, i) => i % 4 !== 3));
    const whole = compileRuleset({ ...head, flags: sound });
    expect(ofrepBlocks(whole, { targetingKey: 'u', n: 1 })[0]).toBe(ofrepBlocks(whole, { targetingKey: 'u', n: 2 })[0]);
  });
});
