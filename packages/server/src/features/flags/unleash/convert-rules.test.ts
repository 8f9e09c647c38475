import type { Clause, Flag, Ruleset, Segment } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { complete } from '../../../platform/steps.ts';
import { unleashFeatures, unleashReasons } from './convert-rules.ts';

const levels = 6;
const width = 20;
const keysOf = (level: number) => Array.from({ length: level < levels ? width : 0 }, (_, i) => `${level}-${i}`);

function flagOf(key: string, prerequisites: readonly string[], clauses: readonly Clause[]): Flag {
  return {
    ...{ key, kind: 'boolean', version: 1, enabled: true, salt: 'salt', targets: [] },
    variants: [
      { key: 'true', value: true },
      { key: 'false', value: false },
    ],
    off_variant: 'false',
    prerequisites: prerequisites.map((flag) => ({ flag, variants: ['true'] })),
    rules: [{ id: 'r', salt: 's', clauses, variant: 'true' }],
    fallthrough: { variant: 'false' },
  };
}

const rulesetOf = (flags: readonly Flag[], segments: readonly Segment[]): Ruleset => ({
  ...{ version: 1, environment: 'production', project: 'shop' },
  flags: Object.fromEntries(flags.map((flag) => [flag.key, flag])),
  segments: Object.fromEntries(segments.map((segment) => [segment.key, segment])),
});

/** Segments that match users of every segment of the next layer. */
const layeredSegments = Array.from({ length: levels }, (_, level) =>
  keysOf(level).map((key): Segment => {
    const named = keysOf(level + 1).map((next): Clause => ({ op: 'in_segment', values: [next] }));
    const clauses: Clause[] = named.length > 0 ? named : [{ op: 'in', attribute: 'plan', values: ['pro'] }];
    return { key, version: 1, included: [], excluded: [], rules: [{ clauses }] };
  }),
).flat();

// There are 20 to the power of 6 paths through the layers, so a conversion for each path would not end.
describe('a ruleset in layers', () => {
  it('keeps the flags of the last two layers, since parents have no parents', () => {
    const flags = Array.from({ length: levels }, (_, level) =>
      keysOf(level).map((key) => flagOf(key, keysOf(level + 1), [])),
    ).flat();
    const kept = complete(unleashFeatures(rulesetOf(flags, []))).map(({ name }) => name);
    expect(kept).toEqual([...keysOf(levels - 2), ...keysOf(levels - 1)]);
  });

  it('leaves out a flag whose segments need too many constraints', () => {
    const flag = flagOf('main', [], [{ op: 'in_segment', values: ['0-0'] }]);
    const ruleset = rulesetOf([flag], layeredSegments);
    expect(unleashReasons(flag, ruleset)).toEqual(['needs more than 1000 constraints']);
    expect(complete(unleashFeatures(ruleset))).toEqual([]);
  });
});
