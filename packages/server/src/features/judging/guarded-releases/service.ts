import type { EnvironmentRef, ProjectRef, UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { GuardedDefinition } from '../../../platform/postgres/schema.ts';
import { requireVersion } from '../../../platform/refuse-stale.ts';
import { findChannels } from '../../alerting/channels/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import {
  type Authorship,
  findFlag,
  findUserNames,
  lockProject,
  type Place,
  refuse,
  releaseFallthrough,
  type TargetingNow,
  targetingNow,
} from '../../flags/flags/index.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { findKnownMetrics } from '../metrics/index.ts';
import { isActive } from './change.ts';
import { checkPlan, controlIssues, type Issue, nextStepAt } from './rules.ts';
import * as store from './store.ts';
import { watchEndsAt } from './watch-rules.ts';

export interface GuardedDependencies extends FeatureDependencies {
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
}

/** A flag in an environment, and who acts on it. */
export interface Asked {
  readonly place: Place;
  readonly environment: EnvironmentRef;
  readonly key: string;
  readonly caller: UserCaller;
  readonly origin: Origin;
}

export async function present(
  { db }: GuardedDependencies,
  release: store.ReleaseRow,
  flag: string,
  environment: string,
) {
  const names = await findUserNames(db, [release.armed_by]);
  return shown(release, { flag, environment, armer: names.get(release.armed_by ?? '') ?? null });
}

export async function find(
  { db }: GuardedDependencies,
  project: ProjectRef,
  environment: EnvironmentRef,
  key: string,
): Promise<store.ReleaseRow> {
  const flag = await findFlag(db, project.id, key);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
  const release = await store.findRelease(db, flag.id, environment.id);
  if (release === undefined) throw fail('GUARDED_RELEASE_NOT_FOUND', { key });
  return release;
}

/** One more than `limit` if there are more, newest first. */
export async function list({ db }: GuardedDependencies, project: ProjectRef, filter: store.ReleaseFilter) {
  const rows = await store.listReleases(db, project.id, filter);
  return rows.map((row) => shown(row, row));
}

export async function put(
  { access, db, clock }: GuardedDependencies,
  asked: Asked,
  version: number | undefined,
  definition: GuardedDefinition,
) {
  const { place, environment, key, caller } = asked;
  const { workspace, project } = place;
  // Its events show what the guards have measured.
  await requireReadable(access, caller, {
    workspace: workspace.id,
    project: project.id,
    environment: environment.key,
  });
  return db.transaction().execute(async (trx) => {
    await lockProject(trx, project.id);
    const now = dateOf(clock);
    const targeting = await targetingNow(trx, project.id, { flag: key, environmentId: environment.id });
    const { flag } = targeting;
    const before = await store.findRelease(trx, flag.id, environment.id);
    if (before !== undefined && isActive(before))
      throw fail('GUARDED_RELEASE_STATE', { state: before.state, advice: 'disarm it before you change it' });
    if (before !== undefined) requireVersion(version, before.version);
    await check(trx, asked, targeting, definition);
    if (before?.state === 'draft' && isUnchanged(before.definition, definition)) return before;
    const written = await store.saveDefinition(trx, {
      flag_id: flag.id,
      environment_id: environment.id,
      id: before?.id ?? newId(now.getTime()),
      definition,
      created_by: caller.user.id,
      now,
    });
    await audit(
      trx,
      asked,
      flag.id,
      'guarded_releases.put',
      { before: before?.definition ?? { state: 'none' }, after: definition },
      now,
    );
    return written;
  });
}

export async function remove({ db, clock }: GuardedDependencies, asked: Asked): Promise<void> {
  const { place, environment, key } = asked;
  await db.transaction().execute(async (trx) => {
    await lockProject(trx, place.project.id);
    const flag = await findFlag(trx, place.project.id, key);
    if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
    const before = await store.findRelease(trx, flag.id, environment.id);
    if (before === undefined) throw fail('GUARDED_RELEASE_NOT_FOUND', { key });
    if (isActive(before))
      throw fail('GUARDED_RELEASE_STATE', { state: before.state, advice: 'disarm it before you delete it' });
    await store.deleteRelease(trx, before.id);
    await audit(
      trx,
      asked,
      flag.id,
      'guarded_releases.remove',
      { before: { state: before.state, ...before.definition } },
      dateOf(clock),
    );
  });
}

/** It needs no approval: it only reverts an approved change. */
export async function disarm(
  { db, clock, announce }: GuardedDependencies,
  asked: Asked,
  comment: string | undefined,
): Promise<store.ReleaseRow> {
  const { place, environment, key, caller, origin } = asked;
  const ended = await db.transaction().execute(async (trx) => {
    await lockProject(trx, place.project.id);
    const now = dateOf(clock);
    const targeting = await targetingNow(trx, place.project.id, { flag: key, environmentId: environment.id });
    const before = await store.findRelease(trx, targeting.flag.id, environment.id);
    if (before === undefined) throw fail('GUARDED_RELEASE_NOT_FOUND', { key });
    if (!isActive(before))
      throw fail('GUARDED_RELEASE_STATE', {
        state: before.state,
        advice: 'only one that is armed can be disarmed',
      });
    const authorship: Authorship = {
      userId: caller.user.id,
      actor: origin.actor,
      now,
      comment: comment ?? null,
      changeId: null,
    };
    await releaseFallthrough(trx, targeting, { id: before.id }, authorship);
    const reason = comment ?? `${origin.actor.name} ended it.`;
    const change = { state: 'disarmed', ended_at: now, ended_reason: reason, paused_reason: null } as const;
    const after = await store.updateRelease(trx, before.id, change, now);
    await store.insertEvent(trx, after, { kind: 'disarmed', weight: 0, reason, look: null, now });
    await audit(
      trx,
      asked,
      targeting.flag.id,
      'guarded_releases.disarm',
      { before: { state: before.state, step: before.step }, after: { state: after.state, reason } },
      now,
    );
    return after;
  });
  await announce([environment.id]);
  return ended;
}

/** One row more than `limit` where there are more. */
export async function events(
  { db }: GuardedDependencies,
  release: store.ReleaseRow,
  { decisions, after, limit }: { decisions: boolean; after: string | undefined; limit: number },
) {
  return store.listEvents(db, release.id, { decisions, after, limit: limit + 1 });
}

async function audit(trx: Executor, asked: Asked, flagId: string, action: string, facts: object, now: Date) {
  const { place, environment, key, origin } = asked;
  await recordAudit(
    trx,
    origin,
    {
      workspaceId: place.workspace.id,
      action,
      resource: { type: 'flag', id: flagId, name: key },
      projectId: place.project.id,
      environmentId: environment.id,
      ...facts,
    },
    now,
  );
}

/** Throws `GUARDED_RELEASE_INVALID` for what cannot be armed as things are. */
async function check(
  trx: Executor,
  { place }: Asked,
  { flag: { variants }, config }: TargetingNow,
  definition: GuardedDefinition,
) {
  const issues: Issue[] = checkPlan(definition);
  if (!variants.some(({ key }) => key === definition.variant))
    issues.unshift({ path: 'variant', message: `unknown variant "${definition.variant}"` });
  // A flag that is off can be turned on until it is armed; what everyone else gets is a part of the plan.
  else issues.push(...controlIssues(config.fallthrough.variant, definition.variant));
  const refs = definition.guards.map(({ metric }) => metric);
  const metrics = await findKnownMetrics(trx, place.project.id, refs);
  for (const [i, metric] of refs.entries())
    if (!metrics.has(metric)) issues.push({ path: `guards.${i}.metric`, message: `unknown metric "${metric}"` });
  for (const [i, metric] of refs.entries()) {
    const id = metrics.get(metric)?.id;
    const first = refs.findIndex((ref) => id !== undefined && metrics.get(ref)?.id === id);
    if (id !== undefined && first < i)
      issues.push({
        path: `guards.${i}.metric`,
        message: `guards.${first} has this metric already: one guard per metric`,
      });
  }
  const known = new Set((await findChannels(trx, place.workspace.id, definition.channels)).map(({ id }) => id));
  for (const [i, id] of definition.channels.entries())
    if (!known.has(id)) issues.push({ path: `channels.${i}`, message: `unknown channel "${id}"` });
  refuse('GUARDED_RELEASE_INVALID', issues);
}

/** The share that the variant gets now. */
function weightOf(release: store.ReleaseRow): number {
  const { state, definition, step, watched_since } = release;
  if (state === 'completed' || (isActive(release) && watched_since !== null)) return 100_000;
  return isActive(release) ? (definition.steps[step]?.weight ?? 0) : 0;
}

function shown(
  release: store.ReleaseRow,
  { flag, environment, armer }: { readonly flag: string; readonly environment: string; readonly armer: string | null },
) {
  const { definition, frozen, state, step, step_started_at, paused_reason, watched_since: watchedSince } = release;
  const watchEnd = isActive(release) ? watchEndsAt({ watch: definition.watch, watchedSince }) : null;
  const next = nextStepAt({
    state,
    steps: definition.steps,
    step,
    stepStartedAt: step_started_at,
    watchedSince,
    pausedReason: paused_reason,
  });
  return {
    id: release.id,
    flag,
    environment,
    ...definition,
    steps: [...definition.steps],
    guards: definition.guards.map((guard) => ({ ...guard, scale: guard.scale ?? ('absolute' as const) })),
    channels: [...definition.channels],
    control: frozen?.control ?? null,
    state,
    version: release.version,
    step,
    weight: weightOf(release),
    step_started_at: step_started_at?.toISOString() ?? null,
    next_step_at: next?.toISOString() ?? null,
    watching_until: watchEnd?.toISOString() ?? null,
    paused_reason,
    unsure_since: release.unsure_since?.toISOString() ?? null,
    looks: release.looks,
    last_look: release.last_look,
    armed_at: release.armed_at?.toISOString() ?? null,
    armed_by: armer,
    ended_at: release.ended_at?.toISOString() ?? null,
    ended_reason: release.ended_reason,
    created_at: release.created_at.toISOString(),
    updated_at: release.updated_at.toISOString(),
  };
}
