import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { type Gateway, invalidQuery } from '../../../platform/gateway/index.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import * as store from './store.ts';

const maxSavedQueries = 5_000;

export interface SavedQueryInput {
  readonly name: string;
  readonly description: string;
  readonly query: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tags: readonly string[];
}
interface Narrowed {
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
}

export interface SavedQueryDependencies extends Pick<FeatureDependencies, 'db' | 'clock'> {
  readonly gateway: Pick<Gateway, 'compiler'>;
}

export function createSavedQueryService({ db, clock, gateway }: SavedQueryDependencies) {
  /** A long text is checked in a thread: here it would hold up everybody for a quarter of a second. */
  async function refuseInvalid(workspace: WorkspaceRef, query: string, signal: AbortSignal): Promise<void> {
    const asked = { workspace: workspace.number, signal };
    const { valid, diagnostics } = await gateway.compiler.validate(query, {}, asked);
    if (!valid) throw invalidQuery(diagnostics);
  }

  return {
    /** Returns one row more than `limit` if there are more. */
    async list(
      workspace: WorkspaceRef,
      { project, environment }: Narrowed,
      { search, tag }: { search: string | undefined; tag: string | undefined },
      { after, limit }: { after: string | undefined; limit: number },
    ) {
      const filter = { projectId: project?.id, environment, search, tag };
      return (await store.listSavedQueries(db, workspace.id, filter, { after, limit: limit + 1 })).map(present);
    },

    /** Throws `OQL_INVALID` for an invalid query, and `WINDOW_INVALID`. */
    async create(
      workspace: WorkspaceRef,
      { project, environment }: Narrowed,
      caller: UserCaller,
      input: SavedQueryInput,
      origin: Origin,
      signal: AbortSignal,
    ) {
      await refuseInvalid(workspace, input.query, signal);
      const now = dateOf(clock);
      parseWindow(input, now.getTime());
      const id = newId(now.getTime());
      const { name, description, query, from = null, to = null } = input;
      const tags = [...new Set(input.tags)];
      const row = await db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        if ((await store.countSavedQueries(trx, workspace.id)) >= maxSavedQueries)
          throw fail('LIMIT_REACHED', { limit: maxSavedQueries, resource: 'saved queries' });
        await store.insertSavedQuery(trx, {
          id,
          workspace_id: workspace.id,
          project_id: project?.id ?? null,
          environment: environment ?? null,
          name,
          description,
          query,
          window_from: from,
          window_to: to,
          tags,
          created_by: caller.user.id,
          created_at: now,
        });
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'saved_queries.create',
            resource: { type: 'saved_query', id, name },
            ...(project && { projectId: project.id }),
            after: { name, description, query, from, to, environment: environment ?? null, tags },
          },
          now,
        );
        return store.findSavedQuery(trx, workspace.id, id);
      });
      if (row === undefined) throw fail('NOT_FOUND', { resource: 'saved query' });
      return present(row);
    },

    async remove(workspace: WorkspaceRef, id: string, origin: Origin): Promise<void> {
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const row = isId(id) ? await store.findSavedQuery(trx, workspace.id, id) : undefined;
        if (row === undefined || !(await store.removeSavedQuery(trx, workspace.id, id)))
          throw fail('NOT_FOUND', { resource: 'saved query' });
        const { name, description, query, environment, tags } = row;
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'saved_queries.remove',
            resource: { type: 'saved_query', id, name },
            ...(row.project_id !== null && { projectId: row.project_id }),
            before: { name, description, query, from: row.window_from, to: row.window_to, environment, tags },
          },
          now,
        );
      });
    },
  };
}

function present(row: store.SavedQueryRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    query: row.query,
    from: row.window_from,
    to: row.window_to,
    project: row.project,
    environment: row.environment,
    tags: row.tags,
    created_by: row.created_by === null ? null : { id: row.created_by, name: row.created_by_name ?? '' },
    created_at: row.created_at.toISOString(),
  };
}
