/**
 * Retention: `retention.ts` has the retention class of each signal of a project. Ingest stores it with each request,
 * so each row carries it in `retention_days`.
 */

import { projectsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { pinOf } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { isId } from '../../../platform/ids.ts';
import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import type { Feature } from '../../feature.ts';
import * as environments from './environment-service.ts';
import type { ProjectDependencies } from './project-service.ts';
import * as projects from './project-service.ts';
import { telemetryStatus } from './telemetry-rules.ts';
import { findArrivals } from './telemetry-store.ts';

export { isListed, type PlacedFilter, placeExists, placeNames } from './placed-store.ts';
export { requireEnvironment, requireNarrowed } from './require-environment.ts';
export { createProjectRetention, type ProjectRetention } from './retention.ts';
export { type Retention, type RetentionClasses, retentionOf } from './retention-rules.ts';

export type ProjectsDependencies = ProjectDependencies & { readonly telemetry: ScopedTelemetry };

/** A valid cursor in a list of keys. */
const isKey = (text: string) => /^[a-z0-9][a-z0-9._-]{0,127}$/.test(text);

/** Projects, their environments, and whether telemetry has arrived. */
export const projectsFeature = {
  name: 'identity/projects',
  routes: handlers,
} satisfies Feature;

function handlers(dependencies: ProjectsDependencies): MountedRoute[] {
  const { access, clock, telemetry } = dependencies;
  return implement(projectsRoutes, {
    async listProjects({ workspace, caller, query: { search, limit, cursor } }) {
      const rows = await projects.list(dependencies, workspace, caller, {
        search,
        after: decodeCursor(cursor, isKey),
        limit,
      });
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.key);
      return page(items, nextCursor);
    },
    async createProject({ workspace, caller, body, origin }) {
      return projects.create(dependencies, workspace, caller, body, origin);
    },
    async updateProject({ workspace, project, caller, body, origin }) {
      return projects.update(dependencies, { workspace, project }, caller, body, origin);
    },
    async removeProject({ workspace, project, caller, query, origin }) {
      await projects.remove(dependencies, { workspace, project }, caller, query.confirm, origin);
      return undefined;
    },
    async listEnvironments({ workspace, project, caller, query: { limit, cursor } }) {
      const options = { after: decodeCursor(cursor, isId), limit };
      const rows = await environments.list(dependencies, { workspace, project }, caller, options);
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
      return page(items, nextCursor);
    },
    async createEnvironment({ workspace, project, caller, body, origin }) {
      return environments.create(dependencies, { workspace, project }, caller, body, origin);
    },
    async updateEnvironment({ workspace, project, environment, caller, body, origin }) {
      return environments.update(dependencies, { workspace, project, environment }, caller, body, origin);
    },
    async removeEnvironment({ workspace, project, environment, caller, query, origin }) {
      await environments.remove(dependencies, { workspace, project, environment }, caller, query.confirm, origin);
      return undefined;
    },
    async getTelemetryStatus({ workspace, project, caller, signal }) {
      // A token that is pinned to an environment sees only that one.
      const pinned = pinOf(caller)?.environmentId != null;
      const { environment } = pinned
        ? await access.scope(caller, { workspace: workspace.id, project: project.id })
        : { environment: undefined };
      const place = { workspace: workspace.number, project: project.number, environment: environment?.key };
      return telemetryStatus(await findArrivals(telemetry, place, signal), dateOf(clock));
    },
  });
}
