import { validateVariants } from '@fanion/flag-engine';
import type { EnvironmentRef, ProjectRef, UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { pinOf, refuseEnvironmentPin } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { refuseIdAsKey } from '../../../platform/keys.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { Changes, EnvironmentRow, Place } from '../../change-kind.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { ReadFlagUse } from '../exposures/index.ts';
import { dependentsOf, refuseWhileRequired, shown as shownFlag } from './flag-update.ts';
import { recordHistory } from './history-store.ts';
import { presentFlags, presentTargeting } from './present.ts';
import { refuse } from './refuse.ts';
import { defaultVariants, namedVariants, type VariantFact } from './rules.ts';
import { bumpRulesetsNow } from './ruleset-store.ts';
import * as store from './store.ts';

const maxFlags = 5_000;

export interface FlagsDependencies extends FeatureDependencies {
  readonly changes: Changes;
  /** Notifies the replicas, and waits until this one serves a change before the change is answered. */
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
  /** The recent use of flags. */
  readonly use: ReadFlagUse;
}

export interface NewFlag {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly kind: store.FlagRow['kind'];
  readonly variants?: readonly { key: string; value: unknown; name?: string | undefined }[] | undefined;
  readonly default_variant?: string | undefined;
  readonly off_variant?: string | null | undefined;
  readonly tags: readonly string[];
  readonly temporary: boolean;
  readonly metadata: store.FlagRow['metadata'];
  readonly client_visible: boolean;
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
  return presentTargeting(db, { flag, environment, row });
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

/** The origin of something that is created within a transaction. */
export interface HowCreated {
  readonly origin: Origin;
  readonly now: Date;
  /** The action of the audit entry. */
  readonly action: string;
  readonly rulesetsLater?: boolean;
}

/**
 * Writes a new flag: off in every environment, so it needs no approval.
 *
 * @param trx has locked the project
 */
export async function createFlagIn(
  trx: Executor,
  { workspace, project }: Place,
  caller: UserCaller,
  input: NewFlag,
  how: HowCreated,
): Promise<{ readonly created: store.FlagRow; readonly ids: readonly string[] }> {
  const { origin, now, action } = how;
  refuseIdAsKey(input.key, 'key');
  const variants = (input.variants as readonly VariantFact[] | undefined) ?? defaultVariants(input.kind) ?? [];
  const named = namedVariants(input.kind, variants, input);
  refuse('INVALID_INPUT', validateVariants({ kind: input.kind, variants, metadata: input.metadata, ...named }));
  if ((await store.countFlags(trx, project.id)) >= maxFlags)
    throw fail('LIMIT_REACHED', { limit: maxFlags, resource: 'flags of a project' });
  const flag = await store.insertFlag(trx, {
    id: newId(now.getTime()),
    project_id: project.id,
    key: input.key,
    name: input.name,
    description: input.description,
    kind: input.kind,
    variants: variants.map(({ key, value, name }) => ({ key, value, ...(name !== undefined && { name }) })),
    ...named,
    tags: [...input.tags],
    temporary: input.temporary,
    metadata: input.metadata,
    client_visible: input.client_visible,
    created_by: caller.user.id,
    created_at: now,
  });
  if (flag === undefined) throw fail('FLAG_EXISTS', { key: input.key });
  const ids = (await store.listEnvironments(trx, project.id)).map(({ id }) => id);
  await bumpRulesetsNow(trx, ids, how);
  await recordHistory(
    trx,
    { userId: caller.user.id, actor: origin.actor, now, comment: null, changeId: null },
    {
      flagId: flag.id,
      environmentId: null,
      kind: 'created',
      version: flag.version,
      flagVersion: flag.serve_version,
      diff: [],
      after: null,
    },
  );
  await recordAudit(
    trx,
    origin,
    {
      workspaceId: workspace.id,
      action,
      resource: { type: 'flag', id: flag.id, name: flag.key },
      projectId: project.id,
      after: { key: flag.key, kind: flag.kind, ...shownFlag(flag) },
    },
    now,
  );
  return { created: flag, ids };
}
