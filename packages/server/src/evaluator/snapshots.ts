import {
  type CompiledRuleset,
  compileRuleset,
  type Flag,
  patchRuleset,
  prepareSegments,
  type Segment,
} from '@fanion/flag-engine';
import { runInSlices } from '../platform/breath.ts';
import type { Clock } from '../platform/clock.ts';
import type { Steps } from '../platform/steps.ts';
import type { Question, RulesetPart } from './messages.ts';

interface Arriving {
  readonly begin: Extract<RulesetPart, { part: 'begin' }>;
  readonly segments: Record<string, Segment | null>;
}

export interface HeldSnapshot {
  readonly compiled: CompiledRuleset;
}

function* nothing(): Steps<void> {}

interface SnapshotsOptions {
  ask: (question: Question) => Promise<unknown>;
  clock: Clock;
}

/** The rulesets that the server has sent. They stay while it is away. */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #held = new Map<string, HeldSnapshot>();
  readonly #asking = new Map<string, Promise<HeldSnapshot | undefined>>();
  readonly #arriving = new Map<string, Arriving>();
  /** Rulesets whose long lists of keys are being read; all that arrives meanwhile is applied after them. */
  #applying: Promise<void> | undefined;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  get(environmentId: string) {
    return this.#held.get(environmentId) ?? this.#load(environmentId);
  }

  async refresh(environmentIds: readonly string[]): Promise<void> {
    for (const environmentId of environmentIds) await this.#options.ask({ about: 'refresh', environmentId });
    await this.#applying;
  }

  receive(environmentId: string, part: RulesetPart): void {
    if (part.part === 'begin') {
      this.#arriving.set(environmentId, { begin: part, segments: { ...part.segments } });
      return;
    }
    const current = this.#arriving.get(environmentId);
    if (current === undefined) return;
    if (part.part === 'end') {
      this.#arriving.delete(environmentId);
      const keys = prepareSegments(current.segments, this.#held.get(environmentId)?.compiled);
      this.#inOrder(() => this.#apply(environmentId, current), keys);
      return;
    }
    const segment = current.segments[part.segment];
    if (segment) (segment[part.list] as string[]).push(...part.keys);
  }

  drop(environmentId: string): void {
    this.#inOrder(() => void this.#held.delete(environmentId));
  }

  /** Gets everything again from a server that has just started. */
  async resume(): Promise<void> {
    this.#arriving.clear();
    await Promise.all([...this.#held.keys()].map((environmentId) => this.#load(environmentId)));
  }

  count() {
    return this.#held.size;
  }

  #load(environmentId: string): Promise<HeldSnapshot | undefined> {
    const running = this.#asking.get(environmentId);
    if (running !== undefined) return running;
    const work = this.#options
      .ask({ about: 'ruleset', environmentId })
      .then(async (exists) => {
        await this.#applying;
        if (exists === false) this.#held.delete(environmentId);
        return this.#held.get(environmentId);
      })
      .finally(() => this.#asking.delete(environmentId));
    this.#asking.set(environmentId, work);
    return work;
  }

  #inOrder(work: () => void, first: Steps<void> = nothing()): void {
    if (this.#applying === undefined && first.next().done) {
      work();
      return;
    }
    const after = (this.#applying ?? Promise.resolve())
      .then(() => runInSlices(first))
      .then(work)
      .finally(() => {
        if (this.#applying === after) this.#applying = undefined;
      });
    this.#applying = after;
  }

  #apply(environmentId: string, { begin, segments }: Arriving): void {
    const { from, version, environment, project, flags } = begin;
    const before = this.#held.get(environmentId);
    if (from !== undefined) {
      // Changes arrive in order, after the ruleset.
      if (before !== undefined && before.compiled.version === from)
        this.#held.set(environmentId, { compiled: patchRuleset(before.compiled, { version, flags, segments }) });
      return;
    }
    if (before !== undefined && before.compiled.version >= version) return;
    const ruleset = {
      version,
      environment,
      project,
      flags: flags as Record<string, Flag>,
      segments: segments as Record<string, Segment>,
    };
    this.#held.set(environmentId, { compiled: compileRuleset(ruleset, { clock: () => this.#options.clock.now() }) });
  }
}
