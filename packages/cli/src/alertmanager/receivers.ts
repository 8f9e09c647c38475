import type { ChannelKind } from '@fanion/contract';
import { type Fields, fieldsOf, isFields, listOf, yamlTextOf } from '../files/fields.ts';
import { variableOf } from '../files/kinds/channels.ts';
import { NoEqual, type Report } from '../files/report.ts';

/** A channel in the form of a file, with the secrets that the configuration contains, by variable. */
export interface ConvertedChannel {
  readonly content: {
    readonly name: string;
    readonly kind: ChannelKind;
    readonly config: Fields;
    readonly secrets: Readonly<Record<string, string>>;
    readonly send_resolved: boolean;
  };
  readonly values: Readonly<Record<string, string>>;
}

interface Converted {
  readonly kind: ChannelKind;
  readonly config?: Fields;
  /** Undefined: it is in a file, or was masked. */
  readonly secrets?: Readonly<Record<string, string | undefined>>;
}

interface Integration {
  /** What Alertmanager does without the field. */
  readonly sendResolved: boolean;
  /** Fields that are read; the others are reported. */
  readonly known: readonly string[];
  convert(fields: Fields, global: Fields, note: (what: string) => void): Converted;
}

/** A secret that is given, or that its file holds. */
function secretOf(fields: Fields, name: string, global?: unknown): string | undefined {
  if (yamlTextOf(fields[`${name}_file`]) !== undefined) return undefined;
  const text = yamlTextOf(fields[name]) ?? yamlTextOf(global);
  // As Alertmanager shows a configuration.
  return text === '<secret>' ? undefined : text;
}

function required(value: string | undefined, fields: Fields, name: string): string | undefined {
  if (value === undefined && yamlTextOf(fields[name]) === undefined && yamlTextOf(fields[`${name}_file`]) === undefined)
    throw new NoEqual(`it has no ${name}`);
  return value;
}

/** The base address of an API, without the path that Alertmanager's field contains. */
function baseOf(url: string | undefined, path: RegExp): Fields {
  return url === undefined ? {} : { url: url.replace(path, '') };
}

const byWebhook = (kind: ChannelKind, field: string): Integration => ({
  sendResolved: true,
  known: [field, `${field}_file`],
  convert: (fields) => ({ kind, secrets: { url: required(secretOf(fields, field), fields, field) } }),
});

const integrations: Readonly<Record<string, Integration>> = {
  webhook_configs: {
    sendResolved: true,
    known: ['url', 'url_file'],
    convert: (fields) => ({ kind: 'webhook', secrets: { url: required(secretOf(fields, 'url'), fields, 'url') } }),
  },
  slack_configs: {
    sendResolved: false,
    known: ['api_url', 'api_url_file'],
    convert(fields, global) {
      const text = yamlTextOf(fields.api_url) ?? yamlTextOf(global.slack_api_url);
      const hasFile = yamlTextOf(fields.api_url_file) ?? yamlTextOf(global.slack_api_url_file);
      if (text === undefined && hasFile === undefined)
        throw new NoEqual('it uses an app token, not an incoming webhook');
      if (text?.includes('/api/chat.postMessage')) throw new NoEqual('it uses an app token, not an incoming webhook');
      return { kind: 'slack', secrets: { url: secretOf(fields, 'api_url', global.slack_api_url) } };
    },
  },
  email_configs: {
    sendResolved: false,
    known: ['to'],
    convert(fields, _, note) {
      const to = (yamlTextOf(fields.to) ?? '').split(',').map((address) => address.trim());
      if (to.some((address) => !/^[^\s@<>]+@[^\s@<>]+$/.test(address)))
        throw new NoEqual('`to` must be plain addresses such as ops@example.com');
      note('mails leave through the server of FANION_SMTP_URL');
      return { kind: 'email', config: { to } };
    },
  },
  pagerduty_configs: {
    sendResolved: true,
    known: ['routing_key', 'routing_key_file', 'service_key', 'service_key_file', 'url'],
    convert(fields, global, note) {
      const url = yamlTextOf(fields.url) ?? yamlTextOf(global.pagerduty_url);
      const isOld = yamlTextOf(fields.service_key) ?? yamlTextOf(fields.service_key_file);
      if (isOld !== undefined)
        note('service_key belongs to the Events API v1: create an integration of the Events API v2 and use its key');
      else required(secretOf(fields, 'routing_key'), fields, 'routing_key');
      return {
        kind: 'pagerduty',
        config: baseOf(url, /\/v2\/enqueue\/?$/),
        secrets: { routing_key: isOld === undefined ? secretOf(fields, 'routing_key') : undefined },
      };
    },
  },
  opsgenie_configs: {
    sendResolved: true,
    known: ['api_key', 'api_key_file', 'api_url'],
    convert(fields, global) {
      const url = yamlTextOf(fields.api_url) ?? yamlTextOf(global.opsgenie_api_url);
      return {
        kind: 'opsgenie',
        config: baseOf(url, /\/+$/),
        secrets: { api_key: secretOf(fields, 'api_key', global.opsgenie_api_key) },
      };
    },
  },
  msteams_configs: {
    ...byWebhook('teams', 'webhook_url'),
    convert(fields, global, note) {
      note('Microsoft retires connectors: make a workflow, and use its address');
      return byWebhook('teams', 'webhook_url').convert(fields, global, note);
    },
  },
  msteamsv2_configs: byWebhook('teams', 'webhook_url'),
  discord_configs: byWebhook('discord', 'webhook_url'),
  telegram_configs: {
    sendResolved: true,
    known: ['bot_token', 'bot_token_file', 'chat_id', 'api_url'],
    convert(fields, global) {
      const chat = yamlTextOf(fields.chat_id);
      if (chat === undefined) throw new NoEqual('it has no chat_id');
      return {
        kind: 'telegram',
        config: { chat_id: chat, ...baseOf(yamlTextOf(fields.api_url) ?? yamlTextOf(global.telegram_api_url), /\/+$/) },
        secrets: { bot_token: secretOf(fields, 'bot_token', global.telegram_bot_token) },
      };
    },
  },
};

/** The channels of each receiver, by its name; a receiver without any notifies nobody. */
export function channelsOf(
  receivers: readonly Fields[],
  global: Fields,
  report: Report,
): { readonly byReceiver: ReadonlyMap<string, readonly string[]>; readonly channels: readonly ConvertedChannel[] } {
  const channels: ConvertedChannel[] = [];
  const byReceiver = new Map<string, readonly string[]>();
  const taken = new Set<string>();
  for (const receiver of receivers) {
    const name = yamlTextOf(receiver.name) ?? '';
    const configs = Object.entries(receiver).flatMap(([kind, list]) =>
      kind === 'name' ? [] : listOf(list).map((config) => ({ kind, config: fieldsOf(config) })),
    );
    const names: string[] = [];
    for (const { kind, config } of configs) {
      const where = `receiver ${name}, ${kind}`;
      const one = report.attempt(where, 'it is left out', () => convert(kind, config, global, where, report));
      if (one === undefined) continue;
      const channel = unique(configs.length === 1 ? name : `${name} ${one.kind}`, taken);
      channels.push(channelOf(channel, config, one, integrations[kind]?.sendResolved ?? true, report));
      names.push(channel);
    }
    if (names.length === 0 && configs.length > 0)
      report.lost(`receiver ${name}`, 'none of its integrations is left, so its routes notify nobody');
    byReceiver.set(name, names);
  }
  return { byReceiver, channels };
}

function convert(kind: string, fields: Fields, global: Fields, where: string, report: Report): Converted {
  const integration = Object.hasOwn(integrations, kind) ? integrations[kind] : undefined;
  if (integration === undefined) throw new NoEqual('Fanion has no channel of this kind');
  const converted = integration.convert(fields, global, (what) => report.changed(where, what));
  for (const value of Object.values(converted.secrets ?? {}))
    if (value !== undefined && URL.canParse(value) && new URL(value).username !== '')
      throw new NoEqual('its address contains a user name and password');
  const known = new Set(['send_resolved', 'http_config', ...integration.known]);
  const lost = Object.keys(fields).filter((name) => !known.has(name));
  if (lost.length > 0) report.lost(where, `${lost.join(', ')}: messages have a form of their own`);
  const http = isFields(fields.http_config) ? fields.http_config : fieldsOf(global.http_config);
  const settings = Object.keys(http).filter((name) => name !== 'follow_redirects' && name !== 'enable_http2');
  if (settings.length > 0 && converted.kind !== 'email')
    report.lost(where, `http_config (${settings.join(', ')}): requests have no credentials or proxies of their own`);
  return converted;
}

function channelOf(
  name: string,
  fields: Fields,
  { kind, config = {}, secrets = {} }: Converted,
  sendResolved: boolean,
  report: Report,
): ConvertedChannel {
  const variables: Record<string, string> = {};
  const values: Record<string, string> = {};
  for (const [field, value] of Object.entries(secrets)) {
    const variable = variableOf(name, field);
    variables[field] = variable;
    if (value !== undefined) values[variable] = value;
    else report.changed(`channel ${name}`, `its ${field} is not in the configuration: set ${variable}`);
  }
  const send_resolved = typeof fields.send_resolved === 'boolean' ? fields.send_resolved : sendResolved;
  return { content: { name, kind, config, secrets: variables, send_resolved }, values };
}

function unique(wanted: string, taken: Set<string>): string {
  const base = wanted.slice(0, 190) || 'unnamed';
  let name = base;
  for (let i = 2; taken.has(name); i++) name = `${base} ${i}`;
  taken.add(name);
  return name;
}
