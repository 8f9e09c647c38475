import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Database, Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import { recordAudit } from '../audit/index.ts';
import { lockWorkspace } from '../workspaces/index.ts';
import type { ResourceTable } from './table-store.ts';

interface Named {
  readonly name: string;
}

/** A resource of a workspace: what its writes check and record. */
export interface Resource<Row, Values extends Named> {
  readonly noun: string;
  readonly plural: string;
  /** In audit entries: `alert_rule`, and actions such as `alert_rules.update`. */
  readonly type: string;
  readonly area: string;
  /** How it changes, if it does. */
  readonly change?: 'replace' | 'update';
  readonly table: ResourceTable<Row, Values>;
  /** What the audit log shows; a write that does not change it is not a new version. */
  shown(one: Values): object;
}

/** Who writes, and where: the context of a handler. */
export interface Writer {
  readonly workspace: WorkspaceRef;
  readonly caller: UserCaller;
  readonly origin: Origin;
}

interface StoredRow {
  readonly id: string;
  readonly project_id?: string | null;
}

interface Entry {
  readonly action: string;
  readonly name: string;
  readonly before?: object;
  readonly after?: object;
}

/** Throws `NOT_FOUND`. */
export async function findResource<Row, Values extends Named>(
  db: Executor,
  { table, noun }: Resource<Row, Values>,
  workspaceId: string,
  id: string,
): Promise<Row> {
  return existing(isId(id) ? await table.find(db, workspaceId, id) : undefined, noun);
}

export function existing<Row>(row: Row | undefined, noun: string): Row {
  if (row === undefined) throw fail('NOT_FOUND', { resource: noun });
  return row;
}

/** Changes of the resources of a workspace wait for each other, so that limits hold. */
export async function writing<T>(
  db: Database,
  workspace: WorkspaceRef,
  work: (trx: Executor) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    existing(await lockWorkspace(trx, workspace.id), 'workspace');
    return work(trx);
  });
}

export async function audit(
  trx: Executor,
  { workspace, origin }: Pick<Writer, 'workspace' | 'origin'>,
  type: string,
  row: StoredRow,
  { action, name, ...states }: Entry,
  now: Date,
): Promise<void> {
  const resource = { type, id: row.id, name };
  const project = row.project_id == null ? {} : { projectId: row.project_id };
  await recordAudit(trx, origin, { workspaceId: workspace.id, action, resource, ...project, ...states }, now);
}

/** The columns that every resource begins with. */
export function newRow({ workspace, caller }: Writer, clock: Clock) {
  const now = dateOf(clock);
  return { id: newId(now.getTime()), workspace_id: workspace.id, created_by: caller.user.id, created_at: now };
}

/** As `newRow`, of a resource with versions. */
export function firstVersion(writer: Writer, clock: Clock) {
  const row = newRow(writer, clock);
  return { ...row, updated_by: row.created_by, updated_at: row.created_at };
}

/**
 * Throws `LIMIT_REACHED` if the workspace has `limit` already.
 *
 * @param before what else is checked in the transaction
 * @param after what is written besides, in the transaction
 */
export async function createResource<Row extends StoredRow & Values, Values extends Named>(
  db: Database,
  resource: Resource<Row, Values>,
  writer: Writer,
  row: Values & ReturnType<typeof newRow>,
  {
    limit,
    action = `${resource.area}.create`,
    before,
    after,
  }: {
    readonly limit: number;
    readonly action?: string;
    readonly before?: (trx: Executor) => Promise<void>;
    readonly after?: (trx: Executor, row: Row) => Promise<void>;
  },
): Promise<Row> {
  const { workspace } = writer;
  const { table, type, noun, plural } = resource;
  return writing(db, workspace, async (trx) => {
    if ((await table.count(trx, workspace.id)) >= limit) throw fail('LIMIT_REACHED', { limit, resource: plural });
    await before?.(trx);
    await table.insert(trx, row);
    const created = existing(await table.find(trx, workspace.id, row.id), noun);
    await after?.(trx, created);
    const entry = { action, name: row.name, after: resource.shown(row) };
    await audit(trx, writer, type, created, entry, row.created_at);
    return created;
  });
}

/**
 * Writes the next version. Throws `STALE_VERSION` if `version` is given and is not the current one.
 *
 * @param next what is written; it may check more
 * @param after what is written besides, in the transaction
 */
export async function changeResource<
  Row extends StoredRow & Values & { readonly version: number },
  Values extends Named,
>(
  db: Database,
  resource: Resource<Row, Values>,
  writer: Writer,
  { id, version, now }: { readonly id: string; readonly version: number | undefined; readonly now: Date },
  {
    next,
    after,
  }: {
    readonly next: (before: Row, trx: Executor) => Promise<Values>;
    readonly after?: (trx: Executor, before: Row, row: Row) => Promise<void>;
  },
): Promise<Row> {
  const { workspace } = writer;
  const { table, type, noun, area, change } = resource;
  return writing(db, workspace, async (trx) => {
    const before = existing(isId(id) ? await table.lock(trx, workspace.id, id) : undefined, noun);
    refuseStale(version, before.version);
    const values = await next(before, trx);
    const states = { before: resource.shown(before), after: resource.shown(values) };
    if (isUnchanged(states.before, states.after)) return before;
    await table.update(trx, id, values, { by: writer.caller.user.id, now });
    const row = existing(await table.find(trx, workspace.id, id), noun);
    await after?.(trx, before, row);
    const entry = { action: `${area}.${change}`, name: values.name, ...states };
    await audit(trx, writer, type, before, entry, now);
    return row;
  });
}

/** @param before what is removed first, in the transaction */
export async function removeResource<Row extends StoredRow & Values, Values extends Named>(
  db: Database,
  resource: Resource<Row, Values>,
  writer: Pick<Writer, 'workspace' | 'origin'>,
  { id, now }: { readonly id: string; readonly now: Date },
  before?: (trx: Executor, row: Row) => Promise<void>,
): Promise<undefined> {
  const { workspace } = writer;
  const { table, type, noun, area } = resource;
  return writing(db, workspace, async (trx) => {
    const row = existing(isId(id) ? await table.lock(trx, workspace.id, id) : undefined, noun);
    await before?.(trx, row);
    await table.remove(trx, id);
    const entry = { action: `${area}.remove`, name: row.name, before: resource.shown(row) };
    await audit(trx, writer, type, row, entry, now);
    return undefined;
  });
}
