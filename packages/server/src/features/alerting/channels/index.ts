/**
 * A message to a channel: a kind in `kinds` renders it without secrets. `sender.ts` decrypts these and sends it
 * through `platform/egress`, which connects only to checked addresses. `answer-rules.ts` decides whether it can be
 * retried.
 */

import { channelsRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { pageById } from '../../../http/cursor.ts';
import type { Feature } from '../../feature.ts';
import { type ChannelsDependencies, create, find, present, remove, sendTest, update } from './service.ts';
import { channels } from './store.ts';

export { encryptAgain } from './rotation.ts';
export { type ChannelSender, createChannelSender } from './sender.ts';
export { type ChannelRow, findChannels, type Health, markChannel } from './store.ts';

/** Where notifications go. */
export const channelsFeature = { name: 'alerting/channels', routes: handlers } satisfies Feature;

function handlers(parts: ChannelsDependencies): MountedRoute[] {
  const { db } = parts;
  return implement(channelsRoutes, {
    listChannels: ({ workspace, query }) =>
      pageById(query, async (page) => (await channels.list(db, workspace.id, page)).map((row) => present(parts, row))),
    createChannel: (context) => create(parts, context, context.body),
    getChannel: async ({ workspace, params }) => present(parts, await find(db, workspace, params.id)),
    updateChannel: (context) => update(parts, context, context.params.id, context.body),
    removeChannel: (context) => remove(parts, context, context.params.id),
    testChannel: (context) =>
      sendTest(parts, context, context.params.id, `${context.request.protocol}://${context.request.host}`),
  });
}
