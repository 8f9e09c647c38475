import {
  type CompiledRuleset,
  compileRuleset,
  patchRuleset,
  prepareSegments,
  type Ruleset,
  type RulesetPatch,
} from '@fanion/flag-engine';
import { runInSlices } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { isConnectionError } from '../../../platform/postgres/database.ts';
import type { LoadedRuleset } from '../flags/index.ts';
import type { RulesetDisk } from './ruleset-disk.ts';

export interface RulesetSource {
  /** Undefined: the environment was removed. Items of the same version may be reused from `before`. */
  load(environmentId: string, before: LoadedRuleset | undefined): Promise<LoadedRuleset | undefined>;
  /** Versions of the environments that were ever changed. */
  versions(environmentIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** What a replica serves of an environment. */
export interface HeldRuleset {
  readonly ruleset: Ruleset;
  readonly compiled: CompiledRuleset;
}

/** One swap of a ruleset for a newer one; `patch` leads from version `from` to the new one. */
export interface RulesetSwap {
  readonly environmentId: string;
  readonly from: number;
  readonly held: HeldRuleset;
  readonly patch: RulesetPatch;
}

export interface RulesetListener {
  swapped(swap: RulesetSwap): void;
  dropped(environmentId: string): void;
}

export interface ReadableRulesets<Held> {
  /** Synchronous if the environment is loaded, else after loading it. Undefined: it was removed. */
  get(environmentId: string): Held | Promise<Held | undefined>;
  refresh(environmentIds: readonly string[]): Promise<void>;
}

/** The rulesets that this replica serves, in memory: evaluation never asks a store once an environment is loaded. */
export interface Rulesets extends ReadableRulesets<HeldRuleset> {
  /** Checks whether newer versions of these exist (without an argument: of all loaded ones), and swaps them in. */
  refresh(environmentIds?: readonly string[]): Promise<void>;
  drop(environmentId: string): void;
  /** Environments whose ruleset came from the disk and was not yet compared with the control plane. */
  fromDisk(): number;
  /** Unix milliseconds. When those in memory were compared with the control plane last; 0: never. */
  comparedAt(): number;
  listen(listener: RulesetListener): void;
  stop(): Promise<void>;
}

interface Entry extends HeldRuleset {
  readonly loaded: LoadedRuleset;
}

export function createRulesets({
  source,
  log,
  clock,
  disk,
  pollMs = 1_000,
}: {
  source: RulesetSource;
  log: Log;
  clock: Clock;
  disk?: RulesetDisk | undefined;
  pollMs?: number;
}): Rulesets {
  const held = new Map<string, Entry>();
  const loading = new Map<string, Promise<Entry | undefined>>();
  const unconfirmed = new Set<string>();
  const listeners: RulesetListener[] = [];
  let comparedAt = 0;

  /** One load at a time per environment. The next check finds a change that is committed meanwhile. */
  function load(environmentId: string): Promise<Entry | undefined> {
    const running = loading.get(environmentId);
    if (running !== undefined) return running;
    const work = source
      .load(environmentId, held.get(environmentId)?.loaded)
      .then(
        async (loaded) => {
          unconfirmed.delete(environmentId);
          if (loaded === undefined) return drop(environmentId);
          await prepare(environmentId, loaded);
          return swap(environmentId, loaded);
        },
        async (error: unknown) => (await fromDisk(environmentId, error)) ?? Promise.reject(error),
      )
      .finally(() => loading.delete(environmentId));
    loading.set(environmentId, work);
    return work;
  }

  /** The sets of long lists of keys, while others evaluate. */
  function prepare(environmentId: string, loaded: LoadedRuleset): Promise<void> {
    const before = held.get(environmentId);
    const segments = before === undefined ? loaded.ruleset.segments : difference(before.loaded, loaded).segments;
    return runInSlices(prepareSegments(segments, before?.compiled));
  }

  function swap(environmentId: string, loaded: LoadedRuleset): Entry {
    const before = held.get(environmentId);
    const { ruleset } = loaded;
    // Versions only grow: a load that was overtaken brings an older one.
    if (before !== undefined && before.ruleset.version >= ruleset.version) return before;
    if (before === undefined) {
      const entry = { ruleset, compiled: compileRuleset(ruleset, { clock: () => clock.now() }), loaded };
      held.set(environmentId, entry);
      disk?.keep(environmentId, ruleset);
      return entry;
    }
    const patch = difference(before.loaded, loaded);
    const entry = { ruleset, compiled: patchRuleset(before.compiled, patch), loaded };
    held.set(environmentId, entry);
    disk?.keep(environmentId, ruleset);
    for (const listener of listeners)
      listener.swapped({ environmentId, from: before.ruleset.version, held: entry, patch });
    return entry;
  }

  /** With the control plane down, the last ruleset that this machine has seen is better than none. */
  async function fromDisk(environmentId: string, error: unknown): Promise<Entry | undefined> {
    if (disk === undefined || held.has(environmentId) || !isConnectionError(error)) return undefined;
    const ruleset = await disk.find(environmentId);
    if (ruleset === undefined) return undefined;
    const loaded = { ruleset, flagStamps: new Map<string, string>(), segmentStamps: new Map<string, string>() };
    await prepare(environmentId, loaded);
    const entry = { ruleset, compiled: compileRuleset(ruleset, { clock: () => clock.now() }), loaded };
    held.set(environmentId, entry);
    unconfirmed.add(environmentId);
    log.warn({ environment: environmentId, version: ruleset.version }, 'serving a ruleset from disk');
    return entry;
  }

  function drop(environmentId: string): undefined {
    unconfirmed.delete(environmentId);
    disk?.forget(environmentId);
    if (!held.delete(environmentId)) return undefined;
    for (const listener of listeners) listener.dropped(environmentId);
    return undefined;
  }

  async function refresh(environmentIds: readonly string[] = [...held.keys()]): Promise<void> {
    const known = environmentIds.filter((id) => held.has(id));
    if (known.length === 0) return;
    const versions = await source.versions(known);
    await Promise.all(
      known.map(async (id) => {
        const newest = versions.get(id) ?? 0;
        // A load that began before the change may return the old state: repeat until ours is as new.
        while ((held.get(id)?.ruleset.version ?? newest) < newest) await load(id);
        unconfirmed.delete(id);
      }),
    );
  }

  let polling: Promise<void> | undefined;
  const timer = setInterval(() => {
    const at = clock.now();
    polling ??= refresh()
      .then(() => {
        comparedAt = at;
      })
      .catch((error: unknown) => log.debug({ err: error }, 'could not compare rulesets; serving those in memory'))
      .finally(() => {
        polling = undefined;
      });
  }, pollMs);
  timer.unref();

  return {
    get: (environmentId) => held.get(environmentId) ?? load(environmentId),
    refresh,
    drop,
    fromDisk: () => unconfirmed.size,
    comparedAt: () => comparedAt,
    listen: (listener) => listeners.push(listener),
    async stop() {
      clearInterval(timer);
      await polling;
      await disk?.flush();
    },
  };
}

/**
 * The difference between two rulesets: only that is compiled again and sent. The stamps of rows and their versions show
 * it.
 */
function difference(before: LoadedRuleset, after: LoadedRuleset): RulesetPatch {
  return {
    version: after.ruleset.version,
    flags: changed(before.flagStamps, after.flagStamps, before.ruleset.flags, after.ruleset.flags),
    segments: changed(before.segmentStamps, after.segmentStamps, before.ruleset.segments, after.ruleset.segments),
  };
}

function changed<T>(
  stampsBefore: ReadonlyMap<string, string>,
  stampsAfter: ReadonlyMap<string, string>,
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): Record<string, T | null> {
  const patch: Record<string, T | null> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const [key, item] of Object.entries(after))
    if (stampsBefore.get(key) !== stampsAfter.get(key)) patch[key] = item;
  return patch;
}
