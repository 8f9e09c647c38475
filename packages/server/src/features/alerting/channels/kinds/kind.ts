import type { ChannelConfig, ChannelKind } from '@fanion/contract';
import type { OutgoingRequest } from '../../../../platform/egress/index.ts';
import type { Attempt, Notification } from '../../notification.ts';
import type { ChannelAnswer } from '../answer-rules.ts';

/** What a message is rendered for: the channel without its secrets. */
export interface Receiver {
  readonly name: string;
}

/** A kind of channel that is sent to over HTTP. */
export interface HttpKind<Kind extends ChannelKind> {
  /** The message as it is stored: it contains no secret. */
  readonly render: (notification: Notification, receiver: Receiver) => string;
  /** The request that sends a stored message. */
  readonly request: (message: string, config: ChannelConfig<Kind>, facts: SendingFacts) => OutgoingRequest;
  /** Reads what is special in the receiver's answers; undefined: the status alone decides. */
  readonly judge?: (answer: ChannelAnswer) => Attempt | undefined;
}

export interface SendingFacts {
  readonly idempotencyKey: string;
  readonly nowMs: number;
}

/** A request with a body of JSON. */
export function postJson(url: string, body: string, headers: Readonly<Record<string, string>> = {}): OutgoingRequest {
  return { url, method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
}

/** A path below a base address, which may have a path itself. */
export function below(base: string, path: string): string {
  return base.replace(/\/+$/, '') + path;
}
