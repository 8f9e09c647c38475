import { savedQueriesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { pageById } from '../../../http/cursor.ts';
import { fail } from '../../../platform/fail.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { requireNarrowed } from '../../identity/projects/index.ts';
import { pageOfPlaced } from '../../identity/resources/index.ts';
import { queryHistoryPruneJob } from './history.ts';
import { listRuns } from './runs-store.ts';
import { create, present, remove, type SavedQueryDependencies } from './service.ts';
import { isListedQuery, savedQueries } from './store.ts';

export { createQueryHistory, type QueryHistory } from './history.ts';

/** Saved queries, and the history of queries. */
export const savedQueriesFeature = {
  name: 'dashboards/saved-queries',
  routes: handlers,
  jobs: ({ db, clock }: Pick<FeatureDependencies, 'db' | 'clock'>) => [queryHistoryPruneJob(db, clock)],
} satisfies Feature;

function handlers(parts: SavedQueryDependencies): MountedRoute[] {
  const { db } = parts;
  return implement(savedQueriesRoutes, {
    listSavedQueries: (context) =>
      pageOfPlaced(db, context, async (page, filter) => {
        const condition = isListedQuery(filter, context.query.tag);
        return (await savedQueries.list(db, context.workspace.id, page, condition)).map(present);
      }),
    createSavedQuery: async (context) => present(await create(parts, context, context.narrowed, context.body)),
    removeSavedQuery: (context) => remove(parts, context, context.params.id),
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
      return pageById(query, async (page) => {
        const rows = await listRuns(db, workspace.id, filter, page);
        await requireNarrowed(db, workspace, narrowed, rows);
        return rows.map(presentRun);
      });
    },
  });
}

function presentRun(row: Awaited<ReturnType<typeof listRuns>>[number]) {
  return {
    id: row.id,
    at: row.at.toISOString(),
    query: row.query,
    query_language: row.query_language,
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
