import type { GuardedLook } from '@fanion/contract';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database, Executor } from '../../../platform/postgres/database.ts';
import { lockProject } from '../../flags/flags/index.ts';
import { createMeasure, createMeasureMany } from '../metrics/index.ts';
import { isActive, lookJobKind } from './change.ts';
import { type ContrastFailing, createContrastFailing } from './failing.ts';
import { type LookMeasure, takeLook } from './look.ts';
import { beginWatch, type Concluding, end, type Looked, lookOf, pause, stayUnsure, takeStep, wait } from './moves.ts';
import { type Decision, decide, nextStepAt } from './rules.ts';
import { SharedLooks } from './shared-looks.ts';
import { lookEveryMs, nextLookMs, slotOf } from './slots-rules.ts';
import * as store from './store.ts';
import type { TellChannels } from './tell.ts';
import { watchEndsAt } from './watch-rules.ts';

export interface LookDependencies {
  readonly db: Database;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
  readonly notifications: TellChannels;
}

/**
 * Looks at an armed release every ten seconds, less often at one that has been armed for hours, at the same times as at the others of its environment, and acts. What a look decides is committed with the end of its run, under its lease,
 * and only if no other look was counted since it began: so a step and a rollback happen once, whatever a replica does meanwhile.
 */
export function lookJob({ gateway, clock, ...dependencies }: LookDependencies): JobKind {
  const [alone, many] = [createMeasure(gateway, 'alert'), createMeasureMany(gateway, 'alert')];
  // Those that are looked at less often do not make the reads of the others longer.
  const shared = new Map<number, LookMeasure>();
  const measuring = (everyMs: number): LookMeasure => {
    const known = shared.get(everyMs) ?? new SharedLooks(alone, many, clock, everyMs);
    shared.set(everyMs, known);
    return known;
  };
  return lookJobWith(measuring, { ...dependencies, contrast: createContrastFailing(gateway) });
}

/** @param measuring for releases that are looked at so often, in milliseconds */
export function lookJobWith(
  measuring: (everyMs: number) => LookMeasure,
  {
    db,
    log,
    announce,
    notifications,
    contrast,
  }: Omit<LookDependencies, 'gateway' | 'clock'> & { readonly contrast: ContrastFailing },
): JobKind {
  /** After the rollback, which does not wait for it. */
  async function keepContrast(seen: store.PlacedRelease, look: GuardedLook, signal: AbortSignal): Promise<void> {
    const now = await store.findReleasePlace(db, seen.id);
    if (now?.state !== 'rolled_back' || now.run !== seen.run) return;
    try {
      const found = await contrast(seen, look, signal);
      if (found !== undefined) await store.saveContrast(db, seen, found);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, guarded_release: seen.id }, 'the failing rows of a rollback could not be compared');
    }
  }

  return {
    kind: lookJobKind,
    async run(run) {
      const { release: id, run: number } = run.payload as { release: string; run: number };
      const seen = await store.findReleasePlace(db, id);
      if (seen === undefined || seen.run !== number || !isActive(seen)) return run.finish();
      const { at } = slotOf(seen.environment_id, run.now());
      const looked: Looked = await takeLook(measuring(everyMsOf(seen, at)), seen, at, run.signal).catch(
        (error: unknown) => {
          run.signal.throwIfAborted();
          log.warn({ err: error, guarded_release: id }, 'a guarded release could not be measured');
          return { reason: error instanceof Failure ? error.message : 'the server log has the reason' };
        },
      );
      const now = new Date(run.now());
      let rulesets: readonly string[] = [];
      await run.finish(
        async (trx) => {
          rulesets = await conclude(trx, seen, looked, now, notifications);
        },
        { again: nextLookOf(seen, now) },
      );
      notifications.wake();
      if (rulesets.length === 0) return;
      await announce(rulesets);
      if ('look' in looked) await keepContrast(seen, looked.look, run.signal);
    },
  };
}

/** When its step or its watch may end. */
function stepEndsAt(release: store.PlacedRelease): Date | null {
  const { definition, state, step, step_started_at, paused_reason, watched_since: watchedSince } = release;
  const { steps, watch } = definition;
  const next = { state, steps, step, stepStartedAt: step_started_at, pausedReason: paused_reason };
  return watchEndsAt({ watch, watchedSince }) ?? nextStepAt({ ...next, watchedSince });
}

function everyMsOf(release: store.PlacedRelease, nowMs: number): number {
  const { armed_at, step_started_at, watched_since } = release;
  const armedAt = armed_at ?? new Date(nowMs);
  const end = stepEndsAt(release);
  // From then on the next step may begin at any look.
  const changedAt = end !== null && end.getTime() <= nowMs ? end : (watched_since ?? step_started_at ?? armedAt);
  return lookEveryMs(armedAt, changedAt, nowMs);
}

function nextLookOf(release: store.PlacedRelease, now: Date): Date {
  const nowMs = now.getTime();
  return new Date(nextLookMs(release.environment_id, nowMs, everyMsOf(release, nowMs), stepEndsAt(release)));
}

/** @returns the environments whose rulesets have changed */
export async function conclude(
  trx: Executor,
  seen: store.PlacedRelease,
  looked: Looked,
  now: Date,
  notifications: TellChannels,
): Promise<readonly string[]> {
  await lockProject(trx, seen.project_id);
  const look = lookOf(looked);
  const counted = await store.countLook(trx, seen, look, now);
  if (counted === undefined) return [];
  const decision = decisionOf(seen, looked, now);
  await store.pruneLooks(trx, counted);
  const hasUnits = look !== null && Object.values(look.units).some((n) => n > 0);
  const monitoring = counted.state === 'armed' && hasUnits ? ({ state: 'monitoring' } as const) : {};
  const run: Concluding = { trx, seen, looked, counted, now, notifications, reason: decision.reason, monitoring };
  switch (decision.move) {
    case 'wait':
      return wait(run, decision);
    case 'unsure':
      return stayUnsure(run, decision);
    case 'pause':
      return pause(run);
    case 'step':
      return takeStep(run, decision);
    case 'watch':
      return beginWatch(run);
    case 'rollback':
    case 'complete':
      return end(run, decision.move);
  }
}

function decisionOf(seen: store.PlacedRelease, looked: Looked, now: Date): Decision {
  if ('reason' in looked) {
    const end = stepEndsAt(seen);
    const tell = end !== null && end <= now ? 'unmeasured' : undefined;
    return { move: 'wait', held: true, tell, reason: `Nothing could be measured: ${looked.reason}` };
  }
  const { definition, frozen, step, step_started_at, paused_reason, armed_at, watched_since } = seen;
  return decide(
    {
      variant: definition.variant,
      control: frozen?.control ?? '',
      steps: definition.steps,
      guards: definition.guards,
      accepted: frozen?.accepted ?? [],
      whenUnsure: definition.when_unsure,
      holdAtMost: definition.hold_at_most,
      armedAt: armed_at ?? now,
      step,
      stepStartedAt: step_started_at ?? now,
      pausedReason: paused_reason,
      passed: frozen?.passed,
      watch: definition.watch,
      watchedSince: watched_since,
    },
    looked.look,
    now,
  );
}
