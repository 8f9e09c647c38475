import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { type Authorship, lockProject, rampState, targetingNow } from '../flags/index.ts';
import { endOfStep, step } from './rules.ts';
import { findPlaceOf, updateRamp } from './store.ts';
import { completeRamp, rampJobKind, serveRamp } from './write.ts';

interface Moved {
  readonly rulesets: readonly string[];
  /** When to run again; null: never. */
  readonly next: Date | null;
}

const nothing: Moved = { rulesets: [], next: null };
const actor = { type: 'system', id: null, name: 'ramps' } as const;

/**
 * Moves a ramp when its step has been held. The step is committed under the lease of the run and depends only on the
 * ramp's own row, so that it happens once: a run that lost its lease commits nothing, and a repeated run finds the step
 * done.
 */
export function rampJob({ announce }: { announce: (environmentIds: readonly string[]) => Promise<void> }): JobKind {
  return {
    kind: rampJobKind,
    async run(run) {
      const { ramp: id, run: number } = run.payload as { ramp: string; run: number };
      const { rulesets, next } = await run.commit((trx) => moveRamp(trx, id, number, () => new Date(run.now())));
      await run.finish(undefined, next === null ? {} : { again: next });
      await announce(rulesets);
    },
  };
}

async function moveRamp(trx: Executor, id: string, number: number, clock: () => Date): Promise<Moved> {
  const place = await findPlaceOf(trx, id);
  if (place === undefined) return nothing;
  await lockProject(trx, place.project_id);
  const targeting = await targetingNow(trx, place.project_id, {
    flag: place.flag,
    environmentId: place.environment_id,
  });
  const { ramp } = targeting;
  // Another ramp has replaced it, or it was paused since; then another job continues.
  if (ramp?.id !== id || ramp.run !== number) return nothing;
  const now = clock();
  const due = step(ramp, now);
  if (due.move === 'none') return nothing;
  if (due.move === 'wait') return { rulesets: [], next: due.until };
  const comment = due.move === 'complete' ? 'the ramp is complete' : `step ${due.step + 1} of ${ramp.steps.length}`;
  const authorship: Authorship = { userId: ramp.started_by, actor, now, comment, changeId: null };
  const audit = (action: string, after: object) =>
    recordAudit(
      trx,
      { actor, ip: null, requestId: null },
      {
        workspaceId: place.workspace_id,
        action,
        resource: { type: 'flag', id: place.flag_id, name: place.flag },
        projectId: place.project_id,
        environmentId: place.environment_id,
        before: { variant: ramp.variant, weight: rampState(ramp).weight },
        after,
      },
      now,
    );
  if (due.move === 'complete') {
    await completeRamp(trx, targeting, ramp, authorship);
    await audit('ramps.complete', { variant: ramp.variant, weight: rampState(ramp).weight });
    return { rulesets: [place.environment_id], next: null };
  }
  const moved = await updateRamp(trx, id, { step: due.step, step_started_at: now, held_ms: 0 });
  await serveRamp(trx, targeting, { before: ramp, after: moved }, authorship);
  await audit('ramps.step', { variant: moved.variant, weight: rampState(moved).weight });
  return { rulesets: [place.environment_id], next: endOfStep(moved) };
}
