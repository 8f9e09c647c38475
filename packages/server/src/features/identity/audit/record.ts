import type { Origin } from '../../../http/context.ts';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { maskSecrets } from './rules.ts';
import { insertEntries, listWorkspaceIds } from './store.ts';

export interface AuditFact {
  /** null only for changes of an account outside of any workspace. */
  readonly workspaceId: string | null;
  /** The route's id, `area.verb`. */
  readonly action: string;
  readonly resource: { readonly type: string; readonly id: string; readonly name: string | null };
  readonly projectId?: string;
  readonly environmentId?: string;
  /** The state before and after. Callers must not put secrets in here; as a safeguard, they are also masked by name. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Writes the entry of a change. Call it once, in the transaction of the change. */
export async function recordAudit(db: Executor, origin: Origin, fact: AuditFact, now: Date): Promise<void> {
  await recordAudits(db, origin, [fact], now);
}

/** Entries of one statement. */
const ENTRIES_AT_ONCE = 200;

/**
 * Writes an entry to the audit log of each workspace: only for what concerns the data of all of them, and is rare. 10,000 workspaces take
 * half a second and 3 MB (2026-11-30).
 */
export async function recordInAllWorkspaces(
  db: Executor,
  origin: Origin,
  fact: Omit<AuditFact, 'workspaceId' | 'projectId' | 'environmentId'>,
  now: Date,
): Promise<void> {
  const facts = (await listWorkspaceIds(db)).map((workspaceId) => ({ ...fact, workspaceId }));
  for (let start = 0; start < facts.length; start += ENTRIES_AT_ONCE)
    await recordAudits(db, origin, facts.slice(start, start + ENTRIES_AT_ONCE), now);
}

/** Writes the entries of several changes of one request. */
export async function recordAudits(
  db: Executor,
  origin: Origin,
  facts: readonly AuditFact[],
  now: Date,
): Promise<void> {
  if (facts.length === 0) return;
  const { actor, ip, requestId } = origin;
  const entries = facts.map(({ workspaceId, action, resource, projectId, environmentId, before, after }) => ({
    id: newId(now.getTime()),
    workspace_id: workspaceId,
    at: now,
    action,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    resource_type: resource.type,
    resource_id: resource.id,
    resource_name: resource.name,
    project_id: projectId ?? null,
    environment_id: environmentId ?? null,
    before: JSON.stringify(maskSecrets(before ?? null)),
    after: JSON.stringify(maskSecrets(after ?? null)),
    ip,
    request_id: requestId,
  }));
  await insertEntries(db, entries);
}
