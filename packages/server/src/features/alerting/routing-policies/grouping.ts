import { createBreath } from '../../../platform/breath.ts';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FiredAlert } from '../alert-notifications.ts';
import { type Entry, enter, leave, listFiring, listMemberships } from './groups-store.ts';
import { ensureRoot, lockRouting, type Trees } from './store.ts';
import { firstFlushAt, groupLabelsOf, matchRoutes, type Tree } from './tree-rules.ts';

/** Puts alerts that began to fire into the groups of their policies, in the transaction that changes the alerts. */
export async function groupFired(
  trx: Executor,
  trees: Trees,
  { workspaceId, alerts, now }: { workspaceId: string; alerts: readonly FiredAlert[]; now: Date },
): Promise<void> {
  if (alerts.length === 0) return;
  const tree = await lockedTree(trx, trees, workspaceId, now);
  if (tree !== undefined) await enter(trx, workspaceId, await entriesOf(tree, alerts, now.getTime()), now);
}

/**
 * Routes firing alerts again after a change of policies or of a rule's name. An alert that goes elsewhere by now
 * stays in its former group until that has told of its end.
 */
export async function regroup(
  trx: Executor,
  trees: Trees,
  { workspaceId, ruleId, now }: { workspaceId: string; ruleId?: string; now: Date },
): Promise<void> {
  const tree = await lockedTree(trx, trees, workspaceId, now);
  if (tree === undefined) return;
  const firing = await listFiring(trx, workspaceId, ruleId);
  const alerts = firing.map(({ id, labels, rule_name, started_at }) => ({
    instanceId: id,
    labels: { ...labels, alertname: rule_name },
    startedAt: started_at.getTime(),
  }));
  const before = await listMemberships(
    trx,
    alerts.map(({ instanceId }) => instanceId),
  );
  const after = await enter(trx, workspaceId, await entriesOf(tree, alerts, now.getTime()), now);
  const routed = new Set(after.map(({ groupId, instanceId }) => `${groupId} ${instanceId}`));
  await leave(
    trx,
    before.filter(({ groupId, instanceId }) => !routed.has(`${groupId} ${instanceId}`)),
  );
}

async function lockedTree(trx: Executor, trees: Trees, workspaceId: string, now: Date): Promise<Tree | undefined> {
  let revision = await lockRouting(trx, workspaceId, 'share');
  if (revision === undefined) {
    await ensureRoot(trx, workspaceId, { id: newId(now.getTime()), now });
    revision = await lockRouting(trx, workspaceId, 'share');
  }
  return revision === undefined ? undefined : trees.of(trx, workspaceId, revision);
}

/** A policy that notifies nobody has no groups. */
async function entriesOf(tree: Tree, alerts: readonly FiredAlert[], now: number): Promise<Entry[]> {
  const breath = createBreath();
  const entries: Entry[] = [];
  for (const { instanceId, labels, startedAt } of alerts) {
    for (const { id, settings } of matchRoutes(tree.root, labels)) {
      if (settings.channels.length === 0) continue;
      const at = firstFlushAt({ startedAt, groupWaitMs: settings.groupWaitMs }, now);
      entries.push({ instanceId, policyId: id, labels: groupLabelsOf(settings, labels), firstFlushAt: at });
    }
    await breath();
  }
  return entries;
}
