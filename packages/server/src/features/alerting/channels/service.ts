import type { ChannelKind } from '@fanion/contract';
import type { WorkspaceRef } from '../../../http/caller.ts';
import { dateOf } from '../../../platform/clock.ts';
import type { Egress } from '../../../platform/egress/index.ts';
import { type Encryption, EncryptionError } from '../../../platform/encryption.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import { type Database, type Executor, uniqueViolation } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { audit, existing, firstVersion, presentVersion, type Writer, writing } from '../../identity/resources/index.ts';
import {
  changedConfig,
  closesCircle,
  configIssues,
  type Fields,
  missingSecrets,
  type SplitConfig,
  splitConfig,
  targetOf,
} from './config-rules.ts';
import { decryptSecrets, encryptSecrets } from './secrets.ts';
import type { ChannelSender } from './sender.ts';
import {
  type ChannelRow,
  channels,
  deleteChannel,
  findChannels,
  listFallbacks,
  listUsersOfFallback,
  markChannel,
} from './store.ts';
import { testNotification } from './test-notification-rules.ts';

const maxChannels = 500;

export interface ChannelsDependencies extends FeatureDependencies {
  readonly encryption: Encryption;
  readonly egress: Egress;
  readonly sender: ChannelSender;
  readonly config: { readonly baseUrl: string | undefined };
}

export interface ChannelInput {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly config: Fields;
  readonly send_resolved: boolean;
  readonly fallback: string | null;
}
export type ChannelPatch = { readonly [K in Exclude<keyof ChannelInput, 'kind'>]?: ChannelInput[K] | undefined } & {
  readonly version?: number | undefined;
};

/** What a person sees: which secrets are set, never what they are. */
export function present({ encryption }: Pick<ChannelsDependencies, 'encryption'>, row: ChannelRow) {
  const secrets = readSecrets(encryption, row);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    config: row.config,
    secrets: Object.keys(secrets),
    target: targetOf(row.kind, { ...row.config, ...secrets }),
    send_resolved: row.send_resolved,
    fallback: row.fallback,
    health: {
      state: row.health,
      error: row.health_error,
      since: row.health_since?.toISOString() ?? null,
    },
    ...presentVersion(row),
  };
}

/** A channel whose key is lost is still listed: its secrets can be entered again. */
function readSecrets(encryption: Encryption, row: ChannelRow): Fields {
  try {
    return decryptSecrets(encryption, row);
  } catch (error) {
    if (!(error instanceof EncryptionError)) throw error;
    return {};
  }
}

export async function find(db: Executor, { id: workspaceId }: WorkspaceRef, id: string): Promise<ChannelRow> {
  return existing(isId(id) ? await channels.find(db, workspaceId, id) : undefined, 'channel');
}

export async function create(parts: ChannelsDependencies, writer: Writer, input: ChannelInput) {
  const { db, clock, encryption, egress } = parts;
  const { workspace } = writer;
  const { name, kind, send_resolved, fallback } = input;
  const { open, secret } = check(egress, kind, input.config);
  const first = firstVersion(writer, clock);
  const secrets = encryptSecrets(encryption, first.id, secret);
  const row = { ...first, name, kind, config: open, secrets, send_resolved, fallback };
  return named(db, workspace, name, async (trx) => {
    if ((await channels.count(trx, workspace.id)) >= maxChannels)
      throw fail('LIMIT_REACHED', { limit: maxChannels, resource: 'channels' });
    await checkFallback(trx, workspace.id, row.id, fallback);
    await channels.insert(trx, row);
    const after = { name, kind, config: masked(open, secret), send_resolved, fallback };
    await audit(trx, writer, 'channel', row, { action: 'channels.create', name, after }, first.created_at);
    return present(parts, await find(trx, workspace, row.id));
  });
}

/** Throws `STALE_VERSION` where `version` is given and another one is current. */
export async function update(
  parts: ChannelsDependencies,
  writer: Writer,
  id: string,
  { version, ...patch }: ChannelPatch,
) {
  const { db, clock, encryption, egress } = parts;
  const { workspace, caller } = writer;
  const now = dateOf(clock);
  return named(db, workspace, patch.name ?? '', async (trx) => {
    const before = await find(trx, workspace, id);
    refuseStale(version, before.version);
    const old: SplitConfig = { open: before.config, secret: readSecrets(encryption, before) };
    const next = nextConfig(egress, before.kind, old, patch.config);
    const { name = before.name, send_resolved = before.send_resolved, fallback = before.fallback } = patch;
    await checkFallback(trx, workspace.id, id, fallback);
    if (isUnchanged([before.name, before.send_resolved, before.fallback, old], [name, send_resolved, fallback, next]))
      return present(parts, before);
    // Untouched secrets keep their form, also those that cannot be read now.
    const secrets = patch.config === undefined ? before.secrets : encryptSecrets(encryption, id, next.secret);
    const values = { name, config: next.open, secrets, send_resolved, fallback };
    await channels.update(trx, id, values, { by: caller.user.id, now });
    const states = {
      before: {
        name: before.name,
        config: masked(old.open, old.secret),
        send_resolved: before.send_resolved,
        fallback: before.fallback,
      },
      after: {
        name,
        config: masked(next.open, next.secret),
        replaced: Object.keys(next.secret).filter((field) => next.secret[field] !== old.secret[field]),
        send_resolved,
        fallback,
      },
    };
    await audit(trx, writer, 'channel', before, { action: 'channels.update', name, ...states }, now);
    return present(parts, await find(trx, workspace, id));
  });
}

/** Throws `CHANNEL_IN_USE`. */
export async function remove(
  { db, clock }: Pick<ChannelsDependencies, 'db' | 'clock'>,
  writer: Pick<Writer, 'workspace' | 'origin'>,
  id: string,
): Promise<undefined> {
  const inUse = (name: string, users: string) => fail('CHANNEL_IN_USE', { name, users });
  return db.transaction().execute(async (trx) => {
    const row = await find(trx, writer.workspace, id);
    const { name, kind, config, send_resolved, fallback } = row;
    const users = await listUsersOfFallback(trx, id);
    if (users.length > 0) throw inUse(name, `${users.join(', ')} as a fallback`);
    const before = { name, kind, config, send_resolved, fallback };
    await audit(trx, writer, 'channel', row, { action: 'channels.remove', name, before }, dateOf(clock));
    const user = await deleteChannel(trx, id);
    if (user === undefined) return undefined;
    throw inUse(name, user === 'channels_fallback' ? 'another channel as a fallback' : 'a routing policy');
  });
}

/** Sends a test notification, and stores what that says about the channel's health. */
export async function sendTest(
  { db, clock, sender, config }: ChannelsDependencies,
  { signal, ...writer }: Pick<Writer, 'workspace' | 'origin'> & { readonly signal: AbortSignal },
  id: string,
  base: string,
) {
  const { workspace } = writer;
  const channel = await find(db, workspace, id);
  const key = newId(clock.now());
  const attempt = await send('firing');
  const last = attempt.kind === 'delivered' && keepsIncidents(channel.kind) ? await send('resolved') : attempt;
  const now = dateOf(clock);
  const delivered = last.kind === 'delivered';
  await db.transaction().execute(async (trx) => {
    const health =
      last.kind === 'delivered' ? { state: 'healthy' as const } : { state: 'unhealthy' as const, error: last.error };
    await markChannel(trx, id, health, now);
    const entry = { action: 'channels.test', name: channel.name, after: { delivered } };
    await audit(trx, writer, 'channel', channel, entry, now);
  });
  return {
    delivered,
    ...(last.status !== null && { status: last.status }),
    ...(last.answer !== undefined && { answer: last.answer }),
    ...(last.kind !== 'delivered' && { error: last.error }),
  };

  function send(status: 'firing' | 'resolved') {
    const url = `${config.baseUrl ?? base}/w/${workspace.slug}`;
    const notification = testNotification({ status, channel: channel.name, key, url, now: dateOf(clock) });
    return sender.send(channel, sender.render(channel, notification), `${key}-${status}`, signal);
  }
}

function check(egress: Egress, kind: ChannelKind, fields: Fields): SplitConfig {
  const issues = configIssues(kind, fields);
  const refused = issues.length === 0 && fields.url !== undefined ? egress.refusal(String(fields.url)) : undefined;
  if (refused !== undefined) issues.push({ path: 'config.url', message: refused });
  const [issue] = issues;
  if (issue !== undefined)
    throw fail('CHANNEL_INVALID', { reason: `${issue.path}: ${issue.message}` }, { details: issues });
  return splitConfig(kind, fields);
}

async function checkFallback(trx: Executor, workspaceId: string, id: string, fallback: string | null): Promise<void> {
  if (fallback === null) return;
  const refuse = (message: string) =>
    fail('CHANNEL_INVALID', { reason: `fallback: ${message}` }, { details: [{ path: 'fallback', message }] });
  if (fallback === id) throw refuse('a channel cannot be its own fallback');
  const [found] = await findChannels(trx, workspaceId, [fallback]);
  if (found === undefined) throw refuse('no channel has this id');
  const others = new Map([...(await listFallbacks(trx, workspaceId))].filter(([of]) => of !== id));
  if (closesCircle(id, fallback, others)) throw refuse('the fallbacks form a circle');
}

/** Writes of channels of one workspace wait for each other, so that no two close a circle together. */
async function named<T>(
  db: Database,
  workspace: WorkspaceRef,
  name: string,
  write: (trx: Executor) => Promise<T>,
): Promise<T> {
  try {
    return await writing(db, workspace, write);
  } catch (error) {
    if (uniqueViolation(error) === 'channels_name') throw fail('CHANNEL_EXISTS', { name });
    throw error;
  }
}

function nextConfig(egress: Egress, kind: ChannelKind, before: SplitConfig, change: Fields | undefined): SplitConfig {
  if (change === undefined) return before;
  const missing = missingSecrets(before, change);
  if (missing.length > 0) {
    const details = missing.map((name) => ({ path: `config.${name}`, message: 'give it again' }));
    throw fail('CHANNEL_SECRETS_REQUIRED', { secrets: missing.join(', ') }, { details });
  }
  return check(egress, kind, changedConfig({ ...before.open, ...before.secret }, change));
}

/** Receivers that would keep an incident of a test open. */
function keepsIncidents(kind: ChannelKind): boolean {
  return kind === 'pagerduty' || kind === 'opsgenie';
}

/** A configuration for the audit log: it shows which secrets are set, and nothing of them. */
function masked(open: Fields, secret: Fields): Fields {
  return { ...open, ...Object.fromEntries(Object.keys(secret).map((name) => [name, '[secret]'])) };
}
