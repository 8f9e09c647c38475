/**
 * Annotations: `service.ts` merges what people wrote with changes of flags, transitions of alerts and new versions of
 * services. Each is read from its own table with its own permission.
 */

import { annotationsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, reply } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { Feature } from '../../feature.ts';
import { requireNarrowed } from '../../identity/projects/index.ts';
import { type AnnotationDependencies, createAnnotationService } from './service.ts';

export { createChangesReader } from './changes.ts';
export { deployWindowMs, listDeploys, maxVersions } from './deploys.ts';
export { createAnnotationService } from './service.ts';

/** What happened beside the telemetry: what people write, and what other features know. */
export const annotationsFeature = {
  name: 'dashboards/annotations',
  routes: handlers,
} satisfies Feature;

function positionOf(key: string): { readonly time: Date; readonly id: string } | undefined {
  const [text = '', id = ''] = key.split(' ');
  const time = new Date(text);
  const isKnown = isId(id) || /^deploy-[0-9a-f]{32}$/.test(id);
  return isKnown && !Number.isNaN(time.getTime()) && time.toISOString() === text ? { time, id } : undefined;
}

function handlers(dependencies: AnnotationDependencies): MountedRoute[] {
  const service = createAnnotationService(dependencies);
  return implement(annotationsRoutes, {
    async listAnnotations({ workspace, narrowed, caller, query: { limit, cursor, ...query }, signal }) {
      const after = positionOf(decodeCursor(cursor, (key) => positionOf(key) !== undefined) ?? '');
      const found = await service.list({ workspace, ...narrowed }, caller, query, { after, limit }, signal);
      await requireNarrowed(dependencies.db, workspace, narrowed, found.items);
      const { items, nextCursor } = cutPage(found.items, limit, (one) => `${one.time} ${one.id}`);
      return reply(items, { meta: { next_cursor: nextCursor, warnings: found.warnings } });
    },
    async createAnnotation({ workspace, narrowed, caller, body, origin }) {
      return service.create({ workspace, ...narrowed }, caller, body, origin);
    },
    async removeAnnotation({ workspace, params, origin }) {
      await service.remove(workspace, params.id, origin);
      return undefined;
    },
  });
}
