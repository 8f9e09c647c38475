import { type ChannelConfig, type ChannelKind, channelConfigs } from '@fanion/contract';
import type { Clock } from '../../../platform/clock.ts';
import { type Egress, EgressError } from '../../../platform/egress/index.ts';
import { type Encryption, EncryptionError } from '../../../platform/encryption.ts';
import type { Mailer } from '../../../platform/mail/index.ts';
import { messageOf } from '../../../platform/message-of.ts';
import type { Attempt, Notification } from '../notification.ts';
import { attemptOf, textAnswer } from './answer-rules.ts';
import { discord } from './kinds/discord.ts';
import { renderMail, type StoredMail } from './kinds/email.ts';
import type { HttpKind, SendingFacts } from './kinds/kind.ts';
import { ntfy } from './kinds/ntfy.ts';
import { opsgenie } from './kinds/opsgenie.ts';
import { pagerduty } from './kinds/pagerduty.ts';
import { slack } from './kinds/slack.ts';
import { teams } from './kinds/teams.ts';
import { telegram } from './kinds/telegram.ts';
import { webhook } from './kinds/webhook.ts';
import { fullConfig } from './secrets.ts';
import type { ChannelRow } from './store.ts';

/** Sends notifications through channels. */
export interface ChannelSender {
  /** The message as it is stored and sent again and again, without secrets. The same input gives the same text. */
  render(channel: Pick<ChannelRow, 'kind' | 'name'>, notification: Notification): string;
  /** Sends a rendered message once; never throws. Retries use the same key, so that receivers can recognize them. */
  send(channel: ChannelRow, message: string, idempotencyKey: string, signal: AbortSignal): Promise<Attempt>;
}

type HttpKindName = Exclude<ChannelKind, 'email'>;
const httpKinds: { readonly [Kind in HttpKindName]: HttpKind<Kind> } = {
  webhook,
  slack,
  pagerduty,
  opsgenie,
  teams,
  discord,
  telegram,
  ntfy,
};

export interface SenderDependencies {
  readonly egress: Egress;
  readonly encryption: Encryption;
  readonly mailer: Mailer;
  readonly clock: Clock;
}

export function createChannelSender({ egress, encryption, mailer, clock }: SenderDependencies): ChannelSender {
  async function sendHttp(
    channel: ChannelRow,
    kind: HttpKindName,
    message: string,
    idempotencyKey: string,
    signal: AbortSignal,
  ) {
    const nowMs = clock.now();
    const config = fullConfig(encryption, channel);
    const request = requestOf(kind, message, config, { idempotencyKey, nowMs });
    const answer = textAnswer(await egress.send(request, signal));
    return httpKinds[kind].judge?.(answer) ?? attemptOf(answer, nowMs);
  }

  async function sendMail(channel: ChannelRow, message: string, idempotencyKey: string): Promise<Attempt> {
    const { to } = channelConfigs.email.parse(channel.config);
    const { subject, text, html } = JSON.parse(message) as StoredMail;
    const outcome = await mailer.deliver({ to, subject, text, html, id: `${idempotencyKey}@fanion` });
    if (outcome.kind !== 'failed') return { kind: 'delivered', status: null, answer: outcome.answer };
    return { kind: outcome.permanent ? 'final' : 'retry', status: null, error: outcome.error };
  }

  return {
    render({ kind, name }, notification) {
      return kind === 'email'
        ? JSON.stringify(renderMail(notification))
        : httpKinds[kind].render(notification, { name });
    },
    async send(channel, message, idempotencyKey, signal) {
      const { kind } = channel;
      try {
        return kind === 'email'
          ? await sendMail(channel, message, idempotencyKey)
          : await sendHttp(channel, kind, message, idempotencyKey, signal);
      } catch (error) {
        const text = messageOf(error);
        if (error instanceof EgressError) return { kind: error.refused ? 'final' : 'retry', status: null, error: text };
        // Nothing that a later attempt would change: a secret that cannot be read, a stored configuration of another form.
        const why = error instanceof EncryptionError ? text : `the channel cannot be used: ${text}`;
        return { kind: 'final', status: null, error: why };
      }
    },
  };
}

function requestOf<Kind extends HttpKindName>(kind: Kind, message: string, config: unknown, facts: SendingFacts) {
  return httpKinds[kind].request(message, channelConfigs[kind].parse(config) as ChannelConfig<Kind>, facts);
}
