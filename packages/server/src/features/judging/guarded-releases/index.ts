/**
 * A guarded release: arming holds the fallthrough of the flag. A job looks at each release (`look.ts`, reads shared by
 * `shared-looks.ts`), `rules.ts` decides, and the transaction that ends the run takes the step, holds it or rolls back
 * (`job.ts`).
 */

import { GuardedContrast, GuardedEvent, GuardedLook, guardedReleasesRoutes } from '@fanion/contract';
import { type Context, implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { Feature } from '../../feature.ts';
import { type Changes, presentSubmitted, requirePlace, submissionOf } from '../../flags/flags/index.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { type BacktestDependencies, createBacktest } from './backtest.ts';
import { armChange } from './change.ts';
import { type LookDependencies, lookJob } from './job.ts';
import type { GuardedDependencies } from './service.ts';
import * as service from './service.ts';
import type { EventRow, ReleaseRow } from './store.ts';

/** Guarded releases: variants whose share grows while telemetry says that they do no harm. */
export const guardedReleasesFeature = {
  name: 'judging/guarded-releases',
  routes: handlers,
  jobs: (dependencies: LookDependencies) => [lookJob(dependencies)],
  changeKinds: [armChange],
} satisfies Feature;

type Dependencies = GuardedDependencies & BacktestDependencies & { readonly changes: Changes };

/** A table, and as long as the list of routes: each entry is a step of the product and the form of its answer. */
function handlers(dependencies: Dependencies): MountedRoute[] {
  const backtest = createBacktest(dependencies);
  return implement(guardedReleasesRoutes, {
    async listGuardedReleases({ workspace, project, query: { cursor, ...filter } }) {
      const rows = await service.list(dependencies, project, { ...filter, after: decodeCursor(cursor, isId) });
      if (rows.length === 0) await requirePlace(dependencies.db, { workspace, project }, filter);
      const { items, nextCursor } = cutPage(rows, filter.limit, ({ id }) => id);
      return page(items.map(withLook), nextCursor);
    },
    async getGuardedRelease({ project, environment, params }) {
      return shown(
        dependencies,
        await service.find(dependencies, project, environment, params.key),
        params.key,
        environment.key,
      );
    },
    async putGuardedRelease({ workspace, project, environment, caller, params, body, origin }) {
      const { version, ...definition } = body;
      const asked = { place: { workspace, project }, environment, key: params.key, caller, origin };
      return shown(
        dependencies,
        await service.put(dependencies, asked, version, definition),
        params.key,
        environment.key,
      );
    },
    async removeGuardedRelease({ workspace, project, environment, caller, params, origin }) {
      const asked = { place: { workspace, project }, environment, key: params.key, caller, origin };
      await service.remove(dependencies, asked);
      return undefined;
    },
    async backtestGuardedRelease({ workspace, project, environment, caller, params, signal }) {
      await requireReadable(dependencies.access, caller, {
        workspace: workspace.id,
        project: project.id,
        environment: environment.key,
      });
      const release = await service.find(dependencies, project, environment, params.key);
      return backtest({ workspace, project }, environment, params.key, release, signal);
    },
    armGuardedRelease: (context) => armed(dependencies, context),
    async disarmGuardedRelease({ workspace, project, environment, caller, params, body, origin }) {
      const asked = { place: { workspace, project }, environment, key: params.key, caller, origin };
      return shown(dependencies, await service.disarm(dependencies, asked, body?.comment), params.key, environment.key);
    },
    async listGuardedEvents({ project, environment, params, query: { kind, limit, cursor } }) {
      const release = await service.find(dependencies, project, environment, params.key);
      const rows = await service.events(dependencies, release, {
        decisions: kind === 'decisions',
        after: decodeCursor(cursor, isId),
        limit,
      });
      const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
      return page(items.map(presentEvent), nextCursor);
    },
  });
}

async function armed(dependencies: Dependencies, context: Context<typeof guardedReleasesRoutes.armGuardedRelease>) {
  const { project, environment, params, body } = context;
  const { version } = await service.find(dependencies, project, environment, params.key);
  const submitted = await dependencies.changes.submit({
    ...submissionOf({ ...context, body: body ?? {} }),
    action: 'guarded_releases.arm',
    kind: armChange,
    subject: { flag: params.key, environmentId: environment.id },
    payload: { definition_version: version },
  });
  return presentSubmitted(submitted, (release) => shown(dependencies, release, params.key, environment.key));
}

async function shown(dependencies: GuardedDependencies, release: ReleaseRow, key: string, environment: string) {
  return withLook(await service.present(dependencies, release, key, environment));
}

type Presented = Awaited<ReturnType<typeof service.present>>;

function withLook({ last_look, ...release }: Presented) {
  return { ...release, last_look: last_look === null ? null : GuardedLook.parse(last_look) };
}

function presentEvent({ id, at, kind, step, weight, reason, numbers, contrast }: EventRow) {
  const { guards, ...look } = numbers === null ? { guards: [] } : GuardedLook.parse(numbers);
  return {
    id,
    time: at.toISOString(),
    // Rows of earlier versions say `held`.
    kind: GuardedEvent.shape.kind.parse(kind === 'held' ? 'hold' : kind),
    step,
    weight,
    reason,
    guards,
    look: 'at' in look ? look : null,
    contrast: contrast === null ? null : GuardedContrast.parse(contrast),
  };
}
