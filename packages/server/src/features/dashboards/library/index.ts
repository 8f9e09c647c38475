import { libraryRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { pageOf } from '../../../http/cursor.ts';
import { fail } from '../../../platform/fail.ts';
import { EncodedRows } from '../../../platform/gateway/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import type { QueryService } from '../../telemetry/query/index.ts';
import { libraryDashboards } from './dashboards/index.ts';
import { arrivalQueries, presented } from './library-rules.ts';

/** Ready dashboards. */
export const libraryFeature = {
  name: 'dashboards/library',
  routes: handlers,
} satisfies Feature;

/** What has arrived does not change often. */
const maxAgeMs = 60_000;

function handlers({
  queries,
  access,
}: Pick<FeatureDependencies, 'access'> & { readonly queries: QueryService }): MountedRoute[] {
  return implement(libraryRoutes, {
    async listLibraryDashboards({ workspace, narrowed, caller, query, signal }) {
      const place = { workspace: workspace.id, project: narrowed.project?.id, environment: narrowed.environment };
      const allowed = await access.scope(caller, {
        workspace: place.workspace,
        ...(place.project !== undefined && { project: place.project }),
        ...(place.environment !== undefined && { environment: place.environment }),
      });
      if (!allowed.permissionsBelow.has('telemetry:query'))
        throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
      const scope = { workspace, project: allowed.project, environment: place.environment };
      const arrived = new Set<string>();
      for (const query of arrivalQueries(libraryDashboards)) {
        const input = { query, from: 'now-1d', limit: 1_000 };
        const { data } = await queries.run(scope, input, signal, { maxAgeMs, lane: 'dashboard' });
        for (const [name] of rowsOf(data.rows)) arrived.add(String(name));
      }
      const all = libraryDashboards.map((one) => presented(one, arrived));
      return pageOf(all, query, ({ key }) => key);
    },
  });
}

type Rows = Awaited<ReturnType<QueryService['run']>>['data']['rows'];

function rowsOf(rows: Rows): readonly (readonly unknown[])[] {
  return rows instanceof EncodedRows ? JSON.parse(Buffer.concat(rows.chunks).toString('utf8')) : rows;
}
