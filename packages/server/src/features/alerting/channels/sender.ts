import type { Attempt, Notification } from '../notification.ts';
import type { ChannelRow } from './store.ts';

/** Sends notifications through channels. */
export interface ChannelSender {
  /** The message as it is stored and sent again and again, without secrets. The same input gives the same text. */
  render(channel: ChannelRow, notification: Notification): string;
  /** Sends a rendered message once; never throws. Retries use the same key, so that receivers can recognize them. */
  send(channel: ChannelRow, body: string, idempotencyKey: string, signal: AbortSignal): Promise<Attempt>;
}
