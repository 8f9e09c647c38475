import type { Scope, ScopeNames, UserCaller } from '../../../http/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { patiently } from '../../../platform/patience.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import type { AccessChange } from './changes.ts';
import { tokenCaller } from './credentials.ts';
import type { Memory } from './remembered.ts';
import type { ApiTokenRow } from './store.ts';

const keptMs = 2_000;
const maxKept = 10_000;
/** How long an ingest request waits for the control plane if its token was valid before. */
const patienceMs = 250;

export interface IngestToken {
  readonly tokenId: string;
  readonly workspaceId: string;
  readonly workspace: number;
  readonly projectId: string;
  readonly project: number;
  readonly environment: string | undefined;
}

interface KnownIngest {
  readonly token: IngestToken;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

interface IngestTokenDependencies {
  readonly clock: Clock;
  readonly memory: Memory;
  readonly apiToken: (secret: string) => Promise<ApiTokenRow>;
  readonly scope: (caller: UserCaller, names: ScopeNames) => Promise<Scope>;
}

/** The project that a token sends telemetry to. */
export function createIngestTokens({ clock, memory, apiToken, scope }: IngestTokenDependencies) {
  const ingest = new TtlCache<string, KnownIngest>({ clock, ttlMs: keptMs, max: maxKept });
  /** Look-ups in progress, by secret, so that a control plane that hangs gets one request and not one per caller. */
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

  /** While the control plane is down or hangs, a token that was valid stays valid, without a long wait. */
  async function askForIngest(secret: string): Promise<KnownIngest> {
    const before = ingest.getStale(secret);
    let asked = asking.get(secret);
    if (asked === undefined) {
      asked = lookUpIngest(secret).finally(() => asking.delete(secret));
      asking.set(secret, asked);
    }
    if (before === undefined) return asked;
    const stay = () => {
      // Cached for the next requests too, unless a token was changed meanwhile.
      if (ingest.getStale(secret) === before) ingest.set(secret, before);
      return before;
    };
    const answer = asked.catch((error: unknown) => {
      if (error instanceof Failure) throw error;
      return stay();
    });
    return patiently(answer, patienceMs, stay);
  }

  async function lookUpIngest(secret: string): Promise<KnownIngest> {
    const began = memory.moment();
    try {
      const row = await apiToken(secret);
      const token = await authorizeIngest(scope, row);
      const known = { token, expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY };
      if (began === memory.moment()) ingest.set(secret, known);
      return known;
    } catch (error) {
      if (error instanceof Failure) ingest.delete(secret);
      throw error;
    }
  }

  function forget({ workspaceId }: AccessChange): void {
    ingest.deleteWhere(({ token }) => workspaceId === undefined || token.workspaceId === workspaceId);
  }

  return { ingestToken, forget };
}

async function authorizeIngest(scope: IngestTokenDependencies['scope'], row: ApiTokenRow): Promise<IngestToken> {
  if (row.project_id === null || row.project_number === null)
    throw fail('WRONG_CREDENTIAL', { reason: 'telemetry requires a token that is pinned to a project' });
  const { permissions } = await scope(tokenCaller(row), {});
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
