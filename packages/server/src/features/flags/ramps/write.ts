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
  toServe,
  writeTargeting,
} from '../flags/index.ts';
import { endOfStep } from './rules.ts';
import { updateRamp } from './store.ts';

export const rampJobKind = 'ramps.step';

/** What a ramp makes of the fallthrough; null: nothing, it has ended without a trace. */
function fallthroughOf(now: TargetingNow, ramp: RampRow | null) {
  const base = toServe(now.config.fallthrough);
  return ramp === null ? base : rampedServe(base, rampState(ramp));
}

/** A new state of a ramp in what the environment serves, and in the history of the flag. */
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

/** The last step has been held: its share becomes the fallthrough, no longer tracked. */
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

/** Lets a job look at the ramp when its step has been held. */
export async function scheduleStep(trx: Executor, ramp: RampRow): Promise<void> {
  const runAt = endOfStep(ramp);
  if (runAt === null) return;
  await enqueueJob(trx, {
    kind: rampJobKind,
    // A name of this run, since the job of a run before the last pause can still be waiting for its time.
    name: `${rampJobKind}:${ramp.id}:${ramp.run}`,
    payload: { ramp: ramp.id, run: ramp.run },
    runAt,
  });
}
