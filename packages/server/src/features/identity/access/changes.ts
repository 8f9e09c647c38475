import { appendOutbox, type OutboxMessage } from '../../../platform/outbox/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';

/** Who may have less access than before; what is not named is everybody. */
export interface AccessChange {
  readonly workspaceId?: string | undefined;
  readonly userId?: string | undefined;
  /** An API token or SDK key that ended. */
  readonly keyId?: string | undefined;
}

/** Outbox topic: every replica looks again at what it remembers, and at what is still running. */
export const accessChanged = 'access.changed';

/** Tells all replicas, in the transaction that takes something away. */
export async function announceAccessChange(trx: Executor, change: AccessChange): Promise<void> {
  await appendOutbox(trx, { topic: accessChanged, key: change.keyId ?? change.workspaceId ?? '', payload: change });
}

/** Everybody, where a message is of another form: a newer server wrote it. */
export function accessChangeOf({ payload }: Pick<OutboxMessage, 'payload'>): AccessChange {
  const fields = typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return { workspaceId: text(fields.workspaceId), userId: text(fields.userId), keyId: text(fields.keyId) };
}
