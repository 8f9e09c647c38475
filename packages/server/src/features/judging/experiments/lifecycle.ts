import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import {
  type Authorship,
  type Changes,
  type Place,
  releaseFallthrough,
  type Submitted,
  targetingChange,
  targetingNow,
} from '../../flags/flags/index.ts';
import type { NextPhase } from './phase-rules.ts';
import type { Actor } from './service.ts';
import * as service from './service.ts';
import { startChange } from './start-change.ts';
import * as store from './store.ts';

export interface LifecycleDependencies extends service.ServiceDependencies {
  readonly changes: Changes;
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
}

/** Changes that still may be, or were, applied: a winner is not submitted again beside one. */
const counting = ['pending', 'approved', 'scheduled', 'applied'];

interface Submission {
  readonly comment?: string | undefined;
  readonly bypass_approval?: boolean | undefined;
}

export async function start(
  parts: LifecycleDependencies,
  place: Place,
  actor: Actor,
  ref: string,
  given: Submission,
): Promise<Submitted<store.ExperimentRow>> {
  return submit(parts, place, actor, ref, { action: 'experiments.start', ...given });
}

/** Other weights, or another share of the units, while it runs. */
export async function beginPhase(
  parts: LifecycleDependencies,
  place: Place,
  actor: Actor,
  ref: string,
  { comment, bypass_approval, ...phase }: NextPhase & Submission,
): Promise<Submitted<store.ExperimentRow>> {
  return submit(parts, place, actor, ref, { action: 'experiments.begin_phase', comment, bypass_approval, phase });
}

/** A change of what the flag serves: applied now, or once it is approved. */
async function submit(
  parts: LifecycleDependencies,
  place: Place,
  { caller, origin }: Actor,
  ref: string,
  given: Submission & { readonly action: string; readonly phase?: NextPhase },
): Promise<Submitted<store.ExperimentRow>> {
  const { action, comment, bypass_approval: bypassApproval, phase } = given;
  const { id, flag, environment_id: environmentId } = await service.find(parts, place.project.id, ref);
  await service.requireFlags(parts, place, caller, environmentId);
  const submitted = await parts.changes.submit({
    place,
    caller,
    origin,
    action,
    kind: startChange,
    subject: { flag, environmentId },
    payload: { experiment: id, ...(phase !== undefined && { phase }) },
    comment,
    bypassApproval,
  });
  if (submitted.status === 'waiting') return submitted;
  return { status: 'applied', result: await service.find(parts, place.project.id, id) };
}

/** It needs no approval, since it restores what was served before. In an environment that was removed nothing is served. */
export async function stop(
  parts: LifecycleDependencies,
  place: Place,
  { caller, origin }: Actor,
  ref: string,
  comment: string | undefined,
) {
  const { announce } = parts;

  const { project } = place;
  const found = await service.find(parts, project.id, ref);
  await service.requireFlags(parts, place, caller, found.environment_id);
  let rulesets: readonly string[] = [];
  const stopped = await service.write(parts, project.id, async (trx, now) => {
    const row = await service.find(parts, project.id, found.id, trx);
    if (row.state !== 'running')
      throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'only a running experiment can be stopped' });
    const authorship = {
      userId: caller.user.id,
      actor: origin.actor,
      now,
      comment: comment ?? null,
      changeId: null,
    };
    if (await service.hasEnvironment(trx, project.id, row.environment_id)) {
      await release(trx, project.id, row, authorship);
      rulesets = [row.environment_id];
    }
    await store.experiments.update(trx, row.id, { state: 'stopped', stopped_at: now }, { by: caller.user.id, now });
    const after = { state: 'stopped', ...(comment !== undefined && { comment }) };
    await service.audit(
      trx,
      origin,
      place,
      row,
      { action: 'experiments.stop', before: { state: row.state }, after },
      now,
    );
    return service.find(parts, project.id, row.id, trx);
  });
  if (rulesets.length > 0) await announce(rulesets);
  return stopped;
}

export async function archive(
  parts: LifecycleDependencies,
  place: Place,
  { caller, origin }: Actor,
  ref: string,
  comment: string | undefined,
) {
  const { project } = place;
  return service.write(parts, project.id, async (trx, now) => {
    const row = await service.find(parts, project.id, ref, trx);
    if (row.state === 'archived') return row;
    if (row.state === 'running') throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'stop it first' });
    await store.experiments.update(trx, row.id, { state: 'archived' }, { by: caller.user.id, now });
    const after = { state: 'archived', ...(comment !== undefined && { comment }) };
    await service.audit(
      trx,
      origin,
      place,
      row,
      { action: 'experiments.archive', before: { state: row.state }, after },
      now,
    );
    return service.find(parts, project.id, row.id, trx);
  });
}

/**
 * Serves a variant of a stopped experiment to everybody who gets the fallthrough, by the environment's way of approval. The same
 * winner again changes nothing, unless its change was rejected, cancelled or failed.
 */
export async function applyWinner(
  parts: LifecycleDependencies,
  place: Place,
  { caller, origin }: Actor,
  ref: string,
  {
    variant,
    comment,
    bypass_approval: bypassApproval,
  }: {
    readonly variant: string;
    readonly comment?: string | undefined;
    readonly bypass_approval?: boolean | undefined;
  },
): Promise<Submitted<store.ExperimentRow>> {
  const { changes } = parts;

  const { project } = place;
  const row = await service.find(parts, project.id, ref);
  await service.requireFlags(parts, place, caller, row.environment_id);
  if (row.state !== 'stopped')
    throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'a winner is applied after it is stopped' });
  if (!row.definition.variants.some((one) => one.variant === variant))
    throw fail('EXPERIMENT_INVALID', { reason: `the experiment has no variant "${variant}"` });
  if (row.winner !== null && (await counts(parts, row))) {
    if (row.winner === variant) {
      const id = row.winner_change_id;
      const change = id === null ? undefined : await changes.findWaiting(project.id, id);
      return change === undefined ? { status: 'applied', result: row } : { status: 'waiting', change };
    }
    throw fail('EXPERIMENT_STATE', {
      state: 'decided',
      advice: `its winner is ${row.winner}: change the targeting of the flag instead`,
    });
  }
  const submitted = await changes.submit({
    place,
    caller,
    origin,
    action: 'experiments.apply_winner',
    kind: targetingChange,
    subject: { flag: row.flag, environmentId: row.environment_id },
    payload: { fallthrough: { variant } },
    comment: comment ?? `winner of the experiment ${row.key}`,
    bypassApproval,
  });
  const changeId = submitted.status === 'waiting' ? submitted.change.id : null;
  await service.write(parts, project.id, (trx, now) =>
    store.experiments.update(trx, row.id, { winner: variant, winner_change_id: changeId }, { by: caller.user.id, now }),
  );
  if (submitted.status === 'waiting') return submitted;
  return { status: 'applied', result: await service.find(parts, project.id, row.id) };
}

async function counts(parts: LifecycleDependencies, { winner_change_id: id }: store.ExperimentRow): Promise<boolean> {
  return id === null || counting.includes((await service.changeStatus(parts, id)) ?? '');
}

/** Restores what the flag serves. A flag cannot be archived or deleted while an experiment runs on it. */
async function release(
  trx: Executor,
  projectId: string,
  row: store.ExperimentRow,
  authorship: Authorship,
): Promise<void> {
  const now = await targetingNow(trx, projectId, { flag: row.flag, environmentId: row.environment_id });
  await releaseFallthrough(trx, now, { id: row.id }, authorship);
}
