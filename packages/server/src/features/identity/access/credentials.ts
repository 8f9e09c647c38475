import { isPermission } from '@fanion/contract';
import type {
  Anonymous,
  Caller,
  Credentials,
  Outage,
  SdkCaller,
  SessionCaller,
  TokenCaller,
} from '../../../http/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { patiently } from '../../../platform/patience.ts';
import { type Database, isConnectionError } from '../../../platform/postgres/database.ts';
import { hashSecret, isWellFormedSecret, type SecretPrefix } from '../../../platform/secrets.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import type { AccessChange } from './changes.ts';
import type { KnownKeys } from './known-keys.ts';
import type { Facts, Memory } from './remembered.ts';
import * as store from './store.ts';

/** A session ends after a week without use, and after 30 days in any case. */
export const sessionIdleMs = 7 * 86_400_000;
export const sessionAbsoluteMs = 30 * 86_400_000;
const touchEveryMs = 60_000;
/** How long an unknown secret is not looked up again, and a known SDK key not checked again. */
const secretCacheMs = 2_000;
const maxKept = 10_000;
/** How long a request waits until its use is noted. */
const touchPatienceMs = 1_000;

const anonymous: Anonymous = { kind: 'anonymous' };

export interface CredentialsDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly memory: Memory;
  /** SDK keys that are valid while the control plane is down. */
  readonly knownKeys: KnownKeys | undefined;
}

/** Finds the caller of a credential: sessions by cookie, API tokens and SDK keys by secret. */
export function createCredentials({ db, clock, memory, knownKeys }: CredentialsDependencies) {
  const tokens = memory.facts<store.ApiTokenRow>(maxKept);
  const keys = memory.facts<store.SdkKeyRow>(maxKept);
  const sessions = memory.facts<store.SessionRow>(maxKept);
  const unknown = new TtlCache<string, true>({ clock, ttlMs: secretCacheMs, max: maxKept });
  /** SDK keys by their text, so that a known one costs only a look-up in memory. */
  const callers = new TtlCache<string, SdkCaller>({ clock, ttlMs: secretCacheMs, max: maxKept });

  async function find<Row extends { id: string; last_used_at: Date | null }>(
    secret: string,
    kind: SecretPrefix,
    known: Facts<Row>,
    load: (hash: Buffer) => Promise<Row | undefined>,
    outage?: Outage,
  ): Promise<Row> {
    if (!isWellFormedSecret(secret, kind))
      throw fail('UNAUTHENTICATED', { reason: 'the secret is mistyped or incomplete' });
    const revoked = () => fail('UNAUTHENTICATED', { reason: 'the secret is unknown or revoked' });
    if (unknown.get(secret)) throw revoked();
    const began = memory.moment();
    const ask = async () => {
      const row = await load(hashSecret(secret));
      if (row === undefined && began === memory.moment()) unknown.set(secret, true);
      return row;
    };
    const row = await known.find(secret, ask, outage).catch((error: unknown) => {
      // While the control plane is down, a secret that was valid stays valid.
      const before = known.getStale(secret);
      if (before === undefined) throw error;
      return before;
    });
    if (row === undefined) throw revoked();
    await touch(kind === 'svc_pat_' ? 'api_tokens' : 'sdk_keys', row);
    return row;
  }

  async function loadKey(hash: Buffer): Promise<store.SdkKeyRow | undefined> {
    try {
      const row = await store.findSdkKey(db, hash);
      if (row === undefined) knownKeys?.forget(hash);
      else knownKeys?.keep(hash, row);
      return row;
    } catch (error) {
      const known = isConnectionError(error) ? knownKeys?.find(hash) : undefined;
      if (known === undefined) throw error;
      return known;
    }
  }

  async function touch(
    table: 'api_tokens' | 'sdk_keys',
    row: { id: string; last_used_at: Date | null },
  ): Promise<void> {
    const now = clock.now();
    if (row.last_used_at !== null && now - row.last_used_at.getTime() <= touchEveryMs) return;
    row.last_used_at = new Date(now);
    await noted(store.touchTokens(db, table, [row.id], row.last_used_at));
  }

  /** Notes a use; while the control plane is away, what was valid stays valid. */
  function noted(touched: Promise<void>): Promise<void> {
    const tried = touched.catch((error: unknown) => {
      if (!isConnectionError(error)) throw error;
    });
    return patiently(tried, touchPatienceMs, () => {});
  }

  /** A token that has not expired. */
  async function apiToken(secret: string, outage?: Outage): Promise<store.ApiTokenRow> {
    const row = await find(secret, 'svc_pat_', tokens, (hash) => store.findApiToken(db, hash), outage);
    if (row.expires_at !== null && row.expires_at.getTime() <= clock.now())
      throw fail('UNAUTHENTICATED', { reason: 'the token has expired' });
    return row;
  }

  async function session(cookie: string, outage?: Outage): Promise<SessionCaller> {
    const idHash = hashSecret(cookie);
    // By its hash, as in the control plane, so that a memory dump contains no session secret.
    const row = await sessions.find(idHash.toString('base64'), () => store.findSession(db, idHash), outage);
    const now = clock.now();
    if (row === undefined || row.expiresAt.getTime() <= now || row.lastSeenAt.getTime() + sessionIdleMs <= now)
      throw fail('UNAUTHENTICATED', { reason: 'the session has ended; log in again' });
    if (now - row.lastSeenAt.getTime() > touchEveryMs) {
      row.lastSeenAt = new Date(now);
      await noted(store.touchSession(db, idHash, row.lastSeenAt));
    }
    return { kind: 'session', user: row.user, sessionHash: idHash };
  }

  async function bearer(secret: string, outage?: Outage): Promise<SdkCaller | TokenCaller> {
    if (!secret.startsWith('svc_sdk_')) return tokenCaller(await apiToken(secret, outage));
    const row = await find(secret, 'svc_sdk_', keys, loadKey);
    return {
      kind: 'sdk',
      keyId: row.id,
      keyKind: row.kind,
      allowedOrigins: row.allowed_origins,
      payloadKey: row.payload_key,
      workspaceId: row.workspace_id,
      projectId: row.project_id,
      environmentId: row.environment_id,
      workspaceNumber: row.workspace_number,
      projectNumber: row.project_number,
      environmentKey: row.environment_key,
    };
  }

  async function authenticate({ cookie, authorization, apiKey }: Credentials, outage?: Outage): Promise<Caller> {
    if (authorization !== undefined) {
      const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (secret === undefined) throw fail('UNAUTHENTICATED', { reason: 'send Authorization: Bearer <token>' });
      return bearer(secret, outage);
    }
    if (apiKey?.startsWith('svc_sdk_')) return bearer(apiKey);
    return cookie === undefined || cookie === '' ? anonymous : session(cookie, outage);
  }

  async function findSdkCaller(credentials: Credentials): Promise<SdkCaller> {
    const caller = await authenticate(credentials);
    if (caller.kind === 'anonymous')
      throw fail('UNAUTHENTICATED', { reason: 'send an SDK key as Authorization: Bearer svc_sdk_…' });
    if (caller.kind !== 'sdk') throw fail('WRONG_CREDENTIAL', { reason: 'this route requires an SDK key' });
    const sent = credentials.authorization ?? credentials.apiKey;
    if (sent !== undefined) callers.set(sent, caller);
    return caller;
  }

  function sdkCaller(credentials: Credentials): SdkCaller | Promise<SdkCaller> {
    const sent = credentials.authorization ?? credentials.apiKey ?? '';
    const known = callers.get(sent);
    if (known !== undefined) return known;
    const before = callers.getStale(sent);
    if (before === undefined) return findSdkCaller(credentials);
    // Known, but not checked recently: it is accepted now and checked in the background. So no evaluation waits for the
    // control plane, and a key stays valid while that is away.
    callers.set(sent, before);
    findSdkCaller(credentials).catch((error: unknown) => {
      if (error instanceof Failure) callers.deleteWhere((caller) => caller.keyId === before.keyId);
    });
    return before;
  }

  function forget({ workspaceId, userId }: AccessChange): void {
    const ofWorkspace = (id: string) => workspaceId === undefined || id === workspaceId;
    unknown.clear();
    tokens.forget((row) => ofWorkspace(row.workspace_id) && (userId === undefined || row.user_id === userId));
    if (userId === undefined) {
      callers.deleteWhere((caller) => ofWorkspace(caller.workspaceId));
      keys.forget((row) => ofWorkspace(row.workspace_id));
    }
    // A session belongs to no workspace.
    if (userId !== undefined || workspaceId === undefined)
      sessions.forget(({ user }) => userId === undefined || user.id === userId);
  }

  return { authenticate, apiToken, sdkCaller, forget };
}

/** @param row one that has not expired */
export function tokenCaller(row: store.ApiTokenRow): TokenCaller {
  return {
    kind: 'token',
    tokenId: row.id,
    tokenName: row.name,
    user: { id: row.user_id, email: row.user_email, name: row.user_name },
    workspaceId: row.workspace_id,
    permissions: new Set(row.permissions.filter(isPermission)),
    projectId: row.project_id,
    environmentId: row.environment_id,
  };
}
