import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { AlertNotifications, FiredAlert } from '../alert-notifications.ts';
import { saveInstances } from './instances-store.ts';
import type { AlertShards } from './shards.ts';
import { holdsShard, saveHealth } from './shards-store.ts';
import { type Instance, isFiring, type RuleState, type Stepped } from './step-rules.ts';
import type { AlertRuleRow } from './store.ts';
import type { Tracked } from './tracked.ts';

/** Skipped slots of rules with shorter intervals are written once a minute. */
const shortIntervalMs = 10_000;

export interface SaveOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly notifications: Pick<AlertNotifications, 'fired' | 'wake'>;
  readonly shards: AlertShards;
}

/** Writes what an evaluation changed; returns false where it does not count any more, and the rule is to be read again. */
export async function saveEvaluation(
  { db, clock, notifications, shards }: SaveOptions,
  before: Tracked,
  stepped: Stepped,
  after: Tracked,
): Promise<boolean> {
  if (!isWritten(before, stepped, after)) return true;
  const { row } = before;
  const held = shards.held(row.shard);
  if (held === undefined) return false;
  const now = new Date(clock.now());
  const isSaved = await db.transaction().execute(async (trx) => {
    if (!(await holdsShard(trx, row.shard, held.epoch))) {
      shards.lose(row.shard);
      return false;
    }
    const evaluatedAt = after.state.evaluatedAt === null ? null : new Date(after.state.evaluatedAt);
    const { error, delayed, missed } = after;
    if (!(await saveHealth(trx, row, { evaluatedAt, error, delayed, missed }))) {
      shards.reload(row.shard);
      return false;
    }
    const ids = await saveInstances(trx, row, changedInstances(before.state, stepped), stepped.transitions, now);
    const offsetMs = after.slot - after.slots.everyMs - (after.askedFor ?? 0);
    await notifications.fired(trx, row.workspace_id, firedBy(row, stepped, ids, offsetMs), now);
    return true;
  });
  if (isSaved && stepped.transitions.length > 0) notifications.wake();
  return isSaved;
}

/** Whether an evaluation left anything to write: while nothing changes, nothing is. */
export function isWritten(before: Tracked, { transitions }: Stepped, after: Tracked): boolean {
  const isFirst = before.state.evaluatedAt === null && after.state.evaluatedAt !== null;
  return (
    transitions.length > 0 ||
    before.error !== after.error ||
    before.delayed !== after.delayed ||
    (after.missed > 0 && (after.slots.everyMs >= shortIntervalMs || isNewMinute(before, after))) ||
    isFirst ||
    hasNewValue(before, after)
  );
}

function isNewMinute(before: Tracked, after: Tracked): boolean {
  const minuteOf = ({ state }: Tracked) => Math.floor((state.evaluatedAt ?? 0) / 60_000);
  return minuteOf(before) !== minuteOf(after);
}

/** Values of firing instances are written once a minute, for people who look at them. */
function hasNewValue(before: Tracked, after: Tracked): boolean {
  return (
    isNewMinute(before, after) && changedInstances(before.state, { state: after.state, transitions: [] }).length > 0
  );
}

/** The instances that began to fire, as notifications know them. */
function firedBy(
  { name }: AlertRuleRow,
  { state, transitions }: Stepped,
  ids: ReadonlyMap<string, string>,
  offsetMs: number,
): FiredAlert[] {
  return transitions.flatMap(({ identity, from }) => {
    const instance = state.instances.get(identity);
    const instanceId = ids.get(identity);
    if (instance === undefined || instanceId === undefined || isFiring({ state: from }) || !isFiring(instance))
      return [];
    // A query asks for the time before its slot; nobody could have been notified earlier than at the slot.
    const startedAt = (instance.firedAt ?? 0) + offsetMs;
    return [{ instanceId, labels: { ...instance.labels, alertname: name }, startedAt }];
  });
}

/** The instances whose rows differ from what they were. */
function changedInstances({ instances: before }: RuleState, { state, transitions }: Stepped): Instance[] {
  const moved = new Set(transitions.map(({ identity }) => identity));
  return [...state.instances.values()].filter(
    (instance) =>
      moved.has(instance.identity) || (isFiring(instance) && before.get(instance.identity)?.value !== instance.value),
  );
}
