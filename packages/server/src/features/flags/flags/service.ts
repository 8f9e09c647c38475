import type { Compatibility } from '@fanion/contract';
import type { Flag as EngineFlag, TargetingDraft } from '@fanion/flag-engine';
import type { EnvironmentRef, ProjectRef, UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { pinOf, refuseEnvironmentPin } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Changes, EnvironmentRow, Place } from '../../change-kind.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { ReadFlagUse } from '../exposures/index.ts';
import { createFlagIn, type NewFlag } from './create-flag.ts';
import { dependentsOf, refuseWhileRequired, shown as shownFlag } from './flag-update.ts';
import { presentFlags, presentTargeting } from './present.ts';
import { proposedFlag } from './proposed.ts';
import * as store from './store.ts';

export interface FlagsDependencies extends FeatureDependencies {
  readonly changes: Changes;
  /** Notifies the replicas, and waits until this one serves a change before the change is answered. */
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
  /** The recent use of flags. */
  readonly use: ReadFlagUse;
  /** Why SDKs of other products do not get a flag that an environment serves or would serve; undefined for an unknown one. */
  readonly compatibility: (environmentId: string, flag: string | EngineFlag) => Promise<Compatibility | undefined>;
}

export async function environmentsFor(
  { db }: FlagsDependencies,
  project: ProjectRef,
  caller: UserCaller,
): Promise<EnvironmentRow[]> {
  const only = pinOf(caller)?.environmentId;
  const all = await store.listEnvironments(db, project.id);
  return only == null ? all : all.filter(({ id }) => id === only);
}

export async function existing({ db }: FlagsDependencies, project: ProjectRef, key: string): Promise<store.FlagRow> {
  const flag = await store.findFlag(db, project.id, key);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
  return flag;
}

export async function present(parts: FlagsDependencies, place: Place, caller: UserCaller, row: store.FlagRow) {
  const [flag] = await presentAll(parts, place, caller, [row]);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key: row.key });
  return flag;
}

export async function list(
  parts: FlagsDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  options: {
    search: string | undefined;
    tag: string | undefined;
    archived: boolean;
    after: string | undefined;
    limit: number;
  },
) {
  const { db } = parts;

  const rows = await store.listFlags(db, project.id, { ...options, limit: options.limit + 1 });
  return presentAll(parts, { workspace, project }, caller, rows);
}

export async function create(
  parts: FlagsDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  input: NewFlag,
  origin: Origin,
) {
  const { clock, db, announce } = parts;

  refuseEnvironmentPin(caller, 'flags:write');
  const now = dateOf(clock);
  const { created, ids } = await db.transaction().execute(async (trx) => {
    await store.lockProject(trx, project.id);
    return createFlagIn(trx, { workspace, project }, caller, input, { origin, now, action: 'flags.create' });
  });
  await announce(ids);
  // A new flag has no use yet, so the telemetry store is not asked.
  const [flag] = await presentFlags(db, [created], await environmentsFor(parts, project, caller), {
    now: now.getTime(),
    use: [],
  });
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key: created.key });
  return flag;
}

/** Removes an archived flag and its history. */
export async function remove(
  { access, clock, db }: FlagsDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  key: string,
  origin: Origin,
): Promise<void> {
  refuseEnvironmentPin(caller, 'flags:write');
  const { permissionsBelow } = await access.scope(caller, { workspace: workspace.id, project: project.id });
  if (!permissionsBelow.has('flags:write')) throw fail('PERMISSION_DENIED', { permission: 'flags:write' });
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    await store.lockProject(trx, project.id);
    const flag = await store.findFlag(trx, project.id, key);
    if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
    if (!flag.archived) throw fail('FLAG_NOT_ARCHIVED', { key });
    await refuseWhileRequired(trx, project.id, key);
    await store.deleteFlag(trx, flag.id);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'flags.remove',
        resource: { type: 'flag', id: flag.id, name: flag.key },
        projectId: project.id,
        before: { key: flag.key, kind: flag.kind, ...shownFlag(flag) },
      },
      now,
    );
  });
}

export async function getTargeting(
  parts: FlagsDependencies,
  { project }: Place,
  environment: EnvironmentRef,
  key: string,
) {
  const { db } = parts;

  const flag = await existing(parts, project, key);
  const [row] = await store.findTargeting(db, [flag.id], [environment.id]);
  const compatibility = await parts.compatibility(environment.id, key);
  return { ...(await presentTargeting(db, { flag, environment, row })), ...(compatibility && { compatibility }) };
}

/** The compatibility of a flag with another targeting. Writes nothing, and refuses what a write would refuse. */
export async function previewCompatibility(
  { db, compatibility }: FlagsDependencies,
  { project }: Place,
  environment: EnvironmentRef,
  key: string,
  draft: TargetingDraft,
): Promise<Compatibility> {
  const flag = await proposedFlag(db, project.id, { flag: key, environmentId: environment.id }, draft);
  const found = await compatibility(environment.id, flag);
  if (found === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
  return found;
}

export async function presentPrerequisites(
  { db }: FlagsDependencies,
  project: ProjectRef,
  { key, version, prerequisites }: store.FlagRow,
) {
  return { flag: key, prerequisites, dependents: await dependentsOf(db, project.id, key), version };
}

async function presentAll(
  parts: FlagsDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  rows: readonly store.FlagRow[],
) {
  const { use, db, clock } = parts;

  const environments = await environmentsFor(parts, project, caller);
  const used = await use(
    { workspace: workspace.number, project: project.number },
    rows.filter(({ archived }) => !archived).map(({ key }) => key),
    environments.map(({ key }) => key),
  );
  return presentFlags(db, rows, environments, { now: clock.now(), use: used });
}
