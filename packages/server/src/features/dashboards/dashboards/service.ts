import { type DashboardModel, type Difference, dashboardSchemaVersion } from '@fanion/contract';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { canonical, differences } from '../../flags/flags/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import type { ModelLimits } from './model-rules.ts';
import { refuseInvalid } from './refuse-invalid.ts';
import * as store from './store.ts';

export interface DashboardLimits extends ModelLimits {
  readonly perWorkspace: number;
  readonly versions: number;
}

type Input = Omit<DashboardModel, 'schema_version'> & { readonly comment?: string | undefined };

/** Where the panels of a dashboard read; undefined: not given. */
export interface GivenPlace {
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
}

const maxAudited = 100;

export function createDashboardService({
  db,
  clock,
  gateway,
  limits,
}: Pick<FeatureDependencies, 'db' | 'clock'> & {
  readonly gateway: Pick<Gateway, 'compiler'>;
  readonly limits: DashboardLimits;
}) {
  async function checked({ number }: WorkspaceRef, input: Input, signal: AbortSignal): Promise<DashboardModel> {
    const { name, description, tags, panels, variables, links, time } = input;
    await refuseInvalid({ panels, variables }, limits, gateway.compiler, { workspace: number, signal });
    parseWindow(time, clock.now());
    return { schema_version: dashboardSchemaVersion, name, description, tags, panels, variables, links, time };
  }

  async function find(db: Executor, workspace: WorkspaceRef, id: string): Promise<store.DashboardRow> {
    const row = isId(id) ? await store.findDashboard(db, workspace.id, id) : undefined;
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'dashboard' });
    return row;
  }

  /** @param source the file that the request is for; undefined: none */
  async function locked(
    trx: Executor,
    workspace: WorkspaceRef,
    id: string,
    source?: string | null | undefined,
  ): Promise<store.DashboardRow> {
    const row = isId(id) ? await store.lockDashboard(trx, workspace.id, id) : undefined;
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'dashboard' });
    if (row.source !== null && source === undefined) throw fail('DASHBOARD_FROM_FILE', { source: row.source });
    return row;
  }

  async function findVersion(from: Executor, row: store.DashboardRow, text: string): Promise<store.VersionRow> {
    const version = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
    const found = version === undefined ? undefined : await store.findVersion(from, row.id, version);
    if (found === undefined) throw fail('NOT_FOUND', { resource: 'version of the dashboard' });
    return found;
  }

  /** Writes the next version, unless it would equal the current one. */
  async function write(
    trx: Executor,
    before: store.DashboardRow,
    after: store.DashboardPlace & { readonly model: DashboardModel; readonly source: string | null },
    { caller, origin, action, comment }: { caller: UserCaller; origin: Origin; action: string; comment: string | null },
  ): Promise<void> {
    const changes = changesOf(before.model, after.model);
    const isSamePlace = before.project_id === after.project_id && before.environment === after.environment;
    const isSameModel = canonical(before.model) === canonical(after.model);
    const isSameSource = before.source === after.source;
    if (isSamePlace && isSameModel && isSameSource) return;
    const now = dateOf(clock);
    const version = before.version + 1;
    await store.updateDashboard(trx, before.id, after, { version, by: caller.user.id, now });
    await store.insertVersion(trx, versionRow(before.id, version, after.model, caller, comment, now), limits.versions);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: before.workspace_id,
        action,
        resource: { type: 'dashboard', id: before.id, name: after.model.name },
        ...(after.project_id !== null && { projectId: after.project_id }),
        before: { version: before.version, ...(!isSameSource && { source: before.source }) },
        after: {
          version,
          comment,
          environment: after.environment,
          ...(!isSameSource && { source: after.source }),
          changes: changes.slice(0, maxAudited),
        },
      },
      now,
    );
  }

  return {
    find: (workspace: WorkspaceRef, id: string) => find(db, workspace, id),

    /** One row more than `limit` if there are more. */
    list: (
      workspace: WorkspaceRef,
      filter: store.DashboardFilter,
      { after, limit }: { after: string | undefined; limit: number },
    ) => store.listDashboards(db, workspace.id, filter, { after, limit: limit + 1 }),

    async create(
      workspace: WorkspaceRef,
      place: GivenPlace,
      caller: UserCaller,
      input: Input & { readonly source?: string | undefined },
      origin: Origin,
      signal: AbortSignal,
    ) {
      const model = await checked(workspace, input, signal);
      const source = input.source ?? null;
      const now = dateOf(clock);
      const id = newId(now.getTime());
      const projectId = place.project?.id ?? null;
      const environment = place.environment ?? null;
      await db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        if ((await store.countDashboards(trx, workspace.id)) >= limits.perWorkspace)
          throw fail('LIMIT_REACHED', { limit: limits.perWorkspace, resource: 'dashboards' });
        await store.insertDashboard(trx, {
          id,
          workspace_id: workspace.id,
          project_id: projectId,
          environment,
          model,
          source,
          created_by: caller.user.id,
          created_at: now,
        });
        await store.insertVersion(trx, versionRow(id, 1, model, caller, input.comment ?? null, now), limits.versions);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'dashboards.create',
            resource: { type: 'dashboard', id, name: model.name },
            ...(projectId !== null && { projectId }),
            after: { version: 1, environment, source, panels: model.panels.length, variables: model.variables.length },
          },
          now,
        );
      });
      return find(db, workspace, id);
    },

    /**
     * Throws `STALE_VERSION` with what changed since `version`, unless this is the current one. A place that is not given
     * stays.
     */
    async replace(
      workspace: WorkspaceRef,
      place: GivenPlace,
      caller: UserCaller,
      id: string,
      {
        version,
        comment,
        source,
        ...input
      }: Input & { readonly version: number; readonly source?: string | null | undefined },
      origin: Origin,
      signal: AbortSignal,
    ) {
      const model = await checked(workspace, input, signal);
      await db.transaction().execute(async (trx) => {
        const before = await locked(trx, workspace, id, source);
        if (version !== before.version) throw await stale(trx, before, version);
        const project_id = place.project?.id ?? before.project_id;
        const environment = place.environment ?? before.environment;
        const how = { caller, origin, action: 'dashboards.replace', comment: comment ?? null };
        await write(trx, before, { project_id, environment, model, source: source ?? null }, how);
      });
      return find(db, workspace, id);
    },

    /** @param source of a dashboard from a file: this file */
    async remove(workspace: WorkspaceRef, id: string, source: string | undefined, origin: Origin): Promise<void> {
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const before = await locked(trx, workspace, id, source);
        if (source !== undefined && before.source !== source)
          throw before.source === null
            ? fail('NOT_FOUND', { resource: `dashboard from the file ${source}` })
            : fail('DASHBOARD_FROM_FILE', { source: before.source });
        await store.deleteDashboard(trx, id);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'dashboards.remove',
            resource: { type: 'dashboard', id, name: before.name },
            ...(before.project_id !== null && { projectId: before.project_id }),
            before: { version: before.version, environment: before.environment, panels: before.model.panels.length },
          },
          now,
        );
      });
    },

    /** One row more than `limit` if there are more. */
    async versions(
      workspace: WorkspaceRef,
      id: string,
      { before, limit }: { before: number | undefined; limit: number },
    ) {
      const row = await find(db, workspace, id);
      return store.listVersions(db, row.id, { before, limit: limit + 1 });
    },

    /** A version, and what it changed from another one: by default from the one before it, if this is kept. */
    async version(workspace: WorkspaceRef, id: string, text: string, against: number | undefined) {
      const row = await find(db, workspace, id);
      const found = await findVersion(db, row, text);
      const other =
        against === undefined
          ? await store.findVersion(db, row.id, found.version - 1)
          : await findVersion(db, row, String(against));
      return { found, against: other?.version ?? null, changes: other ? changesOf(other.model, found.model) : [] };
    },

    async rollback(workspace: WorkspaceRef, caller: UserCaller, id: string, text: string, origin: Origin) {
      await db.transaction().execute(async (trx) => {
        const before = await locked(trx, workspace, id);
        const { model, version } = await findVersion(trx, before, text);
        const { project_id, environment } = before;
        const comment = `Back to version ${version}`;
        await write(
          trx,
          before,
          { project_id, environment, model, source: null },
          { caller, origin, action: 'dashboards.rollback', comment },
        );
      });
      return find(db, workspace, id);
    },
  };
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
