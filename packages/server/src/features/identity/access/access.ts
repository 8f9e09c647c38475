import { isPermission, type Permission } from '@fanion/contract';
import type {
  Access,
  Anonymous,
  Caller,
  Credentials,
  EnvironmentRef,
  ProjectRef,
  Scope,
  ScopeNames,
  SdkCaller,
  SessionCaller,
  TokenCaller,
  UserCaller,
} from '../../../http/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import { type Database, isConnectionError } from '../../../platform/postgres/database.ts';
import { hashSecret, isWellFormedSecret, type SecretPrefix } from '../../../platform/secrets.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import type { AccessChange } from './changes.ts';
import type { KnownKeys } from './known-keys.ts';
import { intersect, permissionsAt, permissionsBelow } from './rules.ts';
import * as store from './store.ts';

/** A session ends after a week without use, and after 30 days in any case. */
export const sessionIdleMs = 7 * 86_400_000;
export const sessionAbsoluteMs = 30 * 86_400_000;
const touchEveryMs = 60_000;
/** How long a revoked secret can still pass on another replica; on this one it ends at once. */
const secretCacheMs = 2_000;
/** How long a request with telemetry waits for the control plane where its token was good the last time. */
const ingestPatienceMs = 250;

export interface IngestToken {
  readonly tokenId: string;
  readonly workspaceId: string;
  readonly workspace: number;
  readonly projectId: string;
  readonly project: number;
  readonly environment: string | undefined;
}

export interface AccessFeature extends Access {
  /** The project that an OTLP token sends to. Throws `UNAUTHENTICATED`, `WRONG_CREDENTIAL` or `PERMISSION_DENIED`. Cached. */
  ingestToken(secret: string | undefined): Promise<IngestToken>;
  /** An SDK key; at once where it is known. Throws `UNAUTHENTICATED`, or `WRONG_CREDENTIAL` for any other credential. */
  sdkCaller(credentials: Credentials): SdkCaller | Promise<SdkCaller>;
  /**
   * Call after any change of tokens, keys, members, roles, grants, projects or environments, here or on another replica:
   * nothing that was looked up before counts any more for those whom it concerns.
   */
  forget(change?: AccessChange): void;
  /** Tells of each `forget`, for what goes on longer than a look-up counts: streams, tails, long queries. */
  onChange(listener: (change: AccessChange) => void): void;
}

interface KnownIngest {
  readonly token: IngestToken;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

const anonymous: Anonymous = { kind: 'anonymous' };

export function createAccess({
  db,
  clock,
  knownKeys,
}: {
  db: Database;
  clock: Clock;
  /** What SDK keys are held against while the control plane is away. */
  knownKeys?: KnownKeys;
}): AccessFeature {
  const tokens = new TtlCache<string, store.ApiTokenRow | null>({ clock, ttlMs: secretCacheMs, max: 10_000 });
  const keys = new TtlCache<string, store.SdkKeyRow | null>({ clock, ttlMs: secretCacheMs, max: 10_000 });
  const ingest = new TtlCache<string, KnownIngest>({ clock, ttlMs: secretCacheMs, max: 10_000 });
  /** SDK keys as they are sent, so that a known one costs a look-up. */
  const callers = new TtlCache<string, SdkCaller>({ clock, ttlMs: secretCacheMs, max: 10_000 });
  const listeners: ((change: AccessChange) => void)[] = [];
  /** Raised by `forget`: what a look-up brings that began before is not kept. */
  let generation = 0;

  async function find<Row extends { id: string; last_used_at: Date | null }>(
    secret: string,
    kind: SecretPrefix,
    cache: TtlCache<string, Row | null>,
    load: (hash: Buffer) => Promise<Row | undefined>,
  ): Promise<Row> {
    if (!isWellFormedSecret(secret, kind))
      throw fail('UNAUTHENTICATED', { reason: 'the secret is mistyped or incomplete' });
    let row = cache.get(secret);
    if (row === undefined) {
      const began = generation;
      try {
        row = (await load(hashSecret(secret))) ?? null;
        if (began === generation) cache.set(secret, row);
        if (row) await touch(kind === 'svc_pat_' ? 'api_tokens' : 'sdk_keys', row);
      } catch (error) {
        // With the control plane away, a secret that was good goes on being good.
        row = cache.getStale(secret);
        if (row === undefined) throw error;
      }
    }
    if (row === null) throw fail('UNAUTHENTICATED', { reason: 'the secret is unknown or revoked' });
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
    if (row.last_used_at === null || now - row.last_used_at.getTime() > touchEveryMs)
      await store.touchTokens(db, table, [row.id], new Date(now));
  }

  async function apiToken(secret: string): Promise<store.ApiTokenRow> {
    const row = await find(secret, 'svc_pat_', tokens, (hash) => store.findApiToken(db, hash));
    if (row.expires_at !== null && row.expires_at.getTime() <= clock.now())
      throw fail('UNAUTHENTICATED', { reason: 'the token has expired' });
    return row;
  }

  async function session(cookie: string): Promise<SessionCaller> {
    const idHash = hashSecret(cookie);
    const row = await store.findSession(db, idHash);
    const now = clock.now();
    if (row === undefined || row.expiresAt.getTime() <= now || row.lastSeenAt.getTime() + sessionIdleMs <= now)
      throw fail('UNAUTHENTICATED', { reason: 'the session has ended; log in again' });
    if (now - row.lastSeenAt.getTime() > touchEveryMs) await store.touchSession(db, idHash, new Date(now));
    return { kind: 'session', user: row.user, sessionHash: idHash };
  }

  async function bearer(secret: string): Promise<Caller> {
    if (secret.startsWith('svc_sdk_')) {
      const row = await find(secret, 'svc_sdk_', keys, loadKey);
      return {
        kind: 'sdk',
        keyId: row.id,
        keyKind: row.kind,
        allowedOrigins: row.allowed_origins,
        workspaceId: row.workspace_id,
        projectId: row.project_id,
        environmentId: row.environment_id,
        workspaceNumber: row.workspace_number,
        projectNumber: row.project_number,
        environmentKey: row.environment_key,
      } satisfies SdkCaller;
    }
    const row = await apiToken(secret);
    return {
      kind: 'token',
      tokenId: row.id,
      tokenName: row.name,
      user: { id: row.user_id, email: row.user_email, name: row.user_name },
      workspaceId: row.workspace_id,
      permissions: new Set(row.permissions.filter(isPermission)),
      projectId: row.project_id,
      environmentId: row.environment_id,
    } satisfies TokenCaller;
  }

  async function authenticate({ cookie, authorization, apiKey }: Credentials): Promise<Caller> {
    if (authorization !== undefined) {
      const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (secret === undefined) throw fail('UNAUTHENTICATED', { reason: 'send Authorization: Bearer <token>' });
      return bearer(secret);
    }
    if (apiKey?.startsWith('svc_sdk_')) return bearer(apiKey);
    return cookie === undefined || cookie === '' ? anonymous : session(cookie);
  }

  async function scope(caller: UserCaller, names: ScopeNames): Promise<Scope> {
    const memberships = await store.findMemberships(
      db,
      caller.user.id,
      names.workspace ?? (caller.kind === 'token' ? caller.workspaceId : undefined),
    );
    const membership = memberships[0];
    if (membership === undefined || (caller.kind === 'token' && membership.workspace.id !== caller.workspaceId))
      throw fail('NOT_FOUND', { resource: 'workspace' });
    if (memberships.length > 1) throw workspaceRequired(memberships);
    const { workspace } = membership;
    const pinned = caller.kind === 'token' ? caller : undefined;
    const { project, environment } = await placesOf(workspace.id, names, pinned);
    const fact = { permissions: membership.permissions, grants: await store.findGrants(db, membership.memberId) };
    const here = { projectId: project?.id, environmentId: environment?.id };
    const at = permissionsAt(fact, here);
    const below = permissionsBelow(fact, here);
    const limit = (held: ReadonlySet<Permission>) =>
      caller.kind === 'token' ? intersect(held, caller.permissions) : held;
    return { workspace, project, environment, permissions: limit(at), permissionsBelow: limit(below) };
  }

  async function placesOf(
    workspaceId: string,
    names: ScopeNames,
    pinned: TokenCaller | undefined,
  ): Promise<{ project?: ProjectRef | undefined; environment?: EnvironmentRef | undefined }> {
    const project = await place('project', names.project, pinned?.projectId, (name) =>
      store.findProject(db, workspaceId, name),
    );
    if (project !== undefined) {
      const environment = await place('environment', names.environment, pinned?.environmentId, (name) =>
        store.findEnvironment(db, project.id, name),
      );
      return { project, environment };
    }
    // A key means the environments of that key in all projects. An id belongs to one project.
    if (names.environment === undefined || !isId(names.environment)) return {};
    const found = await store.findEnvironmentOfWorkspace(db, workspaceId, names.environment);
    if (found === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
    return found;
  }

  /** Look-ups of ingest under way, by secret: a control plane that hangs is asked once, and not by each request. */
  const asking = new Map<string, Promise<KnownIngest>>();

  async function ingestToken(secret: string | undefined): Promise<IngestToken> {
    if (secret === undefined) throw fail('UNAUTHENTICATED', { reason: 'send Authorization: Bearer svc_pat_…' });
    if (secret.startsWith('svc_sdk_'))
      throw fail('WRONG_CREDENTIAL', {
        reason: 'telemetry requires an API token with telemetry:ingest, not an SDK key',
      });
    const known = ingest.get(secret) ?? (await askForIngest(secret));
    if (known.expiresAt <= clock.now()) throw fail('UNAUTHENTICATED', { reason: 'the token has expired' });
    return known.token;
  }

  /** With the control plane away or stuck, a token that was good goes on being good; nobody waits for long to hear it. */
  async function askForIngest(secret: string): Promise<KnownIngest> {
    const before = ingest.getStale(secret);
    let asked = asking.get(secret);
    if (asked === undefined) {
      asked = lookUpIngest(secret).finally(() => asking.delete(secret));
      asking.set(secret, asked);
    }
    if (before === undefined) return asked;
    const stay = () => {
      // For the next requests too, unless somebody has changed a token meanwhile.
      if (ingest.getStale(secret) === before) ingest.set(secret, before);
      return before;
    };
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<KnownIngest>((resolve) => {
      timer = setTimeout(() => resolve(stay()), ingestPatienceMs);
    });
    const answer = asked.catch((error: unknown) => {
      if (error instanceof Failure) throw error;
      return stay();
    });
    return Promise.race([answer, patience]).finally(() => clearTimeout(timer));
  }

  async function lookUpIngest(secret: string): Promise<KnownIngest> {
    const began = generation;
    try {
      const row = await apiToken(secret);
      const token = await authorizeIngest(row, await bearer(secret));
      const known = { token, expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY };
      if (began === generation) ingest.set(secret, known);
      return known;
    } catch (error) {
      if (error instanceof Failure) ingest.delete(secret);
      throw error;
    }
  }

  async function authorizeIngest(row: store.ApiTokenRow, caller: Caller): Promise<IngestToken> {
    if (caller.kind !== 'token') throw fail('WRONG_CREDENTIAL', { reason: 'telemetry requires an API token' });
    if (row.project_id === null || row.project_number === null)
      throw fail('WRONG_CREDENTIAL', { reason: 'telemetry requires a token that is pinned to a project' });
    const { permissions } = await scope(caller, {});
    if (!permissions.has('telemetry:ingest')) throw fail('PERMISSION_DENIED', { permission: 'telemetry:ingest' });
    return {
      tokenId: row.id,
      workspaceId: row.workspace_id,
      workspace: row.workspace_number,
      projectId: row.project_id,
      project: row.project_number,
      environment: row.environment_key ?? undefined,
    };
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

  return {
    authenticate,
    scope,
    ingestToken,
    sdkCaller(credentials) {
      const sent = credentials.authorization ?? credentials.apiKey ?? '';
      const known = callers.get(sent);
      if (known !== undefined) return known;
      const before = callers.getStale(sent);
      if (before === undefined) return findSdkCaller(credentials);
      // Known, but not asked for a while: it is served now and asked for beside. So no evaluation waits for the control
      // plane, and a key goes on being good while that is away.
      callers.set(sent, before);
      findSdkCaller(credentials).catch((error: unknown) => {
        if (error instanceof Failure) callers.deleteWhere((caller) => caller.keyId === before.keyId);
      });
      return before;
    },
    forget(change = {}) {
      const { workspaceId, userId, keyId } = change;
      if (keyId !== undefined) knownKeys?.forgetId(keyId);
      generation++;
      const ofWorkspace = (id: string | undefined) => workspaceId === undefined || id === workspaceId;
      const concerns = (row: { workspace_id: string; user_id?: string } | null) =>
        ofWorkspace(row?.workspace_id) && (userId === undefined || row?.user_id === userId);
      tokens.deleteWhere(concerns);
      if (userId === undefined) {
        callers.deleteWhere((caller) => ofWorkspace(caller.workspaceId));
        keys.deleteWhere(concerns);
      }
      ingest.deleteWhere(({ token }) => ofWorkspace(token.workspaceId));
      for (const listener of listeners) listener(change);
    },
    onChange(listener) {
      listeners.push(listener);
    },
  };
}

/** Names what there is to choose from; `findMemberships` gives some more than are shown. */
function workspaceRequired(memberships: readonly store.MembershipRow[]): Failure {
  const shown = memberships.slice(0, store.maxMembershipsNamed);
  const slugs = shown.map(({ workspace }) => workspace.slug).join(', ');
  return fail(
    'WORKSPACE_REQUIRED',
    { workspaces: memberships.length > shown.length ? `${slugs}, …` : slugs },
    {
      details: shown.map(({ workspace: { id, slug, name } }) => ({
        path: 'workspace',
        message: `${slug}: ${name}`,
        id,
        slug,
      })),
    },
  );
}

/** A place by name, held against the one a token is pinned to: any other is as if it did not exist. */
async function place<Ref extends ProjectRef | EnvironmentRef>(
  resource: string,
  name: string | undefined,
  pinnedId: string | null | undefined,
  find: (name: string) => Promise<Ref | undefined>,
): Promise<Ref | undefined> {
  const wanted = name ?? pinnedId ?? undefined;
  if (wanted === undefined) return undefined;
  const found = await find(wanted);
  if (found === undefined || (pinnedId != null && found.id !== pinnedId)) throw fail('NOT_FOUND', { resource });
  return found;
}
