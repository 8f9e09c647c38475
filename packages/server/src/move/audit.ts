import { recordInAllWorkspaces } from '../features/identity/audit/index.ts';
import type { Executor } from '../platform/postgres/database.ts';
import type { MoveEntry } from './audit-rules.ts';

/** Writes an entry to the audit log of each workspace: a move concerns the data of all. */
export async function recordMove(db: Executor, { id, action, at, by, from, to, outcome }: MoveEntry): Promise<void> {
  const actor = { type: 'system', id: null, name: `fanion move, run by ${by}` } as const;
  const resource = { type: 'stores', id, name: null };
  const fact = { action, resource, before: from, after: { ...to, ...outcome } };
  await recordInAllWorkspaces(db, { actor, ip: null, requestId: null }, fact, new Date(at));
}
