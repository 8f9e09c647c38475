import { segmentsRoutes } from '@fanion/contract';
import { accepted, implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import type { Feature } from '../../feature.ts';
import type { Changes } from '../flags/index.ts';
import { segmentChange } from './change.ts';
import type { SegmentsDependencies } from './service.ts';
import * as service from './service.ts';

export { segmentChange } from './change.ts';
export { createSegmentIn, type NewSegment } from './service.ts';

const isKey = (text: string) => /^[a-z0-9][a-z0-9._-]{0,127}$/.test(text);

/** Named audiences. */
export const segmentsFeature = {
  name: 'flags/segments',
  routes: handlers,
  changeKinds: [segmentChange],
} satisfies Feature;

function handlers(dependencies: SegmentsDependencies & { readonly changes: Changes }): MountedRoute[] {
  return implement(segmentsRoutes, {
    async listSegments({ project, query: { search, limit, cursor } }) {
      const rows = await service.list(dependencies, project, { search, after: decodeCursor(cursor, isKey), limit });
      const { items, nextCursor } = cutPage(rows, limit, ({ key }) => key);
      return page(items, nextCursor);
    },
    async createSegment({ workspace, project, caller, body, origin }) {
      return service.create(dependencies, { workspace, project }, caller, body, origin);
    },
    async getSegment({ project, params }) {
      return service.get(dependencies, project, params.skey);
    },
    async updateSegment({ workspace, project, caller, params, body, origin }) {
      const { version, comment, bypass_approval, ...patch } = body;
      const submitted = await dependencies.changes.submit({
        place: { workspace, project },
        caller,
        origin,
        action: 'segments.update',
        kind: segmentChange,
        subject: { segment: params.skey },
        payload: patch,
        version,
        comment,
        bypassApproval: bypass_approval,
      });
      return submitted.status === 'waiting'
        ? accepted(submitted.change)
        : service.presentOne(dependencies, submitted.result);
    },
    async removeSegment({ workspace, project, caller, params, origin }) {
      await service.remove(dependencies, { workspace, project }, caller, params.skey, origin);
      return undefined;
    },
  });
}
