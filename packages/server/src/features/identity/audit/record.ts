import type { Origin } from '../../../http/context.ts';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { maskSecrets } from './rules.ts';
import { insertEntries } from './store.ts';

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
