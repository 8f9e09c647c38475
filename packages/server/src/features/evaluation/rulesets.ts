import { type CompiledRuleset, compileRuleset, patchRuleset, type Ruleset } from '@fanion/flag-engine';
import type { Log } from '../../platform/log.ts';

export interface RulesetSource {
  /** Undefined: the environment is gone. */
  load(environmentId: string): Promise<Ruleset | undefined>;
  /** Versions of those that were ever changed. */
  versions(environmentIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

interface Held {
  readonly ruleset: Ruleset;
  readonly compiled: CompiledRuleset;
}

/** The rulesets that this replica serves, in memory: evaluation never asks a store once an environment is loaded. */
export interface Rulesets {
  /** At once where the environment is loaded, else after loading it. Undefined: it is gone. */
  get(environmentId: string): CompiledRuleset | Promise<CompiledRuleset | undefined>;
  /** Looks whether newer versions exist of these (of all that are loaded, without an argument) and swaps them in. */
  refresh(environmentIds?: readonly string[]): Promise<void>;
  drop(environmentId: string): void;
  stop(): void;
}

export function createRulesets({
  source,
  log,
  pollMs = 1_000,
}: {
  source: RulesetSource;
  log: Log;
  pollMs?: number;
}): Rulesets {
  const held = new Map<string, Held>();
  const loading = new Map<string, Promise<CompiledRuleset | undefined>>();

  /** One load at a time per environment; a change that lands meanwhile is seen by the next look. */
  function load(environmentId: string): Promise<CompiledRuleset | undefined> {
    const running = loading.get(environmentId);
    if (running !== undefined) return running;
    const work = source
      .load(environmentId)
      .then((ruleset) => {
        if (ruleset === undefined) {
          held.delete(environmentId);
          return undefined;
        }
        const before = held.get(environmentId);
        // Versions only grow: what an overtaken load brings is of yesterday.
        if (before !== undefined && before.ruleset.version >= ruleset.version) return before.compiled;
        const compiled =
          before === undefined
            ? compileRuleset(ruleset)
            : patchRuleset(before.compiled, difference(before.ruleset, ruleset));
        held.set(environmentId, { ruleset, compiled });
        return compiled;
      })
      .finally(() => loading.delete(environmentId));
    loading.set(environmentId, work);
    return work;
  }

  async function refresh(environmentIds: readonly string[] = [...held.keys()]): Promise<void> {
    const known = environmentIds.filter((id) => held.has(id));
    if (known.length === 0) return;
    const versions = await source.versions(known);
    await Promise.all(
      known.map(async (id) => {
        const newest = versions.get(id) ?? 0;
        // A load that began before the change may bring the old state: look again until ours is as new.
        while ((held.get(id)?.ruleset.version ?? newest) < newest) await load(id);
      }),
    );
  }

  let polling = false;
  const timer = setInterval(async () => {
    if (polling) return;
    polling = true;
    await refresh().catch((error: unknown) =>
      log.debug({ err: error }, 'rulesets could not be compared; serving what is in memory'),
    );
    polling = false;
  }, pollMs);
  timer.unref();

  return {
    get: (environmentId) => held.get(environmentId)?.compiled ?? load(environmentId),
    refresh,
    drop(environmentId) {
      held.delete(environmentId);
    },
    stop: () => clearInterval(timer),
  };
}

/** What a ruleset changed to another: only that is compiled anew. A flag's own version tells. */
function difference(before: Ruleset, after: Ruleset) {
  const flags = { ...gone(before.flags, after.flags), ...changed(before.flags, after.flags) };
  const segments = { ...gone(before.segments, after.segments), ...changed(before.segments, after.segments) };
  return { version: after.version, flags, segments };
}

function changed<T extends { readonly version: number }>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(after).filter(([key, item]) => !Object.hasOwn(before, key) || before[key]?.version !== item.version),
  );
}

function gone<T>(before: Readonly<Record<string, T>>, after: Readonly<Record<string, T>>): Record<string, null> {
  return Object.fromEntries(
    Object.keys(before)
      .filter((key) => !Object.hasOwn(after, key))
      .map((key) => [key, null]),
  );
}
