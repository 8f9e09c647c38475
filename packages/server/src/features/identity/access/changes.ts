import { appendOutbox, type OutboxMessage } from '../../../platform/outbox/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';

/** Whose access may have shrunk; everybody's if no field is set. */
export interface AccessChange {
  readonly workspaceId?: string | undefined;
  readonly userId?: string | undefined;
  /** A revoked API token or SDK key. */
  readonly keyId?: string | undefined;
}

/** Outbox topic: every replica checks its cache and its running work again. */
export const accessChanged = 'access.changed';

/** Notifies all replicas, in the transaction that removes access. */
export async function announceAccessChange(trx: Executor, change: AccessChange): Promise<void> {
  await appendOutbox(trx, { topic: accessChanged, key: change.keyId ?? change.workspaceId ?? '', payload: change });
}

/** Everybody if the message has another form, since a newer server wrote it. */
export function accessChangeOf({ payload }: Pick<OutboxMessage, 'payload'>): AccessChange {
  const fields = typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return { workspaceId: text(fields.workspaceId), userId: text(fields.userId), keyId: text(fields.keyId) };
}
