import { z } from 'zod';
import { Email, HttpStatus, Id, Name, OneLine, Reference, Time, Version, WebUrl } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionIfKnown } from '../versions.ts';

const path = '/workspaces/{ws}/channels';

/** An address that a person gives: names no user, since that would be a secret in plain sight. */
const Address = WebUrl.refine((text) => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === '' && url.password === '';
}, 'an address without a user name or password');
const SecretText = OneLine(1_000).min(1);
/** A secret that is sent in a header. */
const Token = z.string().regex(/^[\x21-\x7e]{1,1000}$/, '1 to 1000 visible ASCII characters');
/** Fields that are stored encrypted, are never returned, and never reach the audit log. */
const hidden = { writeOnly: true } as const;

const SecretAddress = Address.meta({
  ...hidden,
  description: 'stored encrypted and never returned: anybody who knows it can send',
  examples: ['https://hooks.example.com/alerts'],
});
const Base = (url: string) => Address.default(url).meta({ description: 'the base address of the API' });

/** The configuration of each kind of channel. */
export const channelConfigs = {
  webhook: z.strictObject({
    url: SecretAddress,
    secret: SecretText.optional().meta({ ...hidden, description: 'signs requests: the key of X-Fanion-Signature' }),
  }),
  slack: z.strictObject({ url: SecretAddress.meta({ ...hidden, description: 'of an incoming webhook' }) }),
  email: z.strictObject({ to: z.array(Email).min(1).max(20) }),
  pagerduty: z.strictObject({
    routing_key: Token.meta({ ...hidden, description: 'the integration key of an Events API v2 integration' }),
    url: Base('https://events.pagerduty.com'),
  }),
  opsgenie: z.strictObject({
    api_key: Token.meta(hidden),
    url: Base('https://api.opsgenie.com').meta({ description: 'in Europe: https://api.eu.opsgenie.com' }),
  }),
  teams: z.strictObject({
    url: SecretAddress.meta({ ...hidden, description: 'of a workflow that posts to a channel' }),
  }),
  discord: z.strictObject({ url: SecretAddress.meta({ ...hidden, description: 'of a webhook' }) }),
  telegram: z.strictObject({
    bot_token: z
      .string()
      .regex(/^[A-Za-z0-9:_-]{1,100}$/, 'letters, digits, : _ -')
      .meta(hidden),
    chat_id: z
      .string()
      .regex(/^(-?\d{1,20}|@\w{3,64})$/, 'a number, or @ and the name of a channel')
      .meta({ examples: ['-1001234567890'] }),
    url: Base('https://api.telegram.org'),
  }),
  ntfy: z.strictObject({
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/, '1 to 64 letters, digits, - or _')
      .meta({ ...hidden, description: 'anybody who knows it can read and send' }),
    token: Token.optional().meta({ ...hidden, description: 'an access token, if the topic is protected' }),
    url: Base('https://ntfy.sh'),
  }),
} as const;

export type ChannelKind = keyof typeof channelConfigs;
export const channelKinds = Object.keys(channelConfigs) as ChannelKind[];
export const ChannelKind = z.enum(channelKinds);
/** A configuration with its defaults and secrets. */
export type ChannelConfig<Kind extends ChannelKind> = z.output<(typeof channelConfigs)[Kind]>;

/** The names of the fields of a kind that are secrets. */
export function secretFieldsOf(kind: ChannelKind): string[] {
  return Object.entries<z.ZodType>(channelConfigs[kind].shape).flatMap(([name, field]) =>
    field.meta()?.writeOnly === true ? [name] : [],
  );
}

const SendResolved = z.boolean().meta({ description: 'whether it is notified when alerts resolve' });
const Fallback = Id.nullable().meta({ description: 'the channel that is used when this one fails' });

const draft = <Kind extends ChannelKind>(kind: Kind) =>
  z.strictObject({
    name: Name,
    kind: z.literal(kind),
    config: channelConfigs[kind],
    send_resolved: SendResolved.default(true),
    fallback: Fallback.default(null),
  });
export const ChannelDraft = z.discriminatedUnion('kind', [
  draft('webhook'),
  draft('slack'),
  draft('email'),
  draft('pagerduty'),
  draft('opsgenie'),
  draft('teams'),
  draft('discord'),
  draft('telegram'),
  draft('ntfy'),
]);

export const ChannelHealth = z.enum(['unknown', 'healthy', 'unhealthy']);
export const Channel = z.object({
  id: Id,
  name: z.string(),
  kind: ChannelKind,
  config: z.record(z.string(), z.unknown()).meta({ description: 'without its secrets' }),
  secrets: z.array(z.string()).meta({ description: 'the names of the secrets that are set' }),
  target: z.string().meta({ description: 'where it sends to, without what is secret', examples: ['hooks.slack.com'] }),
  send_resolved: z.boolean(),
  fallback: Id.nullable(),
  version: Version,
  health: z.object({
    state: ChannelHealth.meta({ description: 'unknown: nothing was sent yet' }),
    error: z.string().nullable().meta({ description: 'of the last delivery, if it failed' }),
    since: Time.nullable(),
  }),
  created_by: Reference.nullable(),
  created_at: Time,
  updated_by: Reference.nullable(),
  updated_at: Time,
});

const errors = ['CHANNEL_INVALID', 'CHANNEL_EXISTS'] as const;

export const listChannels = route({
  id: 'channels.list',
  method: 'GET',
  path,
  summary: 'List channels, newest first',
  auth: 'user',
  permission: 'alerts:read',
  list: true,
  response: Channel,
});
export const createChannel = route({
  id: 'channels.create',
  example: {
    body: {
      name: 'On call',
      kind: 'webhook',
      config: { url: 'https://hooks.example.com/alerts', secret: 'top-secret' },
    },
  },
  method: 'POST',
  path,
  summary: 'Create a channel',
  description: 'Secrets are stored encrypted and are never returned.',
  auth: 'user',
  permission: 'alerts:write',
  body: ChannelDraft,
  response: Channel,
  errors: [...errors, 'LIMIT_REACHED'],
});
export const getChannel = route({
  id: 'channels.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get a channel',
  auth: 'user',
  permission: 'alerts:read',
  response: Channel,
});
export const updateChannel = route({
  id: 'channels.update',
  example: { body: { send_resolved: false } },
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a channel or replace its secrets',
  description: 'Secrets that are left out are kept, unless the address that receives them changes.',
  auth: 'user',
  permission: 'alerts:write',
  body: z.strictObject({
    name: Name.optional(),
    config: z
      .record(z.string().max(100), z.unknown())
      .optional()
      .meta({ description: 'the fields to change, as in a new channel of this kind; null removes one' }),
    send_resolved: SendResolved.optional(),
    fallback: Fallback.optional(),
    version: VersionIfKnown,
  }),
  response: Channel,
  errors: [...errors, 'CHANNEL_SECRETS_REQUIRED', 'STALE_VERSION'],
});
export const removeChannel = route({
  id: 'channels.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a channel that nothing uses',
  auth: 'user',
  permission: 'alerts:write',
  errors: ['CHANNEL_IN_USE'],
});
export const testChannel = route({
  id: 'channels.test',
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Send a test notification through a channel',
  description: 'Sends for real and returns what the receiver answered. A test incident is resolved at once.',
  auth: 'user',
  permission: 'alerts:write',
  response: z.object({
    delivered: z.boolean(),
    status: HttpStatus.optional().meta({ description: 'the HTTP status of the receiver' }),
    answer: z.string().optional().meta({ description: 'what the receiver answered' }),
    error: z.string().optional(),
  }),
  status: 200,
});
