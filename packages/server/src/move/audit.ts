import { recordAudits } from '../features/identity/audit/index.ts';
import type { Executor } from '../platform/postgres/database.ts';
import { listWorkspaceIds } from '../store-copy/control-store.ts';
import type { MoveEntry } from './audit-rules.ts';

/** Entries of one statement. */
const ENTRIES_AT_ONCE = 500;

/** Writes an entry to the audit log of each workspace: a move concerns the data of all. */
export async function recordMove(db: Executor, { id, action, at, by, from, to, outcome }: MoveEntry): Promise<void> {
  const actor = { type: 'system', id: null, name: `fanion move, run by ${by}` } as const;
  const facts = (await listWorkspaceIds(db)).map((workspaceId) => ({
    workspaceId,
    action,
    resource: { type: 'stores', id, name: null },
    before: from,
    after: { ...to, ...outcome },
  }));
  for (let start = 0; start < facts.length; start += ENTRIES_AT_ONCE)
    await recordAudits(
      db,
      { actor, ip: null, requestId: null },
      facts.slice(start, start + ENTRIES_AT_ONCE),
      new Date(at),
    );
}
