import type { CompiledFlag, CompiledRuleset, CompiledSegment } from './compiled.ts';
import { compileFlag } from './flag.ts';
import { prepareKeySet, type Steps } from './key-set.ts';
import type { Ruleset, RulesetPatch } from './ruleset.ts';
import { compileSegment } from './segment.ts';

export interface CompileOptions {
  /** OpenFeature's `flagSetId` in the metadata of OFREP answers; `<project>/<environment>` when left out. */
  readonly flagSetId?: string;
  /** The time that rules compare `now` with, in milliseconds since 1970. Without it no rule by time matches. */
  readonly clock?: () => number;
}

/**
 * Compiles a ruleset for evaluation. Never throws for the content of a flag or segment: a malformed one returns
 * `PARSE_ERROR` and does not affect the others.
 */
export function compileRuleset(ruleset: Ruleset, options: CompileOptions = {}): CompiledRuleset {
  const { version, environment, project } = ruleset;
  const flagSetId = options.flagSetId ?? `${project}/${environment}`;
  const flags = new Map<string, CompiledFlag>();
  for (const [key, flag] of Object.entries(ruleset.flags)) flags.set(key, compileFlag(key, flag, flagSetId));
  const segments = new Map<string, CompiledSegment>();
  for (const [key, segment] of Object.entries(ruleset.segments)) segments.set(key, compileSegment(key, segment));
  const ordered = inKeyOrder(flags);
  const { clock } = options;
  return { version, environment, project, flagSetId, clock, required: ordered, flags: ordered, segments };
}

/**
 * The ruleset after a patch. Entries that the patch does not name are reused, so the cost is that of the changed flags
 * and segments plus one pass over the keys. `compiled` stays valid for evaluations in progress.
 *
 * The caller ensures the order of versions: a patch applies to the version before its own.
 */
export function patchRuleset(compiled: CompiledRuleset, patch: RulesetPatch): CompiledRuleset {
  const flags = new Map(compiled.flags);
  for (const [key, flag] of Object.entries(patch.flags ?? {})) {
    if (flag === null) flags.delete(key);
    else flags.set(key, compileFlag(key, flag, compiled.flagSetId));
  }
  const segments = new Map(compiled.segments);
  for (const [key, segment] of Object.entries(patch.segments ?? {})) {
    if (segment === null) segments.delete(key);
    else segments.set(key, compileSegment(key, segment, compiled.segments.get(key)));
  }
  const ordered = inKeyOrder(flags);
  return { ...compiled, version: patch.version, required: ordered, flags: ordered, segments };
}

/**
 * Builds the sets of long lists of keys in short steps, so that compiling these segments is quick afterwards.
 *
 * @param before the ruleset that a patch applies to, whose sets are reused
 */
export function* prepareSegments(
  segments: RulesetPatch['segments'] = {},
  before?: Pick<CompiledRuleset, 'segments'>,
): Steps<void> {
  for (const [key, segment] of Object.entries(segments)) {
    if (segment === null) continue;
    const old = before?.segments.get(key);
    yield* prepareKeySet(segment.included ?? [], old?.included);
    yield* prepareKeySet(segment.excluded ?? [], old?.excluded);
  }
}

const clientViews = new WeakMap<CompiledRuleset, CompiledRuleset>();

/**
 * The ruleset as SDK keys of the kind `client` see it: a hidden flag does not exist for them, but still decides flags
 * that depend on it. Returns the same object if no flag is hidden.
 */
export function clientView(compiled: CompiledRuleset): CompiledRuleset {
  const known = clientViews.get(compiled);
  if (known !== undefined) return known;
  const flags = new Map([...compiled.flags].filter(([, { source }]) => source?.client_visible !== false));
  const view = flags.size === compiled.flags.size ? compiled : { ...compiled, flags };
  clientViews.set(compiled, view);
  return view;
}

/** Keeps bulk answers byte-identical on every replica, whether its ruleset was loaded or patched. */
function inKeyOrder(flags: Map<string, CompiledFlag>): Map<string, CompiledFlag> {
  const keys = [...flags.keys()];
  const ordered = keys.every((key, i) => i === 0 || (keys[i - 1] ?? '') < key);
  return ordered ? flags : new Map([...flags].sort(([a], [b]) => (a < b ? -1 : 1)));
}
