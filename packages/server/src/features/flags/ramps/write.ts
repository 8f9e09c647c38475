import { enqueueJob } from '../../../platform/jobs/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import {
  type Authorship,
  bumpTargeting,
  differences,
  type RampRow,
  rampedServe,
  rampState,
  recordHistory,
  serveAfterRamp,
  type TargetingNow,
  toldServe,
  toServe,
  writeTargeting,
} from '../flags/index.ts';
import { endOfStep } from './rules.ts';
import { updateRamp } from './store.ts';

export const rampJobKind = 'ramps.step';

/** For people: the fallthrough under a ramp; null: the ramp was aborted and has no effect. */
function fallthroughOf(now: TargetingNow, ramp: RampRow | null) {
  const base = toServe(now.config.fallthrough);
  return toldServe(ramp === null ? base : rampedServe(base, rampState(ramp)));
}

/** Writes a new state of a ramp to the environment's targeting and to the history of the flag. */
export async function serveRamp(
  trx: Executor,
  now: TargetingNow,
  { before, after }: { before: RampRow | null; after: RampRow | null },
  authorship: Authorship,
): Promise<void> {
  const { flag, environment } = now;
  const row = await bumpTargeting(trx, now, authorship);
  const left =
    after === null ? now.config.fallthrough : serveAfterRamp(toServe(now.config.fallthrough), rampState(after));
  await recordHistory(trx, authorship, {
    flagId: flag.id,
    environmentId: environment.id,
    kind: 'ramp',
    version: row.version,
    flagVersion: flag.serve_version + row.flag_version,
    diff: differences({ fallthrough: fallthroughOf(now, before) }, { fallthrough: fallthroughOf(now, after) }),
    after: { ...now.config, fallthrough: left },
  });
}

/** Completes a ramp after its last step: its share becomes the fallthrough, no longer tracked. */
export async function completeRamp(
  trx: Executor,
  now: TargetingNow,
  ramp: RampRow,
  authorship: Authorship,
): Promise<void> {
  const { flag, environment, config } = now;
  await updateRamp(trx, ramp.id, { status: 'completed', ended_at: authorship.now });
  const after = { ...config, fallthrough: serveAfterRamp(toServe(config.fallthrough), rampState(ramp)) };
  const row = await writeTargeting(trx, now, after, authorship);
  await recordHistory(trx, authorship, {
    flagId: flag.id,
    environmentId: environment.id,
    kind: 'ramp',
    version: row.version,
    flagVersion: flag.serve_version + row.flag_version,
    diff: differences({ fallthrough: fallthroughOf(now, ramp) }, { fallthrough: after.fallthrough }),
    after,
  });
}

/** Schedules the job that moves the ramp when its step has been held. */
export async function scheduleStep(trx: Executor, ramp: RampRow): Promise<void> {
  const runAt = endOfStep(ramp);
  if (runAt === null) return;
  await enqueueJob(trx, {
    kind: rampJobKind,
    // The name includes the run, since the job of the run before the last pause can still be waiting.
    name: `${rampJobKind}:${ramp.id}:${ramp.run}`,
    payload: { ramp: ramp.id, run: ramp.run },
    runAt,
  });
}
