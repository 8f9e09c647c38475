import { errorExplanationsRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { readableProjects } from '../../identity/access/index.ts';
import { findGroup, groupTraces } from '../error-groups/index.ts';
import type { WhyService } from '../why/index.ts';

/** What causes an error. */
export const errorExplanationsFeature = {
  name: 'telemetry/error-explanations',
  routes: handlers,
} satisfies Feature;

/** Fields that describe the error, by which its traces are selected. */
const ownFields = ['exception.type', 'exception.message', 'exception.stacktrace', 'error.type'];

function handlers({
  access,
  clock,
  db,
  telemetry,
  why,
}: Pick<FeatureDependencies, 'access' | 'clock' | 'db'> & {
  telemetry: ScopedTelemetry;
  why: WhyService;
}): MountedRoute[] {
  return implement(errorExplanationsRoutes, {
    async explainErrorGroup({ workspace, caller, narrowed, params, query, signal }) {
      const scope = scopeOf({ workspace, narrowed });
      const window = parseWindow(query, clock.now());
      const group = await findGroup(telemetry, { scope, window, sinceNs: window.fromNs }, params.id, signal);
      if (group === undefined) throw fail('ERROR_GROUP_NOT_FOUND');
      const services = group.services.map((name) => JSON.stringify(name)).join(', ');
      const question = {
        scope,
        place: {
          workspaceId: workspace.id,
          project: narrowed.project,
          readable: await readableProjects(access, db, caller, workspace.id, 'flags:read'),
          environment: narrowed.environment,
        },
        source: 'spans',
        rows: `spans | where service.name in (${services})`,
        selected: { ...groupTraces(scope, group, window), fields: ownFields, error: group.id },
        window,
      } as const;
      return { why: await why.explain(question, { lane: 'interactive', signal }) };
    },
  });
}
