import { performance } from 'node:perf_hooks';
import type { Config } from '../../../config.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type ChannelRow, findChannels } from '../channels/index.ts';
import type { Labels } from '../matchers/index.ts';
import { createTrees, defaultSettings, isMuted, type Settings, type Trees } from '../routing-policies/index.ts';
import { insertDeliveries, type NewDelivery } from './deliveries-store.ts';
import { decide, forgotten, type Sent } from './flush-rules.ts';
import * as store from './groups-store.ts';
import { type Alert, type MessageContext, type MessageOptions, Messages, type Told } from './messages.ts';
import { loadMuting, type Muting } from './muting.ts';

export interface FlusherOptions extends MessageOptions, Pick<Config['notify'], 'explainMs'> {
  readonly db: Database;
  readonly holder: string;
}

/** Groups of one claim. */
const batch = 100;
/** Groups that are written together, and how long the first of them may wait for the others: much less than the lease. */
const maxTogether = 25;
const togetherMs = 2_000;
const leaseMs = 30_000;

interface Context extends MessageContext {
  readonly muting: Muting | undefined;
  readonly settings: Settings;
  readonly channels: ReadonlyMap<string, ChannelRow>;
}

/** What a flush writes. */
interface Decided extends store.EndedFlush {
  /** Alerts that leave the group. */
  readonly forgotten: readonly string[];
  /** Those of removed projects: nothing changes their state any more. */
  readonly ended: readonly string[];
  readonly sent: ReadonlyMap<string, Sent>;
  readonly deliveries: readonly (NewDelivery & { readonly instanceIds: readonly string[] })[];
}

/** Decides what the channels of groups that are due are sent, and writes that as deliveries. */
export function createFlusher(options: FlusherOptions) {
  const { db, clock, holder } = options;
  const messages = new Messages(options);
  const trees = createTrees();

  return {
    /** Flushes groups that are due, at most one claim of them; returns whether there may be more. */
    async flushDue(): Promise<boolean> {
      const now = new Date(clock.now());
      const groups = await store.claimGroups(db, { holder, now, leaseMs, limit: batch });
      if (groups.length === 0) return false;
      const known = await load(db, trees, groups, now);
      const patience = AbortSignal.timeout(options.explainMs);
      const unchanged: store.EndedFlush[] = [];
      let decidedSoFar: Decided[] = [];
      let since = performance.now();
      const breath = createBreath();
      for (const group of groups) {
        const settings = known.settings.get(group.id) ?? defaultSettings;
        const context: Context = {
          now: now.getTime(),
          muting: known.muting.get(group.workspace_id),
          settings,
          channels: known.channels.get(group.workspace_id) ?? new Map(),
          texts: known.texts,
          patience,
        };
        const alerts = alertsOf(known.members.get(group.id) ?? [], context);
        const decided = decideAll(alerts, known.sent.get(group.id) ?? [], context);
        const isUnchanged = alerts.length > 0 && decided.told.length === 0 && decided.forgotten.length === 0;
        if (isUnchanged) unchanged.push({ group, nextFlushAt: new Date(now.getTime() + settings.groupIntervalMs) });
        else decidedSoFar.push(await decidedOf(messages, group, alerts, decided, context));
        if (decidedSoFar.length >= maxTogether || performance.now() - since > togetherMs) {
          await commitEach(options, decidedSoFar, now);
          decidedSoFar = [];
          since = performance.now();
        }
        await breath();
      }
      await commitEach(options, decidedSoFar, now);
      await store.postponeGroups(db, unchanged);
      return groups.length === batch;
    },
  };
}

/** What is known about the groups of a claim, by as few statements as there are kinds of rows. */
async function load(db: Database, trees: Trees, groups: readonly store.ClaimedGroup[], now: Date) {
  const groupIds = groups.map(({ id }) => id);
  const workspaceIds = [...new Set(groups.map(({ workspace_id }) => workspace_id))];
  const members = groupedBy(await store.listMembers(db, groupIds), ({ group_id }) => group_id);
  const sent = groupedBy(await store.listSent(db, groupIds), ({ groupId }) => groupId);
  const muting = await loadMuting(db, workspaceIds, now);
  const revisions = await store.listRevisions(db, workspaceIds);
  const ruleIds = new Set([...members.values()].flatMap((rows) => rows.flatMap(({ rule_id }) => rule_id ?? [])));
  const texts = await store.listAnnotations(db, [...ruleIds]);
  const channels = new Map<string, ReadonlyMap<string, ChannelRow>>();
  const settings = new Map<string, Settings>();
  for (const workspaceId of workspaceIds) {
    const revision = revisions.get(workspaceId);
    const tree = revision === undefined ? undefined : await trees.of(db, workspaceId, revision);
    const used = new Set<string>();
    for (const group of groups.filter(({ workspace_id }) => workspace_id === workspaceId)) {
      const own = tree?.byId.get(group.policy_id ?? '')?.settings ?? { ...defaultSettings, channels: [] };
      settings.set(group.id, own);
      for (const id of own.channels) used.add(id);
      for (const { channelId } of sent.get(group.id) ?? []) used.add(channelId);
    }
    const rows = await findChannels(db, workspaceId, [...used]);
    channels.set(workspaceId, new Map(rows.map((row) => [row.id, row])));
  }
  return { members, sent, muting, settings, channels, texts };
}

function alertsOf(rows: readonly store.MemberRow[], { now, muting, settings }: Context): Alert[] {
  const mutedByTime = isMuted(settings, now);
  return rows.flatMap((row): Alert[] => {
    const labels = labelsOf(row);
    // Neither the alert nor what was kept of it: there is nothing to tell.
    if (labels === undefined) return [];
    const { instance_id: id, state, is_live, has_left: hasLeft } = row;
    const isEnded = row.gone !== null || !is_live;
    const held = mutedByTime ? undefined : muting?.of({ id, labels });
    const isHeld = mutedByTime || (held !== undefined && held.silences.length + held.alerts.length > 0);
    return [{ id, row, labels, hasLeft, isEnded, isFiring: !isEnded && isFiringState(state), isMuted: isHeld }];
  });
}

/** What each channel is sent, and what counts as sent afterwards. */
function decideAll(alerts: readonly Alert[], sent: readonly store.SentRow[], { now, settings, channels }: Context) {
  const before = new Map(sent.map((row) => [row.channelId, row]));
  const left = sent.filter(({ channelId, firing }) => firing.length > 0 && !settings.channels.includes(channelId));
  const told: Told[] = [];
  const after = new Map<string, Sent>(before);
  for (const id of [...settings.channels, ...left.map(({ channelId }) => channelId)]) {
    const channel = channels.get(id);
    if (channel === undefined) continue;
    const terms = {
      sendResolved: channel.send_resolved,
      repeatIntervalMs: settings.repeatIntervalMs,
      isAwaiting: before.get(id)?.isAwaiting ?? false,
      hasLeft: !settings.channels.includes(id),
    };
    const flush = decide(alerts, before.get(id), terms, now);
    if (flush === null) continue;
    told.push({ channel, flush });
    after.set(id, flush.sent);
  }
  return { told, forgotten: forgotten(alerts, [...after.values()]) };
}

async function decidedOf(
  messages: Messages,
  group: store.ClaimedGroup,
  alerts: readonly Alert[],
  { told, forgotten }: ReturnType<typeof decideAll>,
  context: Context,
): Promise<Decided> {
  return {
    group,
    nextFlushAt: new Date(context.now + context.settings.groupIntervalMs),
    forgotten,
    ended: alerts.filter(({ isEnded }) => isEnded).map(({ id }) => id),
    sent: new Map(told.map(({ channel, flush }) => [channel.id, flush.sent])),
    deliveries: await messages.deliveriesOf(group, alerts, told, context),
  };
}

/** Writes what flushes decided, apart from groups that another replica has by now. */
async function commit(db: Database, flushes: readonly Decided[], now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const held = await store.heldGroups(
      trx,
      flushes.map(({ group }) => group),
    );
    const own = flushes.filter(({ group }) => held.has(group.id));
    for (const { group, ...members } of own) await store.forgetMembers(trx, group.id, members);
    await store.saveSent(
      trx,
      own.map(({ group, sent }) => ({ groupId: group.id, sent })),
    );
    await insertDeliveries(
      trx,
      own.flatMap(({ deliveries }) => deliveries),
    );
    await store.endFlushes(trx, own, now);
  });
}

/** The same, so that what cannot be written of one group does not keep the others back. */
async function commitEach(
  { db, log }: Pick<FlusherOptions, 'db' | 'log'>,
  flushes: readonly Decided[],
  now: Date,
): Promise<void> {
  if (flushes.length === 0) return;
  try {
    await commit(db, flushes, now);
  } catch (error) {
    const [only] = flushes;
    if (flushes.length > 1) for (const flush of flushes) await commitEach({ db, log }, [flush], now);
    else log.error({ err: error, group: only?.group.id }, 'a group of alerts could not be notified; it is tried again');
  }
}

function labelsOf({ gone, labels, rule_name }: store.MemberRow): Labels | undefined {
  if (labels !== null) return { ...labels, alertname: rule_name ?? '' };
  return gone?.labels;
}

function isFiringState(state: string | null): boolean {
  return state === 'firing' || state === 'recovering' || state === 'no_data' || state === 'error';
}

function groupedBy<T>(rows: readonly T[], keyOf: (row: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [row]);
    else known.push(row);
  }
  return groups;
}
