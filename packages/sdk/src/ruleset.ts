import type { Ruleset, RulesetPatch } from '@fanion/flag-engine';

/**
 * Whether data from the network or disk is a ruleset. Checks only the outer form: a malformed flag or segment returns
 * `PARSE_ERROR` and does not affect the others.
 */
export function isRuleset(value: unknown): value is Ruleset {
  if (!isRecord(value) || !isVersion(value.version)) return false;
  if (typeof value.environment !== 'string' || typeof value.project !== 'string') return false;
  return isRecord(value.flags) && isRecord(value.segments);
}

/** As `isRuleset`, for a patch. */
export function isPatch(value: unknown): value is RulesetPatch {
  if (!isRecord(value) || !isVersion(value.version)) return false;
  const { flags, segments } = value;
  return (flags === undefined || isRecord(flags)) && (segments === undefined || isRecord(segments));
}

/** `{version, refetch: true}`: sent by the stream instead of an event that is too long. */
export function refetchVersion(value: unknown): number | undefined {
  return isRecord(value) && value.refetch === true && isVersion(value.version) ? value.version : undefined;
}

/** The ruleset after a patch, in the delivered form, for the disk. */
export function patched(ruleset: Ruleset, patch: RulesetPatch): Ruleset {
  return {
    ...ruleset,
    version: patch.version,
    flags: merged(ruleset.flags, patch.flags),
    segments: merged(ruleset.segments, patch.segments),
  };
}

/**
 * The sorted keys of the flags whose answers may differ in another ruleset: those whose version differs, and those that
 * depend on one of them through prerequisites at any depth.
 */
export function changedFlags(before: Ruleset | undefined, after: Ruleset): string[] {
  const changed = new Set<string>();
  for (const [key, flag] of Object.entries(after.flags)) {
    const old = before !== undefined && Object.hasOwn(before.flags, key) ? before.flags[key] : undefined;
    if (old === undefined || old.version !== flag?.version) changed.add(key);
  }
  for (const key of Object.keys(before?.flags ?? {})) if (!Object.hasOwn(after.flags, key)) changed.add(key);
  addDependents(changed, after);
  return [...changed].sort();
}

function addDependents(changed: Set<string>, ruleset: Ruleset): void {
  const dependents = new Map<string, string[]>();
  for (const [key, flag] of Object.entries(ruleset.flags)) {
    const required = Array.isArray(flag?.prerequisites) ? flag.prerequisites : [];
    for (const prerequisite of required) {
      const list = dependents.get(prerequisite?.flag) ?? [];
      list.push(key);
      dependents.set(prerequisite?.flag, list);
    }
  }
  // The loop over a set also visits items that are added while it runs.
  for (const key of changed) for (const dependent of dependents.get(key) ?? []) changed.add(dependent);
}

function merged<T>(
  items: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T | null>> | undefined,
): Readonly<Record<string, T>> {
  if (changes === undefined) return items;
  const all = Object.entries<T | null>({ ...items, ...changes });
  return Object.fromEntries(all.filter((entry): entry is [string, T] => entry[1] !== null));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
