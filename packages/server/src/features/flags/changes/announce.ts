import type { Log } from '../../../platform/log.ts';
import type { Outbox } from '../../../platform/outbox/index.ts';

/** Notifies all replicas of new rulesets, and waits until this one serves them before the change is answered. */
export function announcing({
  outbox,
  refresh,
  log,
}: {
  outbox: Pick<Outbox, 'wake'>;
  refresh: (environmentIds: readonly string[]) => Promise<void>;
  log: Log;
}) {
  return async (environmentIds: readonly string[]): Promise<void> => {
    if (environmentIds.length === 0) return;
    outbox.wake();
    await refresh(environmentIds).catch((error: unknown) => {
      // It is committed; the next comparison of versions finds it.
      log.warn({ err: error }, 'a change will be served with a short delay');
    });
  };
}
