import { segmentsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import type { Feature } from '../../feature.ts';
import { type Changes, presentSubmitted, submissionOf } from '../flags/index.ts';
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
    async updateSegment(context) {
      const submitted = await dependencies.changes.submit({
        ...submissionOf(context),
        action: 'segments.update',
        kind: segmentChange,
        subject: { segment: context.params.skey },
      });
      return presentSubmitted(submitted, (result) => service.presentOne(dependencies, result));
    },
    async removeSegment({ workspace, project, caller, params, origin }) {
      await service.remove(dependencies, { workspace, project }, caller, params.skey, origin);
      return undefined;
    },
  });
}
