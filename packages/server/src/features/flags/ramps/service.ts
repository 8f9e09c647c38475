import type { EnvironmentRef, ProjectRef, UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import {
  type Authorship,
  findFlag,
  findUserNames,
  lockProject,
  type Place,
  type RampRow,
  rampState,
  type TargetingNow,
  targetingNow,
} from '../flags/index.ts';
import { endOfStep, heldMs } from './rules.ts';
import { findRamp, listRamps, type RampFilter, updateRamp } from './store.ts';
import { scheduleStep, serveRamp } from './write.ts';

export interface RampsDependencies extends FeatureDependencies {
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
}

type Move = 'pause' | 'resume' | 'abort';

/** The states from which a person can move a ramp. */
const allowedFrom: Readonly<Record<Move, readonly RampRow['status'][]>> = {
  pause: ['running'],
  resume: ['paused'],
  abort: ['running', 'paused'],
};

export async function present({ db }: RampsDependencies, ramp: RampRow, flag: string, environment: string) {
  const names = await findUserNames(db, [ramp.started_by]);
  return shown(ramp, { flag, environment, starter: names.get(ramp.started_by ?? '') ?? null });
}

/** One more than `limit` if there are more, newest first. */
export async function list({ db }: RampsDependencies, project: ProjectRef, filter: RampFilter) {
  const rows = await listRamps(db, project.id, filter);
  return rows.map((row) => shown(row, row));
}

export async function get(parts: RampsDependencies, project: ProjectRef, environment: EnvironmentRef, key: string) {
  const { db } = parts;

  const flag = await findFlag(db, project.id, key);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
  const ramp = await findRamp(db, flag.id, environment.id);
  if (ramp === undefined) throw fail('RAMP_NOT_FOUND', { key });
  return present(parts, ramp, key, environment.key);
}

/** These need no approval: each only pauses or reverts an approved change. */
export async function move(
  parts: RampsDependencies,
  { workspace, project }: Place,
  environment: EnvironmentRef,
  caller: UserCaller,
  key: string,
  move: Move,
  comment: string | undefined,
  origin: Origin,
) {
  const { db, clock, announce } = parts;

  const moved = await db.transaction().execute(async (trx) => {
    await lockProject(trx, project.id);
    const now = dateOf(clock);
    const targeting = await targetingNow(trx, project.id, { flag: key, environmentId: environment.id });
    const before = await findRamp(trx, targeting.flag.id, environment.id);
    if (before === undefined) throw fail('RAMP_NOT_FOUND', { key });
    if (!allowedFrom[move].includes(before.status)) throw fail('RAMP_STATE', { status: before.status });
    const authorship: Authorship = {
      userId: caller.user.id,
      actor: origin.actor,
      now,
      comment: comment ?? null,
      changeId: null,
    };
    const after = await moves[move](trx, targeting, before, authorship);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: `ramps.${move}`,
        resource: { type: 'flag', id: targeting.flag.id, name: key },
        projectId: project.id,
        environmentId: environment.id,
        before: { status: before.status, step: before.step },
        after: { status: after.status, step: after.step, ...(comment !== undefined && { comment }) },
      },
      now,
    );
    return after;
  });
  if (move === 'abort') await announce([environment.id]);
  return present(parts, moved, key, environment.key);
}

function shown(
  ramp: RampRow,
  {
    flag,
    environment,
    starter,
  }: { readonly flag: string; readonly environment: string; readonly starter: string | null },
) {
  return {
    id: ramp.id,
    flag,
    environment,
    variant: ramp.variant,
    bucket_by: ramp.bucket_by,
    steps: ramp.steps,
    status: ramp.status,
    step: ramp.step,
    weight: rampState(ramp).weight,
    step_started_at: ramp.step_started_at.toISOString(),
    next_step_at: endOfStep(ramp)?.toISOString() ?? null,
    started_at: ramp.started_at.toISOString(),
    started_by: starter,
    ended_at: ramp.ended_at?.toISOString() ?? null,
  };
}

const moves: Readonly<
  Record<Move, (trx: Executor, now: TargetingNow, ramp: RampRow, authorship: Authorship) => Promise<RampRow>>
> = {
  pause: (trx, _, ramp, { now }) => updateRamp(trx, ramp.id, { status: 'paused', held_ms: heldMs(ramp, now) }),
  async resume(trx, _, ramp, { now }) {
    const resumed = await updateRamp(trx, ramp.id, { status: 'running', step_started_at: now, run: ramp.run + 1 });
    await scheduleStep(trx, resumed);
    return resumed;
  },
  async abort(trx, targeting, ramp, authorship) {
    const aborted = await updateRamp(trx, ramp.id, { status: 'aborted', ended_at: authorship.now });
    await serveRamp(trx, targeting, { before: ramp, after: null }, authorship);
    return aborted;
  },
};
