/**
 * A notification: the transaction that writes firing alerts also puts them into groups
 * (`routing-policies/grouping.ts`). When a group is due, `flusher.ts` reads its alerts, `flush-rules.ts` decides what
 * each channel gets, and the rendered messages become deliveries. `deliverer.ts` sends each until it is accepted, with
 * the same key and bytes.
 */

import type { Config } from '../../../config.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Database, Executor } from '../../../platform/postgres/database.ts';
import type { Feature } from '../../feature.ts';
import type { AlertDelivery, AlertNotifications } from '../alert-notifications.ts';
import { createTrees, groupFired, regroup } from '../routing-policies/index.ts';
import { listDeliveriesOf, pruneDeliveries } from './deliveries-store.ts';
import { type EngineOptions, NotificationEngine } from './engine.ts';
import { keepGone, pruneGroups } from './groups-store.ts';
import { loadMuting } from './muting.ts';
import { type Announcement, tellChannels } from './tell.ts';

export type { NotificationEngine } from './engine.ts';
export type { Announcement } from './tell.ts';

const dayMs = 86_400_000;
/** How long groups that have no alerts are kept. */
const groupsKeptMs = dayMs;
const deliveriesListed = 100;

export interface Notifications extends AlertNotifications {
  readonly engine: NotificationEngine;
  /** Notifies channels of an event that is not an alert, in the transaction of the event. */
  tell(trx: Executor, announcement: Announcement, now: Date): Promise<void>;
}

/** Who is notified of which alerts, how often, and what became of the messages. */
export const notificationsFeature = {
  name: 'alerting/notifications',
  jobs: ({ db, clock, config }: { db: Database; clock: Clock; config: Pick<Config, 'notify'> }) => [
    pruneJob(db, clock, config.notify.keptDays * dayMs),
  ],
  start({ notifications }: { notifications: Notifications }) {
    notifications.engine.start();
    return notifications.engine;
  },
} satisfies Feature;

export function createNotifications(options: EngineOptions): Notifications {
  const { db, clock } = options;
  const engine = new NotificationEngine(options);
  const trees = createTrees();
  return {
    engine,
    wake: () => engine.wake(),
    fired: (trx, workspaceId, alerts, now) => groupFired(trx, trees, { workspaceId, alerts, now }),
    renamed: (trx, workspaceId, ruleId, now) => regroup(trx, trees, { workspaceId, ruleId, now }),
    removed: keepGone,
    tell: (trx, announcement, now) => tellChannels(trx, options, announcement, now),
    async heldBack(workspaceId, alerts) {
      if (alerts.length === 0) return new Map();
      const muting = (await loadMuting(db, [workspaceId], dateOf(clock))).get(workspaceId);
      return new Map(alerts.map((alert) => [alert.id, muting?.of(alert) ?? { silences: [], alerts: [] }]));
    },
    async deliveriesOf(workspaceId, instanceId) {
      return (await listDeliveriesOf(db, workspaceId, instanceId, deliveriesListed)).map(present);
    },
  };
}

function present(row: Awaited<ReturnType<typeof listDeliveriesOf>>[number]): AlertDelivery {
  const status = row.status as AlertDelivery['status'];
  return {
    id: row.id,
    channel: { id: row.channel_id, name: row.channel_name, kind: row.channel_kind },
    fallback: row.fallback_for !== null,
    reason: row.reason as AlertDelivery['reason'],
    notified: row.notified === 'resolved' ? 'resolved' : 'firing',
    status,
    attempts: row.attempt,
    answer_status: row.answer_status,
    answer: row.answer,
    error: row.error,
    created_at: row.created_at.toISOString(),
    next_attempt_at: status === 'pending' ? row.next_try_at.toISOString() : null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function pruneJob(db: Database, clock: Clock, deliveriesKeptMs: number): JobKind {
  return {
    kind: 'notifications.prune',
    everyMs: 3_600_000,
    async run(run) {
      await pruneDeliveries(db, dateOf(clock, -deliveriesKeptMs));
      await pruneGroups(db, dateOf(clock, -groupsKeptMs));
      await run.finish();
    },
  };
}
