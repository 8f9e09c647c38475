import type { ChannelKind } from '@fanion/contract';

export const KINDS: Readonly<Record<ChannelKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  email: 'E-mail',
  pagerduty: 'PagerDuty',
  opsgenie: 'Opsgenie',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  telegram: 'Telegram',
  ntfy: 'ntfy',
};

export function isKind(text: string | null): text is ChannelKind {
  return text !== null && Object.hasOwn(KINDS, text);
}

/** A field of a kind's configuration. */
export interface ConfigField {
  readonly name: string;
  readonly label: string;
  /** Never shown again. */
  readonly secret?: boolean;
  readonly optional?: boolean;
  /** A list: one item a line. */
  readonly list?: boolean;
  readonly placeholder?: string;
  readonly description?: string;
}

const base = (placeholder: string): ConfigField => ({
  name: 'url',
  label: 'Address of the API',
  optional: true,
  placeholder,
  description: 'For another region or your own server',
});
const address = (placeholder: string, description: string): ConfigField => ({
  name: 'url',
  label: 'Address',
  secret: true,
  placeholder,
  description,
});

export const FIELDS: Readonly<Record<ChannelKind, readonly ConfigField[]>> = {
  webhook: [
    address('https://hooks.example.com/alerts', "Receives Alertmanager's JSON by POST"),
    {
      name: 'secret',
      label: 'Signing secret',
      secret: true,
      optional: true,
      description: 'Requests are signed with it: X-Fanion-Signature',
    },
  ],
  slack: [address('https://hooks.slack.com/services/…', 'Of an incoming webhook')],
  email: [
    { name: 'to', label: 'Addresses', list: true, placeholder: 'oncall@example.com', description: 'One per line' },
  ],
  pagerduty: [
    {
      name: 'routing_key',
      label: 'Integration key',
      secret: true,
      description: 'Of an Events API v2 integration',
    },
    base('https://events.pagerduty.com'),
  ],
  opsgenie: [{ name: 'api_key', label: 'API key', secret: true }, base('https://api.opsgenie.com')],
  teams: [address('https://…', 'Of the workflow “Post to a channel when a webhook request is received”')],
  discord: [address('https://discord.com/api/webhooks/…', 'Of a webhook')],
  telegram: [
    { name: 'bot_token', label: 'Bot token', secret: true },
    {
      name: 'chat_id',
      label: 'Chat',
      placeholder: '-1001234567890',
      description: 'The chat ID, or @ and the channel name',
    },
    base('https://api.telegram.org'),
  ],
  ntfy: [
    { name: 'topic', label: 'Topic', secret: true, description: 'Anybody who knows it can read and send' },
    { name: 'token', label: 'Access token', secret: true, optional: true },
    base('https://ntfy.sh'),
  ],
};

/** What the fields of a form show for a configuration; secrets are empty. */
export function textsOf(kind: ChannelKind, config: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    FIELDS[kind].map(({ name }) => {
      const value = config[name];
      return [name, Array.isArray(value) ? value.join('\n') : String(value ?? '')];
    }),
  );
}

/**
 * The configuration of a request. An empty field is left out: a new channel then has the default, a changed one keeps
 * its secret.
 */
export function configOf(kind: ChannelKind, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    FIELDS[kind].flatMap(({ name, list }) => {
      const text = (texts[name] ?? '').trim();
      if (text === '') return [];
      return [[name, list ? text.split(/[\s,;]+/).filter((item) => item !== '') : text]];
    }),
  );
}
