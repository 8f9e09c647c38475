import { type DashboardModel, type Difference, dashboardSchemaVersion } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { canonical, differences } from '../../flags/flags/index.ts';
import { audit, existing, firstVersion, type Writer, writing } from '../../identity/resources/index.ts';
import { refuseInvalid } from './refuse-invalid.ts';
import * as store from './store.ts';

type Input = Omit<DashboardModel, 'schema_version'> & { readonly comment?: string | undefined };

/** Where the panels of a dashboard read; undefined: not given. */
export interface GivenPlace {
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
}

const maxAudited = 100;

export interface DashboardParts extends Pick<FeatureDependencies, 'db' | 'clock'> {
  readonly gateway: Pick<Gateway, 'compiler'>;
  readonly limits: Config['dashboards']['limits'];
}

type Request = Writer & { readonly signal: AbortSignal };

export async function find(db: Executor, workspace: WorkspaceRef, id: string): Promise<store.DashboardRow> {
  return existing(isId(id) ? await store.dashboards.find(db, workspace.id, id) : undefined, 'dashboard');
}

export async function create(
  { db, clock, gateway, limits }: DashboardParts,
  request: Request,
  place: GivenPlace,
  input: Input & { readonly source?: string | undefined },
): Promise<store.DashboardRow> {
  const { workspace, caller } = request;
  const model = await checked({ clock, gateway, limits }, request, input);
  const first = firstVersion(request, clock);
  const environment = place.environment ?? null;
  const source = input.source ?? null;
  const row = { ...first, project_id: place.project?.id ?? null, environment, name: model.name, model, source };
  return writing(db, workspace, async (trx) => {
    if ((await store.dashboards.count(trx, workspace.id)) >= limits.perWorkspace)
      throw fail('LIMIT_REACHED', { limit: limits.perWorkspace, resource: 'dashboards' });
    await store.dashboards.insert(trx, row);
    const version = versionRow(row.id, 1, model, caller, input.comment ?? null, first.created_at);
    await store.insertVersion(trx, version, limits.versions);
    const { panels, variables } = model;
    const after = { version: 1, environment, source, panels: panels.length, variables: variables.length };
    const entry = { action: 'dashboards.create', name: model.name, after };
    await audit(trx, request, 'dashboard', row, entry, first.created_at);
    return find(trx, workspace, row.id);
  });
}

/**
 * Throws `STALE_VERSION` with what changed since `version`, unless this is the current one. A place that is not given
 * stays.
 */
export async function replace(
  parts: DashboardParts,
  request: Request,
  place: GivenPlace,
  id: string,
  {
    version,
    comment,
    source,
    ...input
  }: Input & { readonly version: number; readonly source?: string | null | undefined },
): Promise<store.DashboardRow> {
  const { workspace } = request;
  const model = await checked(parts, request, input);
  return parts.db.transaction().execute(async (trx) => {
    const before = await locked(trx, workspace, id, source);
    if (version !== before.version) throw await stale(trx, before, version);
    const project_id = place.project?.id ?? before.project_id;
    const environment = place.environment ?? before.environment;
    const after = { project_id, environment, name: model.name, model, source: source ?? null };
    await write(trx, parts, request, before, after, { action: 'dashboards.replace', comment: comment ?? null });
    return find(trx, workspace, id);
  });
}

/** @param source of a dashboard from a file: this file */
export async function remove(
  { db, clock }: Pick<DashboardParts, 'db' | 'clock'>,
  request: Pick<Request, 'workspace' | 'origin'>,
  id: string,
  source: string | undefined,
): Promise<undefined> {
  return db.transaction().execute(async (trx) => {
    const row = await locked(trx, request.workspace, id, source);
    if (source !== undefined && row.source !== source)
      throw row.source === null
        ? fail('NOT_FOUND', { resource: `dashboard from the file ${source}` })
        : fail('DASHBOARD_FROM_FILE', { source: row.source });
    await store.dashboards.remove(trx, id);
    const before = { version: row.version, environment: row.environment, panels: row.model.panels.length };
    const entry = { action: 'dashboards.remove', name: row.name, before };
    await audit(trx, request, 'dashboard', row, entry, dateOf(clock));
    return undefined;
  });
}

/** A version, and what it changed from another one: by default from the one before it, if this is kept. */
export async function compare(
  db: Executor,
  workspace: WorkspaceRef,
  id: string,
  text: string,
  against: number | undefined,
) {
  const row = await find(db, workspace, id);
  const found = await findVersion(db, row, text);
  const other =
    against === undefined
      ? await store.findVersion(db, row.id, found.version - 1)
      : await findVersion(db, row, String(against));
  return { found, against: other?.version ?? null, changes: other ? changesOf(other.model, found.model) : [] };
}

export async function rollback(
  parts: DashboardParts,
  request: Writer,
  id: string,
  text: string,
): Promise<store.DashboardRow> {
  const { workspace } = request;
  return parts.db.transaction().execute(async (trx) => {
    const before = await locked(trx, workspace, id);
    const { model, version } = await findVersion(trx, before, text);
    const { project_id, environment } = before;
    const after = { project_id, environment, name: model.name, model, source: null };
    const how = { action: 'dashboards.rollback', comment: `Back to version ${version}` };
    await write(trx, parts, request, before, after, how);
    return find(trx, workspace, id);
  });
}

async function checked(
  { clock, gateway, limits }: Omit<DashboardParts, 'db'>,
  { workspace, signal }: Request,
  input: Input,
): Promise<DashboardModel> {
  const { name, description, tags, panels, variables, links, time } = input;
  await refuseInvalid({ panels, variables }, limits, gateway.compiler, { workspace: workspace.number, signal });
  parseWindow(time, clock.now());
  return { schema_version: dashboardSchemaVersion, name, description, tags, panels, variables, links, time };
}

/** @param source the file that the request is for; undefined: none */
async function locked(
  trx: Executor,
  workspace: WorkspaceRef,
  id: string,
  source?: string | null | undefined,
): Promise<store.DashboardRow> {
  const row = existing(isId(id) ? await store.dashboards.lock(trx, workspace.id, id) : undefined, 'dashboard');
  if (row.source !== null && source === undefined) throw fail('DASHBOARD_FROM_FILE', { source: row.source });
  return row;
}

async function findVersion(from: Executor, row: store.DashboardRow, text: string): Promise<store.VersionRow> {
  const version = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
  const found = version === undefined ? undefined : await store.findVersion(from, row.id, version);
  return existing(found, 'version of the dashboard');
}

/** Writes the next version, unless it would equal the current one. */
async function write(
  trx: Executor,
  { clock, limits }: Pick<DashboardParts, 'clock' | 'limits'>,
  request: Writer,
  before: store.DashboardRow,
  after: store.DashboardValues,
  { action, comment }: { readonly action: string; readonly comment: string | null },
): Promise<void> {
  const { caller } = request;
  const changes = changesOf(before.model, after.model);
  const isSamePlace = before.project_id === after.project_id && before.environment === after.environment;
  const isSameModel = canonical(before.model) === canonical(after.model);
  const isSameSource = before.source === after.source;
  if (isSamePlace && isSameModel && isSameSource) return;
  const now = dateOf(clock);
  const version = before.version + 1;
  await store.dashboards.update(trx, before.id, after, { by: caller.user.id, now });
  await store.insertVersion(trx, versionRow(before.id, version, after.model, caller, comment, now), limits.versions);
  const states = {
    before: { version: before.version, ...(!isSameSource && { source: before.source }) },
    after: {
      version,
      comment,
      environment: after.environment,
      ...(!isSameSource && { source: after.source }),
      changes: changes.slice(0, maxAudited),
    },
  };
  const row = { id: before.id, project_id: after.project_id };
  await audit(trx, request, 'dashboard', row, { action, name: after.name, ...states }, now);
}

function versionRow(
  dashboard_id: string,
  version: number,
  model: DashboardModel,
  { user }: UserCaller,
  comment: string | null,
  created_at: Date,
): store.VersionRow {
  const named = comment === '' ? null : comment;
  return { dashboard_id, version, model, comment: named, author_id: user.id, author_name: user.name, created_at };
}

/** Variables have no id: they are compared by name. */
function changesOf(before: DashboardModel, after: DashboardModel): Difference[] {
  const byName = ({ variables, ...model }: DashboardModel) => ({
    ...model,
    variables: Object.fromEntries(variables.map((variable) => [variable.name, variable])),
  });
  return differences(byName(before), byName(after));
}

async function stale(trx: Executor, { id, version: current, model }: store.DashboardRow, given: number) {
  const base = await store.findVersion(trx, id, given);
  const message = `the current version is ${current}`;
  const changes = base ? changesOf(base.model, model) : [];
  return fail(
    'STALE_VERSION',
    { current, given },
    {
      details: [
        { path: 'version', message, current },
        ...changes
          .slice(0, maxAudited)
          .map((change) => ({ ...change, message: `${change.kind} since version ${given}` })),
      ],
    },
  );
}
