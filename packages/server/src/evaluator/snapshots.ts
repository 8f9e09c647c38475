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

/** The rulesets that the server has sent. They stay while it is away. */
export function createSnapshots({ ask, clock }: { ask: (question: Question) => Promise<unknown>; clock: Clock }) {
  const held = new Map<string, HeldSnapshot>();
  const asking = new Map<string, Promise<HeldSnapshot | undefined>>();
  const arriving = new Map<string, Arriving>();
  /** Rulesets whose long lists of keys are being read; all that arrives meanwhile is applied after them. */
  let applying: Promise<void> | undefined;

  function load(environmentId: string): Promise<HeldSnapshot | undefined> {
    const running = asking.get(environmentId);
    if (running !== undefined) return running;
    const work = ask({ about: 'ruleset', environmentId })
      .then(async (exists) => {
        await applying;
        if (exists === false) held.delete(environmentId);
        return held.get(environmentId);
      })
      .finally(() => asking.delete(environmentId));
    asking.set(environmentId, work);
    return work;
  }

  function inOrder(work: () => void, first: Steps<void> = nothing()): void {
    if (applying === undefined && first.next().done) {
      work();
      return;
    }
    const after = (applying ?? Promise.resolve())
      .then(() => runInSlices(first))
      .then(work)
      .finally(() => {
        if (applying === after) applying = undefined;
      });
    applying = after;
  }

  function apply(environmentId: string, { begin, segments }: Arriving): void {
    const { from, version, environment, project, flags } = begin;
    const before = held.get(environmentId);
    if (from !== undefined) {
      // Changes arrive in order, after the ruleset.
      if (before !== undefined && before.compiled.version === from)
        held.set(environmentId, { compiled: patchRuleset(before.compiled, { version, flags, segments }) });
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
    held.set(environmentId, { compiled: compileRuleset(ruleset, { clock: () => clock.now() }) });
  }

  return {
    get: (environmentId: string) => held.get(environmentId) ?? load(environmentId),
    async refresh(environmentIds: readonly string[]): Promise<void> {
      for (const environmentId of environmentIds) await ask({ about: 'refresh', environmentId });
      await applying;
    },
    receive(environmentId: string, part: RulesetPart): void {
      if (part.part === 'begin') {
        arriving.set(environmentId, { begin: part, segments: { ...part.segments } });
        return;
      }
      const current = arriving.get(environmentId);
      if (current === undefined) return;
      if (part.part === 'end') {
        arriving.delete(environmentId);
        const keys = prepareSegments(current.segments, held.get(environmentId)?.compiled);
        inOrder(() => apply(environmentId, current), keys);
        return;
      }
      const segment = current.segments[part.segment];
      if (segment) (segment[part.list] as string[]).push(...part.keys);
    },
    drop(environmentId: string): void {
      inOrder(() => void held.delete(environmentId));
    },
    /** Gets everything again from a server that has just started. */
    async resume(): Promise<void> {
      arriving.clear();
      await Promise.all([...held.keys()].map((environmentId) => load(environmentId)));
    },
    count: () => held.size,
  };
}
