import { rampsRoutes } from '@fanion/contract';
import { type Context, implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { Feature } from '../../feature.ts';
import { type Changes, presentSubmitted, requirePlace, submissionOf } from '../flags/index.ts';
import { rampChange } from './change.ts';
import { rampJob } from './job.ts';
import type { RampsDependencies } from './service.ts';
import * as service from './service.ts';

export { rampChange } from './change.ts';

/** Ramps: variants whose share grows step by step. */
export const rampsFeature = {
  name: 'flags/ramps',
  routes: handlers,
  jobs: (parts: RampsDependencies) => [rampJob(parts)],
  changeKinds: [rampChange],
} satisfies Feature;

function handlers(dependencies: RampsDependencies & { readonly changes: Changes }): MountedRoute[] {
  return implement(rampsRoutes, {
    async listRamps({ workspace, project, query: { cursor, ...filter } }) {
      const rows = await service.list(dependencies, project, { ...filter, after: decodeCursor(cursor, isId) });
      if (rows.length === 0) await requirePlace(dependencies.db, { workspace, project }, filter);
      const { items, nextCursor } = cutPage(rows, filter.limit, ({ id }) => id);
      return page(items, nextCursor);
    },
    async getRamp({ project, environment, params }) {
      return service.get(dependencies, project, environment, params.key);
    },
    async startRamp(context) {
      const { environment, params } = context;
      const submitted = await dependencies.changes.submit({
        ...submissionOf(context),
        action: 'ramps.start',
        kind: rampChange,
        subject: { flag: params.key, environmentId: environment.id },
      });
      return presentSubmitted(submitted, (result) =>
        service.present(dependencies, result, params.key, environment.key),
      );
    },
    pauseRamp: (context) => moved(dependencies, context, 'pause'),
    resumeRamp: (context) => moved(dependencies, context, 'resume'),
    abortRamp: (context) => moved(dependencies, context, 'abort'),
  });
}

/** Routes that move a ramp have the same parameters. */
function moved(
  dependencies: RampsDependencies,
  { workspace, project, environment, caller, params, body, origin }: Context<typeof rampsRoutes.pauseRamp>,
  action: Parameters<typeof service.move>[5],
) {
  const place = { workspace, project };
  return service.move(dependencies, place, environment, caller, params.key, action, body?.comment, origin);
}
