import type { Executor } from '../../platform/postgres/database.ts';

/** An alert that began to fire. */
export interface FiredAlert {
  readonly instanceId: string;
  /** `alertname` included. */
  readonly labels: Readonly<Record<string, string>>;
  /** Since when it could have been notified, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A message about an alert. */
export interface AlertDelivery {
  readonly id: string;
  readonly channel: { readonly id: string; readonly name: string; readonly kind: string };
  readonly fallback: boolean;
  readonly reason: 'first' | 'new_alerts' | 'resolved' | 'all_resolved' | 'repeat';
  readonly notified: 'firing' | 'resolved';
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly answer_status: number | null;
  readonly answer: string | null;
  readonly error: string | null;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  readonly finished_at: string | null;
}

/** What alert rules need of notifications. Alerts that resolve are noticed by themselves: groups read the instances. */
export interface AlertNotifications {
  /** In the transaction that writes the alerts. */
  fired(trx: Executor, workspaceId: string, alerts: readonly FiredAlert[], now: Date): Promise<void>;
  /** In the transaction that renames a rule: its alerts have another `alertname` now. */
  renamed(trx: Executor, workspaceId: string, ruleId: string, now: Date): Promise<void>;
  /** In the transaction that deletes a rule, before it does. */
  removed(trx: Executor, ruleId: string, now: Date): Promise<void>;
  /** After the commit. */
  wake(): void;
  /** What holds alerts back now, by their ids. */
  heldBack(
    workspaceId: string,
    alerts: readonly { readonly id: string; readonly labels: Readonly<Record<string, string>> }[],
  ): Promise<ReadonlyMap<string, { readonly silences: readonly string[]; readonly alerts: readonly string[] }>>;
  /** The messages about an alert, newest first. */
  deliveriesOf(workspaceId: string, instanceId: string): Promise<readonly AlertDelivery[]>;
}
