import { errorGroupsRoutes } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef, WorkspaceRef } from '../../../http/caller.ts';
import { implement, type MountedRoute, reply } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { fail } from '../../../platform/fail.ts';
import { formatNs, parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { isPositionKey, positionKey, readPosition } from './rules.ts';
import type { ErrorGroupsDependencies, Place } from './service.ts';
import * as service from './service.ts';

export { findGroup, groupTraces, newErrors, parametersOf } from './telemetry-store.ts';

/** Errors of programs, grouped by type and stack, and what people decided about them. */
export const errorGroupsFeature = {
  name: 'telemetry/error-groups',
  routes: handlers,
} satisfies Feature;

function handlers(
  dependencies: Omit<ErrorGroupsDependencies, 'limits'> & { readonly config: Pick<Config, 'errorGroups'> },
): MountedRoute[] {
  const parts = { ...dependencies, limits: dependencies.config.errorGroups };
  const { clock } = parts;
  return implement(errorGroupsRoutes, {
    async listErrorGroups({ workspace, narrowed, query, signal }) {
      const { limit, cursor, from, to, ...asked } = query;
      const key = decodeCursor(cursor, isPositionKey);
      const after = key === undefined ? undefined : readPosition(key);
      const window = after?.window ?? parseWindow({ from, to }, clock.now());
      const found = await service.list(parts, placeOf(workspace, narrowed), window, asked, { after, limit }, signal);
      const { items, nextCursor } = cutPage(found.items, limit, ({ rank, group: { id } }) =>
        positionKey({ window, rank, id }),
      );
      return reply(
        items.map(({ group }) => group),
        {
          meta: {
            next_cursor: nextCursor,
            total: found.total,
            window: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
            since: found.since,
            slice_ms: found.sliceMs,
            warnings: found.warnings,
          },
        },
      );
    },
    async getErrorGroup({ workspace, narrowed, params, query, signal }) {
      const window = parseWindow(query, clock.now());
      return service.get(parts, placeOf(workspace, narrowed), window, params.id, signal);
    },
    async setErrorGroupState({ workspace, narrowed, caller, params, body, origin, signal }) {
      const place = placeOf(workspace, narrowed);
      return service.setState(parts, place, caller, params.id, body, origin, signal);
    },
  });
}

/** States belong to a project, so every route names one. */
function placeOf(
  workspace: WorkspaceRef,
  { project, environment }: { readonly project: ProjectRef | undefined; readonly environment: string | undefined },
): Place {
  if (project === undefined) throw fail('NOT_FOUND', { resource: 'project' });
  return { workspace, project, environment };
}
