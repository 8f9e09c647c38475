import { type DependencyGraph, longestChain, prerequisiteCycle } from '../cycles.ts';
import { wrongMetadata } from '../metadata.ts';
import type { FlagKind, JsonValue, Prerequisite } from '../ruleset.ts';
import { isDeeperThan } from './depth.ts';
import type { FlagDraft } from './draft.ts';
import { type Issue, Issues } from './issue.ts';
import {
  MAX_DEPENDENCY_DEPTH,
  MAX_PREREQUISITES,
  MAX_VARIANT_DEPTH,
  MAX_VARIANT_LENGTH,
  MAX_VARIANTS,
} from './limits.ts';
import { checkVariant } from './serve.ts';

/** The issues of a flag's variants: their keys, their values' type, and the variants named as defaults. */
export function validateVariants(
  flag: FlagDraft & { readonly default_variant?: string | undefined; readonly off_variant?: string | null | undefined },
): Issue[] {
  const issues = new Issues();
  const wrong = wrongMetadata(flag.metadata ?? {});
  if (wrong !== undefined) issues.add(['metadata'], wrong);
  if (flag.variants.length === 0) issues.add(['variants'], 'must have at least one variant');
  if (issues.tooMany(['variants'], flag.variants.length, MAX_VARIANTS)) return issues.list;
  const keys = new Set<string>();
  for (const [i, { key, value }] of flag.variants.entries()) {
    issues.text(['variants', i, 'key'], key);
    if (keys.has(key)) issues.add(['variants', i, 'key'], `the key "${key}" appears twice`);
    keys.add(key);
    const wrong = wrongValue(flag.kind, value);
    if (wrong !== undefined) issues.add(['variants', i, 'value'], wrong);
  }
  if (flag.default_variant !== undefined) checkVariant(issues, ['default_variant'], flag.default_variant, keys);
  if (flag.off_variant !== undefined) checkVariant(issues, ['off_variant'], flag.off_variant, keys);
  return issues.list;
}

function wrongValue(kind: FlagKind, value: JsonValue): string | undefined {
  if (kind !== 'json' && typeof value !== kind) return `must be a ${kind}, the kind of the flag`;
  if (kind === 'number' && !Number.isFinite(value)) return 'must be a finite number';
  if (isDeeperThan(value, MAX_VARIANT_DEPTH)) return `is nested more than ${MAX_VARIANT_DEPTH} deep`;
  const length = JSON.stringify(value).length;
  return length > MAX_VARIANT_LENGTH ? `has ${length} characters as JSON, at most ${MAX_VARIANT_LENGTH}` : undefined;
}

/**
 * The issues of a flag's prerequisites, including cycles and chains that are too long.
 *
 * @param flags variants of the project's flags by key
 * @param graph current requirements of the project's flags
 */
export function validatePrerequisites(
  key: string,
  prerequisites: readonly Prerequisite[],
  flags: ReadonlyMap<string, readonly { readonly key: string }[]>,
  graph: DependencyGraph,
): Issue[] {
  const issues = new Issues();
  if (issues.tooMany(['prerequisites'], prerequisites.length, MAX_PREREQUISITES)) return issues.list;
  const seen = new Set<string>();
  for (const [i, prerequisite] of prerequisites.entries()) {
    const path = ['prerequisites', i];
    if (seen.has(prerequisite.flag)) issues.add([...path, 'flag'], `"${prerequisite.flag}" appears twice`);
    seen.add(prerequisite.flag);
    const variants = flags.get(prerequisite.flag);
    if (variants === undefined) {
      issues.add([...path, 'flag'], `unknown flag "${prerequisite.flag}"`);
      continue;
    }
    if (prerequisite.variants.length === 0) issues.add([...path, 'variants'], 'must have at least one variant');
    const keys = new Set(variants.map((variant) => variant.key));
    for (const [j, variant] of prerequisite.variants.entries()) {
      checkVariant(issues, [...path, 'variants', j], variant, keys);
    }
  }
  const requires = [...seen];
  const cycle = prerequisiteCycle(graph, key, requires);
  if (cycle !== undefined) issues.add(['prerequisites'], `would make a cycle: ${cycle.join(' → ')}`);
  else if (longestChain(graph, key, requires) > MAX_DEPENDENCY_DEPTH) {
    issues.add(['prerequisites'], `would make a chain of more than ${MAX_DEPENDENCY_DEPTH} prerequisites`);
  }
  return issues.list;
}
