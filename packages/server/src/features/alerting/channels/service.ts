import type { ChannelKind } from '@fanion/contract';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import type { Egress } from '../../../platform/egress/index.ts';
import { type Encryption, EncryptionError } from '../../../platform/encryption.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import { type Executor, uniqueViolation } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
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
import * as store from './store.ts';
import { testNotification } from './test-notification-rules.ts';

const maxChannels = 500;

export interface ChannelsDependencies extends FeatureDependencies {
  readonly encryption: Encryption;
  readonly egress: Egress;
  readonly sender: ChannelSender;
  readonly config: { readonly baseUrl: string | undefined };
}

interface ChannelInput {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly config: Fields;
  readonly send_resolved: boolean;
  readonly fallback: string | null;
}
type ChannelPatch = { readonly [K in Exclude<keyof ChannelInput, 'kind'>]?: ChannelInput[K] | undefined } & {
  readonly version?: number | undefined;
};

export function createChannelService({ db, clock, encryption, egress, sender, config }: ChannelsDependencies) {
  /** What a person sees: which secrets are set, never what they are. */
  function present(row: store.ChannelRow) {
    const secrets = readSecrets(row);
    return {
      id: row.id,
      name: row.name,
      kind: row.kind,
      config: row.config,
      secrets: Object.keys(secrets),
      target: targetOf(row.kind, { ...row.config, ...secrets }),
      send_resolved: row.send_resolved,
      fallback: row.fallback,
      version: row.version,
      health: {
        state: row.health,
        error: row.health_error,
        since: row.health_since?.toISOString() ?? null,
      },
      created_by: row.created_by === null ? null : { id: row.created_by, name: row.created_by_name ?? '' },
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    };
  }

  /** A channel whose key is lost is still listed: its secrets can be entered again. */
  function readSecrets(row: store.ChannelRow): Fields {
    try {
      return decryptSecrets(encryption, row);
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      return {};
    }
  }

  function check(kind: ChannelKind, fields: Fields): SplitConfig {
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
    const [found] = await store.findChannels(trx, workspaceId, [fallback]);
    if (found === undefined) throw refuse('no channel has this id');
    const others = new Map([...(await store.listFallbacks(trx, workspaceId))].filter(([of]) => of !== id));
    if (closesCircle(id, fallback, others)) throw refuse('the fallbacks form a circle');
  }

  /** Writes of channels of one workspace wait for each other, so that no two close a circle together. */
  async function writing<T>(workspace: WorkspaceRef, name: string, write: (trx: Executor) => Promise<T>): Promise<T> {
    try {
      return await db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        return write(trx);
      });
    } catch (error) {
      if (uniqueViolation(error) === 'channels_name') throw fail('CHANNEL_EXISTS', { name });
      throw error;
    }
  }

  async function found(executor: Executor, workspace: WorkspaceRef, id: string): Promise<store.ChannelRow> {
    const row = isId(id) ? await store.findChannel(executor, workspace.id, id) : undefined;
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'channel' });
    return row;
  }

  return {
    /** One row more than `limit` where there are more. */
    async list(workspace: WorkspaceRef, { after, limit }: { after: string | undefined; limit: number }) {
      return (await store.listChannels(db, workspace.id, { after, limit: limit + 1 })).map(present);
    },

    async create(workspace: WorkspaceRef, caller: UserCaller, input: ChannelInput, origin: Origin) {
      const { name, kind, send_resolved, fallback } = input;
      const { open, secret } = check(kind, input.config);
      const now = dateOf(clock);
      const id = newId(now.getTime());
      return writing(workspace, name, async (trx) => {
        if ((await store.countChannels(trx, workspace.id)) >= maxChannels)
          throw fail('LIMIT_REACHED', { limit: maxChannels, resource: 'channels' });
        await checkFallback(trx, workspace.id, id, fallback);
        await store.insertChannel(trx, {
          id,
          workspace_id: workspace.id,
          name,
          kind,
          config: open,
          secrets: encryptSecrets(encryption, id, secret),
          send_resolved,
          fallback,
          created_by: caller.user.id,
          created_at: now,
        });
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'channels.create',
            resource: { type: 'channel', id, name },
            after: { name, kind, config: masked(open, secret), send_resolved, fallback },
          },
          now,
        );
        return present(await found(trx, workspace, id));
      });
    },

    async get(workspace: WorkspaceRef, id: string) {
      return present(await found(db, workspace, id));
    },

    /** Throws `STALE_VERSION` where `version` is given and another one is current. */
    async update(workspace: WorkspaceRef, id: string, { version, ...patch }: ChannelPatch, origin: Origin) {
      const now = dateOf(clock);
      return writing(workspace, patch.name ?? '', async (trx) => {
        const before = await found(trx, workspace, id);
        refuseStale(version, before.version);
        const old: SplitConfig = { open: before.config, secret: readSecrets(before) };
        const next = nextConfig(before.kind, old, patch.config);
        const { name = before.name, send_resolved = before.send_resolved, fallback = before.fallback } = patch;
        await checkFallback(trx, workspace.id, id, fallback);
        const { name: oldName, send_resolved: oldSends, fallback: oldFallback } = before;
        if (isUnchanged([oldName, oldSends, oldFallback, old], [name, send_resolved, fallback, next]))
          return present(before);
        const values = {
          name,
          config: next.open,
          // Untouched secrets keep their form, also those that cannot be read now.
          secrets: patch.config === undefined ? before.secrets : encryptSecrets(encryption, id, next.secret),
          send_resolved,
          fallback,
        };
        await store.updateChannel(trx, id, values, now);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'channels.update',
            resource: { type: 'channel', id, name },
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
          },
          now,
        );
        return present(await found(trx, workspace, id));
      });
    },

    /** Throws `CHANNEL_IN_USE`. */
    async remove(workspace: WorkspaceRef, id: string, origin: Origin): Promise<void> {
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const { name, kind, config: open, send_resolved, fallback } = await found(trx, workspace, id);
        const users = await store.listUsersOfFallback(trx, id);
        if (users.length > 0) throw fail('CHANNEL_IN_USE', { name, users: `${users.join(', ')} as a fallback` });
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'channels.remove',
            resource: { type: 'channel', id, name },
            before: { name, kind, config: open, send_resolved, fallback },
          },
          now,
        );
        const user = await store.deleteChannel(trx, id);
        if (user !== undefined)
          throw fail('CHANNEL_IN_USE', {
            name,
            users: user === 'channels_fallback' ? 'another channel as a fallback' : 'a routing policy',
          });
      });
    },

    /** Sends a test notification, and stores what that says about the channel's health. */
    async test(workspace: WorkspaceRef, id: string, base: string, origin: Origin, signal: AbortSignal) {
      const channel = await found(db, workspace, id);
      const key = newId(clock.now());
      const attempt = await sendTest(channel, 'firing');
      const last =
        attempt.kind === 'delivered' && keepsIncidents(channel.kind) ? await sendTest(channel, 'resolved') : attempt;
      const now = dateOf(clock);
      const delivered = last.kind === 'delivered';
      await db.transaction().execute(async (trx) => {
        const health =
          last.kind === 'delivered'
            ? { state: 'healthy' as const }
            : { state: 'unhealthy' as const, error: last.error };
        await store.markChannel(trx, id, health, now);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'channels.test',
            resource: { type: 'channel', id, name: channel.name },
            after: { delivered },
          },
          now,
        );
      });
      return {
        delivered,
        ...(last.status !== null && { status: last.status }),
        ...(last.answer !== undefined && { answer: last.answer }),
        ...(last.kind !== 'delivered' && { error: last.error }),
      };

      function sendTest(to: store.ChannelRow, status: 'firing' | 'resolved') {
        const url = `${config.baseUrl ?? base}/w/${workspace.slug}`;
        const notification = testNotification({ status, channel: to.name, key, url, now: dateOf(clock) });
        return sender.send(to, sender.render(to, notification), `${key}-${status}`, signal);
      }
    },
  };

  function nextConfig(kind: ChannelKind, before: SplitConfig, change: Fields | undefined): SplitConfig {
    if (change === undefined) return before;
    const missing = missingSecrets(before, change);
    if (missing.length > 0) {
      const details = missing.map((name) => ({ path: `config.${name}`, message: 'give it again' }));
      throw fail('CHANNEL_SECRETS_REQUIRED', { secrets: missing.join(', ') }, { details });
    }
    return check(kind, changedConfig({ ...before.open, ...before.secret }, change));
  }
}

/** Receivers that would keep an incident of a test open. */
function keepsIncidents(kind: ChannelKind): boolean {
  return kind === 'pagerduty' || kind === 'opsgenie';
}

/** A configuration for the audit log: it shows which secrets are set, and nothing of them. */
function masked(open: Fields, secret: Fields): Fields {
  return { ...open, ...Object.fromEntries(Object.keys(secret).map((name) => [name, '[secret]'])) };
}
