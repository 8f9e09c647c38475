import type { Origin } from '../../../http/context.ts';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { maskSecrets } from './rules.ts';
import { insertEntry } from './store.ts';

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
  await insertEntry(db, {
    id: newId(now.getTime()),
    workspace_id: fact.workspaceId,
    at: now,
    action: fact.action,
    actor_type: origin.actor.type,
    actor_id: origin.actor.id,
    actor_name: origin.actor.name,
    resource_type: fact.resource.type,
    resource_id: fact.resource.id,
    resource_name: fact.resource.name,
    project_id: fact.projectId ?? null,
    environment_id: fact.environmentId ?? null,
    before: JSON.stringify(maskSecrets(fact.before ?? null)),
    after: JSON.stringify(maskSecrets(fact.after ?? null)),
    ip: origin.ip,
    request_id: origin.requestId,
  });
}
