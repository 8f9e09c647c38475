import {
  ChannelDraft,
  ChannelKind,
  channelConfigs,
  createChannel,
  type ChannelKind as Kind,
  listChannels,
  Name,
  removeChannel,
  secretFieldsOf,
  updateChannel,
} from '@fanion/contract';
import { z } from 'zod';
import { type Context, changedMeanwhile, defineKind, type Existing, NotDone, type Problem } from '../kind.ts';
import { listAll } from '../list-all.ts';

/** `ON_CALL_URL` */
const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable');

/**
 * A channel in a file: its configuration without secrets, and for each secret the environment variable that holds it. So
 * files can be kept where everybody reads them.
 */
export const ChannelDocument = z
  .strictObject({
    name: Name,
    kind: ChannelKind,
    config: z.record(z.string(), z.unknown()).default({}),
    secrets: z.record(z.string(), VariableName).default({}),
    send_resolved: z.boolean().default(true),
    fallback: Name.nullable().default(null),
  })
  .superRefine(({ kind, config, secrets }, ctx) => {
    const names = secretFieldsOf(kind);
    for (const name of Object.keys(config)) {
      if (!names.includes(name)) continue;
      const message = `is a secret: name the environment variable that holds it, as in secrets: { ${name}: ON_CALL_${name.toUpperCase()} }`;
      ctx.addIssue({ code: 'custom', path: ['config', name], message });
    }
    for (const name of Object.keys(secrets)) {
      if (names.includes(name)) continue;
      const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
      ctx.addIssue({ code: 'custom', path: ['secrets', name], message: `is not a secret of ${kind}: ${known}` });
    }
    for (const { path, message } of openIssues(kind, config))
      ctx.addIssue({ code: 'custom', path: ['config', ...path], message });
  });
export type ChannelDocument = z.output<typeof ChannelDocument>;

/** The configuration of a kind without its secrets. */
function openConfig(kind: Kind): z.ZodObject {
  const shape: Record<string, z.ZodType> = channelConfigs[kind].shape;
  const secret = new Set(secretFieldsOf(kind));
  return z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => !secret.has(name))));
}

function openIssues(kind: Kind, config: Readonly<Record<string, unknown>>) {
  const secret = new Set(secretFieldsOf(kind));
  const open = Object.fromEntries(Object.entries(config).filter(([name]) => !secret.has(name)));
  return openConfig(kind).safeParse(open).error?.issues ?? [];
}

export const channels = defineKind<ChannelDocument>({
  folder: 'channels',
  noun: 'channel',
  schema: ChannelDocument.transform((document) => ({
    ...document,
    config: openConfig(document.kind).parse(document.config),
  })),
  list: readChannels,
  // The server does not know where a secret is from. One that it needs stays if the file does not name it.
  comparedOf: ({ secrets, ...document }) => ({
    ...document,
    secrets: Object.keys(secrets)
      .filter((name) => isOptional(document.kind, name))
      .sort(),
  }),

  fileOf: ({ name, kind, config, secrets, send_resolved, fallback }) => ({
    name,
    kind,
    ...(Object.keys(config).length > 0 && { config }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
    ...(!send_resolved && { send_resolved }),
    ...(fallback !== null && { fallback }),
  }),

  check(document, existing, context) {
    const problems: Problem[] = [];
    if (existing !== undefined && existing.document.kind !== document.kind)
      problems.push({
        path: ['kind'],
        message: `is ${existing.document.kind} on the server, and cannot change: give the channel another name`,
      });
    const { kind, secrets } = document;
    const set = existing === undefined ? new Set<string>() : new Set(Object.keys(existing.document.secrets));
    for (const name of secretFieldsOf(kind)) {
      if (set.has(name)) continue;
      const variable = secrets[name];
      if (variable === undefined && isOptional(kind, name)) continue;
      if (variable === undefined)
        problems.push({ path: [], message: `secrets.${name} is missing: name the environment variable that holds it` });
      else if (!context.env[variable])
        problems.push({
          path: ['secrets', name],
          message: `the channel needs it: set ${variable} and run the command again`,
        });
    }
    if (problems.length === 0) {
      const { error } = ChannelDraft.safeParse(draftOf(document, context, null));
      for (const { path, message } of error?.issues ?? []) {
        const name = String(path[1] ?? '');
        const variable = secrets[name];
        if (existing === undefined && variable !== undefined)
          problems.push({ path: ['secrets', name], message: `the value of ${variable} is not valid: ${message}` });
      }
    }
    if (document.fallback !== null && !context.channels.has(document.fallback))
      problems.push({ path: ['fallback'], message: `no channel is called ${document.fallback}` });
    return problems;
  },

  checkAll: circles,

  also({ secrets }, _, { updateSecrets, env }) {
    if (!updateSecrets) return [];
    return Object.entries(secrets).flatMap(([name, variable]) => (env[variable] ? [`${name}: from ${variable}`] : []));
  },

  sort: fallbacksFirst,

  async create(document, context) {
    const { connection, channels: names } = context;
    const body = ChannelDraft.parse(draftOf(document, context, fallbackId(document, context)));
    const { data } = await connection.client.call(createChannel, { params: { ws: connection.scope.ws }, body });
    names.created(document.name, data.id);
  },

  async update({ id, version, document: before }, document, context) {
    const { client, scope } = context.connection;
    const removed = Object.keys(before.secrets).filter(
      (name) => document.secrets[name] === undefined && isOptional(document.kind, name),
    );
    const gone = Object.keys(before.config).filter((name) => !(name in document.config));
    const isMoved = before.config.url !== document.config.url;
    const missing = Object.keys(document.secrets).filter((name) => before.secrets[name] === undefined);
    const sent = context.updateSecrets || isMoved ? Object.keys(document.secrets) : missing;
    const body = {
      config: {
        ...document.config,
        ...Object.fromEntries([...gone, ...removed].map((name) => [name, null])),
        ...Object.fromEntries(Object.entries(secretsOf(document, context)).filter(([name]) => sent.includes(name))),
      },
      send_resolved: document.send_resolved,
      fallback: fallbackId(document, context),
      version,
    };
    await client.call(updateChannel, { params: { ws: scope.ws, id }, body });
  },

  async remove({ id }, { connection: { client, scope } }) {
    await client.call(removeChannel, { params: { ws: scope.ws, id } });
  },

  async versionOf({ id }, context) {
    const found = (await readChannels(context)).find((channel) => channel.id === id);
    if (found === undefined) throw changedMeanwhile();
    return found.version;
  },
});

async function readChannels({ connection: { client, scope }, channels: names }: Context) {
  const all = await listAll((query) => client.call(listChannels, { params: { ws: scope.ws }, query }));
  return all.map((channel): Existing<ChannelDocument> => {
    const { id, version, name, kind, config, secrets, send_resolved } = channel;
    const variables = [...secrets].sort().map((field): [string, string] => [field, variableOf(name, field)]);
    const fallback = channel.fallback === null ? null : names.nameOf(channel.fallback);
    const document = { name, kind, config, secrets: Object.fromEntries(variables), send_resolved, fallback };
    return { id, version, document };
  });
}

/** The variable that an export names for a secret: `ON_CALL_URL`. */
export function variableOf(channel: string, field: string): string {
  const name = `${channel}_${field}`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+/, '');
  return /^[A-Z]/.test(name) ? name.slice(0, 128) : `CHANNEL_${name}`.slice(0, 128);
}

function isOptional(kind: Kind, field: string): boolean {
  const shape: Record<string, z.ZodType> = channelConfigs[kind].shape;
  return shape[field]?.safeParse(undefined).success === true;
}

function draftOf(document: ChannelDocument, context: Context, fallback: string | null): object {
  const { name, kind, send_resolved } = document;
  return { name, kind, config: { ...document.config, ...secretsOf(document, context) }, send_resolved, fallback };
}

/** The secrets whose variables are set. */
function secretsOf({ secrets }: ChannelDocument, { env }: Context): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, variable]): [string, string][] => {
      const value = env[variable];
      return value ? [[name, value]] : [];
    }),
  );
}

function fallbackId({ fallback }: ChannelDocument, { channels: names }: Context): string | null {
  if (fallback === null) return null;
  const id = names.idOf(fallback);
  if (id === undefined) throw new NotDone(`no channel is called ${fallback}`);
  return id;
}

/** Fallbacks before the channels that name them; the server refuses circles. */
function fallbacksFirst(documents: ChannelDocument[]): ChannelDocument[] {
  const byName = new Map(documents.map((document) => [document.name, document]));
  const sorted = new Set<ChannelDocument>();
  const entered = new Set<ChannelDocument>();
  const visit = (document: ChannelDocument) => {
    if (entered.has(document)) return;
    entered.add(document);
    const fallback = document.fallback === null ? undefined : byName.get(document.fallback);
    if (fallback !== undefined) visit(fallback);
    sorted.add(document);
  };
  documents.forEach(visit);
  return [...sorted];
}

/** Channels whose fallbacks lead back to themselves. */
function circles(documents: readonly ChannelDocument[]) {
  const byName = new Map(documents.map((document) => [document.name, document]));
  return documents.flatMap((document) => {
    const seen = new Set<string>();
    let at = document.fallback;
    while (at !== null && at !== document.name && !seen.has(at)) {
      seen.add(at);
      at = byName.get(at)?.fallback ?? null;
    }
    if (at !== document.name) return [];
    return [{ of: document, path: ['fallback'], message: 'the fallbacks form a circle' }];
  });
}
