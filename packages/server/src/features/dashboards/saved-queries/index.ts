import { savedQueriesRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { requireNarrowed } from '../../identity/projects/index.ts';
import { queryHistoryPruneJob } from './history.ts';
import { listRuns } from './runs-store.ts';
import { createSavedQueryService, type SavedQueryDependencies } from './service.ts';

export { createQueryHistory, type QueryHistory } from './history.ts';

/** Saved queries, and the history of queries. */
export const savedQueriesFeature = {
  name: 'dashboards/saved-queries',
  routes: handlers,
  jobs: ({ db, clock }: Pick<FeatureDependencies, 'db' | 'clock'>) => [queryHistoryPruneJob(db, clock)],
} satisfies Feature;

function handlers(dependencies: SavedQueryDependencies): MountedRoute[] {
  const { db } = dependencies;
  const service = createSavedQueryService(dependencies);
  return implement(savedQueriesRoutes, {
    async listSavedQueries({ workspace, narrowed, query: { search, tag, limit, cursor } }) {
      const after = decodeCursor(cursor, isId);
      const rows = await service.list(workspace, narrowed, { search, tag }, { after, limit });
      await requireNarrowed(db, workspace, narrowed, rows);
      const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
      return page(items, nextCursor);
    },
    async createSavedQuery({ workspace, narrowed, caller, body, origin, signal }) {
      return service.create(workspace, narrowed, caller, body, origin, signal);
    },
    async removeSavedQuery({ workspace, params, origin }) {
      await service.remove(workspace, params.id, origin);
      return undefined;
    },
    async listQueryHistory({ workspace, narrowed, permissions, caller, query }) {
      const isOwn = query.everyone !== 'true';
      if (!isOwn && !permissions.has('audit:read')) throw fail('PERMISSION_DENIED', { permission: 'audit:read' });
      const filter = {
        userId: isOwn && caller.kind === 'session' ? caller.user.id : undefined,
        // A token must not see the queries that its creator runs in a browser.
        tokenId: isOwn && caller.kind === 'token' ? caller.tokenId : undefined,
        projectId: narrowed.project?.id,
        environment: narrowed.environment,
        status: query.status,
        search: query.search,
      };
      const after = decodeCursor(query.cursor, isId);
      const rows = await listRuns(db, workspace.id, filter, { after, limit: query.limit + 1 });
      await requireNarrowed(db, workspace, narrowed, rows);
      const { items, nextCursor } = cutPage(rows, query.limit, ({ id }) => id);
      return page(items.map(presentRun), nextCursor);
    },
  });
}

function presentRun(row: Awaited<ReturnType<typeof listRuns>>[number]) {
  return {
    id: row.id,
    at: row.at.toISOString(),
    query: row.query,
    from: row.window_from?.toISOString() ?? null,
    to: row.window_to?.toISOString() ?? null,
    project: row.project,
    environment: row.environment,
    user: { id: row.user_id, name: row.user_name },
    token: row.token_id === null ? null : { id: row.token_id, name: row.token_name ?? '' },
    status: row.status,
    error: row.error,
    took_ms: row.took_ms,
    rows_read: row.rows_read,
    bytes_read: row.bytes_read,
    rows: row.result_rows,
    truncated: row.truncated,
  };
}
