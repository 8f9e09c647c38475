/**
 * A message to a channel: a kind in `kinds` renders it without secrets. `sender.ts` decrypts these and sends it
 * through `platform/egress`, which connects only to checked addresses. `answer-rules.ts` decides whether it can be
 * retried.
 */

import { channelsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { Feature } from '../../feature.ts';
import { type ChannelsDependencies, createChannelService } from './service.ts';

export { encryptAgain } from './rotation.ts';
export { type ChannelSender, createChannelSender } from './sender.ts';
export { type ChannelRow, findChannels, type Health, markChannel } from './store.ts';

/** Where notifications go. */
export const channelsFeature = { name: 'alerting/channels', routes: handlers } satisfies Feature;

function handlers(dependencies: ChannelsDependencies): MountedRoute[] {
  const service = createChannelService(dependencies);
  return implement(channelsRoutes, {
    async listChannels({ workspace, query: { limit, cursor } }) {
      const rows = await service.list(workspace, { after: decodeCursor(cursor, isId), limit });
      const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
      return page(items, nextCursor);
    },
    async createChannel({ workspace, caller, body, origin }) {
      return service.create(workspace, caller, body, origin);
    },
    getChannel: ({ workspace, params }) => service.get(workspace, params.id),
    async updateChannel({ workspace, params, body, origin }) {
      return service.update(workspace, params.id, body, origin);
    },
    async removeChannel({ workspace, params, origin }) {
      await service.remove(workspace, params.id, origin);
      return undefined;
    },
    async testChannel({ workspace, params, origin, request, signal }) {
      const base = `${request.protocol}://${request.host}`;
      return service.test(workspace, params.id, base, origin, signal);
    },
  });
}
