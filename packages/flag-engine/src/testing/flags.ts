import { type CompiledRuleset, compileRuleset, type Flag, type Ruleset, type Segment, type Weight } from '../index.ts';

/** A boolean flag that is on and serves `false`, with the changes of a test. */
export function flag(key: string, changes: Partial<Flag> = {}): Flag {
  return {
    key,
    kind: 'boolean',
    version: 1,
    enabled: true,
    variants: [
      { key: 'true', value: true },
      { key: 'false', value: false },
    ],
    off_variant: 'false',
    fallthrough: { variant: 'false' },
    targets: [],
    rules: [],
    salt: 'salt',
    prerequisites: [],
    ...changes,
  };
}

export function segment(key: string, changes: Partial<Segment> = {}): Segment {
  return { key, version: 1, included: [], excluded: [], rules: [], ...changes };
}

export function ruleset(flags: readonly Flag[], segments: readonly Segment[] = []): Ruleset {
  return {
    version: 1,
    environment: 'production',
    project: 'shop',
    flags: Object.fromEntries(flags.map((each) => [each.key, each])),
    segments: Object.fromEntries(segments.map((each) => [each.key, each])),
  };
}

export function compiled(flags: readonly Flag[], segments: readonly Segment[] = []): CompiledRuleset {
  return compileRuleset(ruleset(flags, segments));
}

/** A flag with string variants split by weights, in that order. */
export function split(key: string, weights: readonly Weight[]): Flag {
  const keys = [...new Set(weights.map(({ variant }) => variant))];
  return flag(key, {
    kind: 'string',
    variants: keys.map((variant) => ({ key: variant, value: variant })),
    off_variant: keys[0] ?? '',
    fallthrough: { rollout: { weights } },
  });
}
