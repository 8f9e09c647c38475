import type { Clause, Flag, Ruleset, Segment } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { complete } from '../../../platform/steps.ts';
import { launchDarklyData, launchDarklyReasons } from './convert-rules.ts';

const levels = 6;
const width = 20;
const keysOf = (level: number) => Array.from({ length: width }, (_, i) => `${level}-${i}`);
const nextOf = (level: number) => (level + 1 < levels ? keysOf(level + 1) : []);
const eachKey = Array.from({ length: levels }, (_, level) =>
  keysOf(level).map((key) => ({ key, next: nextOf(level) })),
);

function flagOf(key: string, changes: Partial<Flag>): Flag {
  return {
    ...{ key, kind: 'boolean', version: 1, enabled: true, salt: 'salt', targets: [], rules: [], prerequisites: [] },
    variants: [
      { key: 'on', value: true },
      { key: 'off', value: false },
    ],
    off_variant: 'off',
    fallthrough: { variant: 'on' },
    ...changes,
  };
}

const rulesetOf = (flags: readonly Flag[], segments: readonly Segment[]): Ruleset => ({
  ...{ version: 1, environment: 'production', project: 'shop' },
  flags: Object.fromEntries(flags.map((flag) => [flag.key, flag])),
  segments: Object.fromEntries(segments.map((segment) => [segment.key, segment])),
});

/** Each flag needs every flag of the next layer. Those of the last have a rule with the given clauses. */
const layeredFlags = (last: readonly Clause[]) =>
  eachKey.flat().map(({ key, next }) =>
    flagOf(key, {
      prerequisites: next.map((flag) => ({ flag, variants: ['on'] })),
      rules: next.length > 0 ? [] : [{ id: 'r', salt: 's', clauses: last, variant: 'on' }],
    }),
  );

// There are 20 to the power of 6 paths from the first layer to the last, so a conversion for each path would not end.
describe('a ruleset whose flags and segments depend on each other in layers', () => {
  it('has every flag if all of them can be converted', () => {
    const ruleset = rulesetOf(layeredFlags([]), []);
    expect(Object.keys(complete(launchDarklyData(ruleset)).flags)).toHaveLength(levels * width);
    expect(launchDarklyReasons(ruleset.flags['0-0'] as Flag, ruleset)).toEqual([]);
  });

  it('has no flag if those of the last layer cannot be converted', () => {
    const ruleset = rulesetOf(layeredFlags([{ op: 'exists', attribute: 'plan', values: [] }]), []);
    expect(complete(launchDarklyData(ruleset)).flags).toEqual({});
    expect(launchDarklyReasons(ruleset.flags['0-0'] as Flag, ruleset)).toEqual(['uses the operator exists']);
  });

  it('has every segment', () => {
    const segments = eachKey.flat().map(({ key, next }): Segment => {
      const clauses: Clause[] = next.length > 0 ? [{ op: 'in_segment', values: next }] : [];
      return { key, version: 1, included: ['u1'], excluded: [], rules: [{ clauses }] };
    });
    expect(Object.keys(complete(launchDarklyData(rulesetOf([], segments))).segments)).toHaveLength(levels * width);
  });

  it('has no flag or segment of a cycle', () => {
    const flags = ['a', 'b'].map((key, i) =>
      flagOf(key, { prerequisites: [{ flag: i === 0 ? 'b' : 'a', variants: ['on'] }] }),
    );
    const clauses: Clause[] = [{ op: 'in_segment', values: ['s'] }];
    const segment: Segment = { key: 's', version: 1, included: [], excluded: [], rules: [{ clauses }] };
    expect(complete(launchDarklyData(rulesetOf(flags, [segment])))).toEqual({ flags: {}, segments: {} });
    expect(launchDarklyReasons(flags[0] as Flag, rulesetOf(flags, []))).toEqual(['needs the unusable flag "b"']);
  });
});
