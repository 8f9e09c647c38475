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
export class CallerFinder {
  readonly #options: CredentialsDependencies;
  readonly #tokens: Facts<store.ApiTokenRow>;
  readonly #keys: Facts<store.SdkKeyRow>;
  readonly #sessions: Facts<store.SessionRow>;
  readonly #unknown: TtlCache<string, true>;
  /** SDK keys by their text, so that a known one costs only a look-up in memory. */
  readonly #callers: TtlCache<string, SdkCaller>;

  constructor(options: CredentialsDependencies) {
    this.#options = options;
    this.#tokens = options.memory.facts(maxKept);
    this.#keys = options.memory.facts(maxKept);
    this.#sessions = options.memory.facts(maxKept);
    this.#unknown = new TtlCache({ clock: options.clock, ttlMs: secretCacheMs, max: maxKept });
    this.#callers = new TtlCache({ clock: options.clock, ttlMs: secretCacheMs, max: maxKept });
  }

  /** A token that has not expired. */
  async apiToken(secret: string, outage?: Outage): Promise<store.ApiTokenRow> {
    const { db, clock } = this.#options;
    const row = await this.#find(secret, 'svc_pat_', this.#tokens, (hash) => store.findApiToken(db, hash), outage);
    if (row.expires_at !== null && row.expires_at.getTime() <= clock.now())
      throw fail('UNAUTHENTICATED', { reason: 'the token has expired' });
    return row;
  }

  async authenticate({ cookie, authorization, apiKey }: Credentials, outage?: Outage): Promise<Caller> {
    if (authorization !== undefined) {
      const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (secret === undefined) throw fail('UNAUTHENTICATED', { reason: 'send Authorization: Bearer <token>' });
      return this.#bearer(secret, outage);
    }
    if (apiKey?.startsWith('svc_sdk_')) return this.#bearer(apiKey);
    return cookie === undefined || cookie === '' ? anonymous : this.#session(cookie, outage);
  }

  sdkCaller(credentials: Credentials): SdkCaller | Promise<SdkCaller> {
    const sent = credentials.authorization ?? credentials.apiKey ?? '';
    const known = this.#callers.get(sent);
    if (known !== undefined) return known;
    const before = this.#callers.getStale(sent);
    if (before === undefined) return this.#findSdkCaller(credentials);
    // Known, but not checked recently: it is accepted now and checked in the background. So no evaluation waits for the
    // control plane, and a key stays valid while that is away.
    this.#callers.set(sent, before);
    this.#findSdkCaller(credentials).catch((error: unknown) => {
      if (error instanceof Failure) this.#callers.deleteWhere((caller) => caller.keyId === before.keyId);
    });
    return before;
  }

  forget({ workspaceId, userId }: AccessChange): void {
    const ofWorkspace = (id: string) => workspaceId === undefined || id === workspaceId;
    this.#unknown.clear();
    this.#tokens.forget((row) => ofWorkspace(row.workspace_id) && (userId === undefined || row.user_id === userId));
    if (userId === undefined) {
      this.#callers.deleteWhere((caller) => ofWorkspace(caller.workspaceId));
      this.#keys.forget((row) => ofWorkspace(row.workspace_id));
    }
    // A session belongs to no workspace.
    if (userId !== undefined || workspaceId === undefined)
      this.#sessions.forget(({ user }) => userId === undefined || user.id === userId);
  }

  async #find<Row extends { id: string; last_used_at: Date | null }>(
    secret: string,
    kind: SecretPrefix,
    known: Facts<Row>,
    load: (hash: Buffer) => Promise<Row | undefined>,
    outage?: Outage,
  ): Promise<Row> {
    if (!isWellFormedSecret(secret, kind))
      throw fail('UNAUTHENTICATED', { reason: 'the secret is mistyped or incomplete' });
    const revoked = () => fail('UNAUTHENTICATED', { reason: 'the secret is unknown or revoked' });
    if (this.#unknown.get(secret)) throw revoked();
    const began = this.#options.memory.moment();
    const ask = async () => {
      const row = await load(hashSecret(secret));
      if (row === undefined && began === this.#options.memory.moment()) this.#unknown.set(secret, true);
      return row;
    };
    const row = await known.find(secret, ask, outage).catch((error: unknown) => {
      // While the control plane is down, a secret that was valid stays valid.
      const before = known.getStale(secret);
      if (before === undefined) throw error;
      return before;
    });
    if (row === undefined) throw revoked();
    await this.#touch(kind === 'svc_pat_' ? 'api_tokens' : 'sdk_keys', row);
    return row;
  }

  async #loadKey(hash: Buffer): Promise<store.SdkKeyRow | undefined> {
    const { db, knownKeys } = this.#options;
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

  async #touch(table: 'api_tokens' | 'sdk_keys', row: { id: string; last_used_at: Date | null }): Promise<void> {
    const now = this.#options.clock.now();
    if (row.last_used_at !== null && now - row.last_used_at.getTime() <= touchEveryMs) return;
    row.last_used_at = new Date(now);
    await this.#noted(store.touchTokens(this.#options.db, table, [row.id], row.last_used_at));
  }

  /** Notes a use; while the control plane is away, what was valid stays valid. */
  #noted(touched: Promise<void>): Promise<void> {
    const tried = touched.catch((error: unknown) => {
      if (!isConnectionError(error)) throw error;
    });
    return patiently(tried, touchPatienceMs, () => {});
  }

  async #session(cookie: string, outage?: Outage): Promise<SessionCaller> {
    const { db, clock } = this.#options;
    const idHash = hashSecret(cookie);
    // By its hash, as in the control plane, so that a memory dump contains no session secret.
    const row = await this.#sessions.find(idHash.toString('base64'), () => store.findSession(db, idHash), outage);
    const now = clock.now();
    if (row === undefined || row.expiresAt.getTime() <= now || row.lastSeenAt.getTime() + sessionIdleMs <= now)
      throw fail('UNAUTHENTICATED', { reason: 'the session has ended; log in again' });
    if (now - row.lastSeenAt.getTime() > touchEveryMs) {
      row.lastSeenAt = new Date(now);
      await this.#noted(store.touchSession(db, idHash, row.lastSeenAt));
    }
    return { kind: 'session', user: row.user, sessionHash: idHash };
  }

  async #bearer(secret: string, outage?: Outage): Promise<SdkCaller | TokenCaller> {
    if (!secret.startsWith('svc_sdk_')) return tokenCaller(await this.apiToken(secret, outage));
    const row = await this.#find(secret, 'svc_sdk_', this.#keys, (hash) => this.#loadKey(hash));
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

  async #findSdkCaller(credentials: Credentials): Promise<SdkCaller> {
    const caller = await this.authenticate(credentials);
    if (caller.kind === 'anonymous')
      throw fail('UNAUTHENTICATED', { reason: 'send an SDK key as Authorization: Bearer svc_sdk_…' });
    if (caller.kind !== 'sdk') throw fail('WRONG_CREDENTIAL', { reason: 'this route requires an SDK key' });
    const sent = credentials.authorization ?? credentials.apiKey;
    if (sent !== undefined) this.#callers.set(sent, caller);
    return caller;
  }
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
