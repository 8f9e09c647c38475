export type { ChannelSender } from './sender.ts';
export { type ChannelRow, findChannels, type Health, markChannel } from './store.ts';
