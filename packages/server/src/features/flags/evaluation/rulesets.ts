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

interface Entry extends HeldRuleset {
  readonly loaded: LoadedRuleset;
}

interface RulesetsOptions {
  source: RulesetSource;
  log: Log;
  clock: Clock;
  disk?: RulesetDisk | undefined;
  pollMs?: number;
}

/** The rulesets that this replica serves, in memory: evaluation never asks a store once an environment is loaded. */
export class Rulesets {
  readonly #options: RulesetsOptions;
  readonly #pollMs: number;
  readonly #held = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<Entry | undefined>>();
  readonly #unconfirmed = new Set<string>();
  readonly #listeners: RulesetListener[] = [];
  #comparedAt = 0;
  #polling: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(options: RulesetsOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? 1_000;
    this.#timer = setInterval(() => {
      const at = options.clock.now();
      this.#polling ??= this.refresh()
        .then(() => {
          this.#comparedAt = at;
        })
        .catch((error: unknown) =>
          options.log.debug({ err: error }, 'could not compare rulesets; serving those in memory'),
        )
        .finally(() => {
          this.#polling = undefined;
        });
    }, this.#pollMs);
    this.#timer.unref();
  }

  drop(environmentId: string): undefined {
    this.#unconfirmed.delete(environmentId);
    this.#options.disk?.forget(environmentId);
    if (!this.#held.delete(environmentId)) return undefined;
    for (const listener of this.#listeners) listener.dropped(environmentId);
    return undefined;
  }

  /** Checks whether newer versions of these exist (without an argument: of all loaded ones), and swaps them in. */
  async refresh(environmentIds: readonly string[] = [...this.#held.keys()]): Promise<void> {
    const known = environmentIds.filter((id) => this.#held.has(id));
    if (known.length === 0) return;
    const versions = await this.#options.source.versions(known);
    await Promise.all(
      known.map(async (id) => {
        const newest = versions.get(id) ?? 0;
        // A load that began before the change may return the old state: repeat until ours is as new.
        while ((this.#held.get(id)?.ruleset.version ?? newest) < newest) await this.#load(id);
        this.#unconfirmed.delete(id);
      }),
    );
  }

  get(environmentId: string): HeldRuleset | Promise<HeldRuleset | undefined> {
    return this.#held.get(environmentId) ?? this.#load(environmentId);
  }

  /** Environments whose ruleset came from the disk and was not yet compared with the control plane. */
  fromDisk(): number {
    return this.#unconfirmed.size;
  }

  /** Unix milliseconds. When those in memory were compared with the control plane last; 0: never. */
  comparedAt(): number {
    return this.#comparedAt;
  }

  listen(listener: RulesetListener): void {
    this.#listeners.push(listener);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
    await this.#options.disk?.flush();
  }

  /** One load at a time per environment. The next check finds a change that is committed meanwhile. */
  #load(environmentId: string): Promise<Entry | undefined> {
    const running = this.#loading.get(environmentId);
    if (running !== undefined) return running;
    const work = this.#options.source
      .load(environmentId, this.#held.get(environmentId)?.loaded)
      .then(
        async (loaded) => {
          this.#unconfirmed.delete(environmentId);
          if (loaded === undefined) return this.drop(environmentId);
          await this.#prepare(environmentId, loaded);
          return this.#swap(environmentId, loaded);
        },
        async (error: unknown) => (await this.#fromDisk(environmentId, error)) ?? Promise.reject(error),
      )
      .finally(() => this.#loading.delete(environmentId));
    this.#loading.set(environmentId, work);
    return work;
  }

  /** The sets of long lists of keys, while others evaluate. */
  #prepare(environmentId: string, loaded: LoadedRuleset): Promise<void> {
    const before = this.#held.get(environmentId);
    const segments = before === undefined ? loaded.ruleset.segments : difference(before.loaded, loaded).segments;
    return runInSlices(prepareSegments(segments, before?.compiled));
  }

  #swap(environmentId: string, loaded: LoadedRuleset): Entry {
    const { clock, disk } = this.#options;
    const before = this.#held.get(environmentId);
    const { ruleset } = loaded;
    // Versions only grow: a load that was overtaken brings an older one.
    if (before !== undefined && before.ruleset.version >= ruleset.version) return before;
    if (before === undefined) {
      const entry = { ruleset, compiled: compileRuleset(ruleset, { clock: () => clock.now() }), loaded };
      this.#held.set(environmentId, entry);
      disk?.keep(environmentId, ruleset);
      return entry;
    }
    const patch = difference(before.loaded, loaded);
    const entry = { ruleset, compiled: patchRuleset(before.compiled, patch), loaded };
    this.#held.set(environmentId, entry);
    disk?.keep(environmentId, ruleset);
    for (const listener of this.#listeners)
      listener.swapped({ environmentId, from: before.ruleset.version, held: entry, patch });
    return entry;
  }

  /** With the control plane down, the last ruleset that this machine has seen is better than none. */
  async #fromDisk(environmentId: string, error: unknown): Promise<Entry | undefined> {
    const { disk, clock, log } = this.#options;
    if (disk === undefined || this.#held.has(environmentId) || !isConnectionError(error)) return undefined;
    const ruleset = await disk.find(environmentId);
    if (ruleset === undefined) return undefined;
    const loaded = { ruleset, flagStamps: new Map<string, string>(), segmentStamps: new Map<string, string>() };
    await this.#prepare(environmentId, loaded);
    const entry = { ruleset, compiled: compileRuleset(ruleset, { clock: () => clock.now() }), loaded };
    this.#held.set(environmentId, entry);
    this.#unconfirmed.add(environmentId);
    log.warn({ environment: environmentId, version: ruleset.version }, 'serving a ruleset from disk');
    return entry;
  }
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
