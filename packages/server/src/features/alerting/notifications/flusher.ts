import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type ChannelRow, type ChannelSender, findChannels } from '../channels/index.ts';
import { type Labels, printMatchers } from '../matchers/index.ts';
import type { Explanation, Notification, NotifiedAlert } from '../notification.ts';
import { createTrees, defaultSettings, isMuted, type Settings } from '../routing-policies/index.ts';
import { renderTemplate, type TemplateData } from '../templates/index.ts';
import { insertDeliveries, type NewDelivery } from './deliveries-store.ts';
import { decide, type Flush, forgotten, type Member, type Sent } from './flush-rules.ts';
import * as store from './groups-store.ts';
import { messageOf } from './message-rules.ts';
import { loadMuting, type Muting } from './muting.ts';

export interface FlusherOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
  readonly sender: Pick<ChannelSender, 'render'>;
  /** Says why an alert fired; undefined where nothing can be said. Without it, messages have no explanations. */
  readonly explain?: (workspaceId: string, instanceId: string, signal: AbortSignal) => Promise<Explanation | undefined>;
  /** The address of the web application. */
  readonly externalUrl: string;
  /** Alerts of one message; further ones are counted. */
  readonly maxAlerts: number;
  /** Alerts of one message that are explained: those that fire for the first time, the oldest first. */
  readonly explained: number;
  /** The time that all explanations of a claim may take: much less than its lease. A message never waits longer for its own. */
  readonly explainMs: number;
}

/** Groups of one claim. */
const batch = 100;
/** Groups that are written together, and how long the first of them may wait for the others: much less than the lease. */
const maxTogether = 25;
const togetherMs = 2_000;
const leaseMs = 30_000;
/** What rendering the texts of one message may take. Texts beyond that are sent as they are written. */
const maxRenderingMs = 1_000;
const noTexts: store.RuleTexts = { annotations: {}, runbookUrl: null };

/** An alert of a group with what its message says. */
interface Alert extends Member {
  readonly row: store.MemberRow;
  /** `alertname` included. */
  readonly labels: Labels;
  /** Its project or its environment was removed: nothing changes its state any more. */
  readonly isEnded: boolean;
}

interface Context {
  readonly now: number;
  readonly muting: Muting | undefined;
  readonly settings: Settings;
  readonly channels: ReadonlyMap<string, ChannelRow>;
  /** Of rules, by id. */
  readonly texts: ReadonlyMap<string, store.RuleTexts>;
  /** Ends when there is no time left for explanations. */
  readonly patience: AbortSignal;
}

interface Told {
  readonly channel: ChannelRow;
  readonly flush: Flush;
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
  const { db, clock, log, holder, sender, externalUrl, maxAlerts } = options;
  const trees = createTrees();

  /** What is known about the groups of a claim, by as few statements as there are kinds of rows. */
  async function load(groups: readonly store.ClaimedGroup[], now: Date) {
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

  /** The page with the alerts of the project of an alert. */
  function alertsPage({ workspace }: store.ClaimedGroup, alert: Alert | undefined): string {
    const project = alert?.row.project;
    return `${externalUrl}/w/${workspace}${project == null ? '' : `/${project}`}/alerts`;
  }

  async function notifiedAlerts(
    group: store.ClaimedGroup,
    alerts: readonly Alert[],
    { texts }: Context,
  ): Promise<ReadonlyMap<string, NotifiedAlert>> {
    const breath = createBreath();
    const notified = new Map<string, NotifiedAlert>();
    let renderingMs = 0;
    for (const alert of alerts) {
      const { row, labels } = alert;
      const own = texts.get(row.rule_id ?? '') ?? noTexts;
      const value = row.gone === null ? row.value : row.gone.value;
      const startsAt = startOf(alert, clock.now());
      const data: TemplateData = {
        labels,
        value,
        rule: { id: row.rule_id ?? '', name: row.rule_name ?? '', runbook_url: own.runbookUrl },
        annotations: own.annotations,
        status: alert.isFiring ? 'firing' : 'resolved',
        starts_at: startsAt.toISOString(),
      };
      const rendered: [string, string][] = own.runbookUrl === null ? [] : [['runbook_url', own.runbookUrl]];
      for (const [name, text] of Object.entries(own.annotations)) {
        const began = performance.now();
        rendered.push([name, renderingMs > maxRenderingMs ? text : renderTemplate(text, data).text]);
        renderingMs += performance.now() - began;
        await breath();
      }
      notified.set(alert.id, {
        status: alert.isFiring ? 'firing' : 'resolved',
        labels,
        annotations: Object.fromEntries(rendered),
        startsAt,
        endsAt: alert.isFiring ? null : endOf(alert, clock.now()),
        generatorUrl: `${alertsPage(group, alert)}/${alert.id}`,
        fingerprint: fingerprintOf(alert.labels),
        value,
        ruleId: alert.row.gone?.rule_id ?? alert.row.rule_id ?? '',
        instanceId: alert.id,
      });
    }
    return notified;
  }

  /** Why the alerts fire that channels hear of for the first time, by alert. What takes too long is left out. */
  async function explanationsOf(
    group: store.ClaimedGroup,
    told: readonly Told[],
    patience: AbortSignal,
  ): Promise<ReadonlyMap<string, Explanation>> {
    const { explain } = options;
    if (explain === undefined || patience.aborted) return new Map();
    const isNew = ({ flush }: Told) => flush.reason === 'first' || flush.reason === 'new_alerts';
    const ids = new Set(told.filter(isNew).flatMap(({ flush }) => flush.send?.firing ?? []));
    const explained = await Promise.all(
      [...ids].slice(0, options.explained).map(async (id) => {
        try {
          return [id, await explain(group.workspace_id, id, patience)] as const;
        } catch (error) {
          log.debug({ err: error, alert: id }, 'an alert is notified without its explanation');
          return [id, undefined] as const;
        }
      }),
    );
    return new Map(explained.flatMap(([id, explanation]) => (explanation === undefined ? [] : [[id, explanation]])));
  }

  /** Renders each message once; retries send the same bytes. */
  async function deliveriesOf(
    group: store.ClaimedGroup,
    alerts: readonly Alert[],
    told: readonly Told[],
    context: Context,
  ) {
    const { patience } = context;
    const now = new Date(context.now);
    const ids = new Set(told.flatMap(({ flush }) => [...(flush.send?.firing ?? []), ...(flush.send?.resolved ?? [])]));
    if (ids.size === 0) return [];
    const notified = await notifiedAlerts(
      group,
      alerts.filter(({ id }) => ids.has(id)),
      context,
    );
    const explanations = await explanationsOf(group, told, patience);
    const groupLabels = group.labels;
    const groupKey = `${group.policy_id ?? group.id}:${printMatchers(
      Object.entries(groupLabels).map(([name, value]) => ({ name, op: '=', value })),
    )}`;
    const alertsUrl = alertsPage(group, alerts[0]);
    return told.flatMap(({ channel, flush }) => {
      if (flush.send === null) return [];
      const own = [...flush.send.firing, ...flush.send.resolved];
      const message = messageOf(
        { groupKey, groupLabels, externalUrl, alertsUrl },
        own.flatMap((id) => {
          const alert = notified.get(id);
          const explanation = explanations.get(id);
          return alert === undefined ? [] : [explanation === undefined ? alert : { ...alert, explanation }];
        }),
        maxAlerts,
      );
      return [
        {
          id: newId(now.getTime()),
          workspace_id: group.workspace_id,
          group_id: group.id,
          channel_id: channel.id,
          flush: group.flush,
          idempotency_key: `${group.id}.${channel.id}.${group.flush}`,
          reason: flush.reason,
          ...rendered(channel, message),
          notification: JSON.stringify(message),
          fallback_for: null,
          hops: 0,
          next_try_at: now,
          created_at: now,
          instanceIds: own,
        },
      ];
    });
  }

  function rendered(channel: ChannelRow, message: Notification) {
    try {
      return { body: sender.render(channel, message), status: 'pending' as const, error: null };
    } catch (error) {
      log.error({ err: error, channel: channel.id }, 'a notification could not be rendered');
      return {
        body: '',
        status: 'failed' as const,
        error: 'The message could not be rendered; the server log has more.',
      };
    }
  }

  async function decidedOf(
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
      deliveries: await deliveriesOf(group, alerts, told, context),
    };
  }

  /** Writes what flushes decided, apart from groups that another replica has by now. */
  async function commit(flushes: readonly Decided[], now: Date): Promise<void> {
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
  async function commitEach(flushes: readonly Decided[], now: Date): Promise<void> {
    if (flushes.length === 0) return;
    try {
      await commit(flushes, now);
    } catch (error) {
      const [only] = flushes;
      if (flushes.length > 1) for (const flush of flushes) await commitEach([flush], now);
      else
        log.error({ err: error, group: only?.group.id }, 'a group of alerts could not be notified; it is tried again');
    }
  }

  return {
    /** Flushes groups that are due, at most one claim of them; returns whether there may be more. */
    async flushDue(): Promise<boolean> {
      const now = new Date(clock.now());
      const groups = await store.claimGroups(db, { holder, now, leaseMs, limit: batch });
      if (groups.length === 0) return false;
      const known = await load(groups, now);
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
        else decidedSoFar.push(await decidedOf(group, alerts, decided, context));
        if (decidedSoFar.length >= maxTogether || performance.now() - since > togetherMs) {
          await commitEach(decidedSoFar, now);
          decidedSoFar = [];
          since = performance.now();
        }
        await breath();
      }
      await commitEach(decidedSoFar, now);
      await store.postponeGroups(db, unchanged);
      return groups.length === batch;
    },
  };
}

function labelsOf({ gone, labels, rule_name }: store.MemberRow): Labels | undefined {
  if (labels !== null) return { ...labels, alertname: rule_name ?? '' };
  return gone?.labels;
}

function isFiringState(state: string | null): boolean {
  return state === 'firing' || state === 'recovering' || state === 'no_data' || state === 'error';
}

function startOf({ row }: Alert, now: number): Date {
  const gone = row.gone?.fired_at;
  return row.fired_at ?? (gone == null ? new Date(now) : new Date(gone));
}

function endOf({ row }: Alert, now: number): Date {
  const gone = row.gone?.resolved_at;
  if (gone !== undefined) return new Date(gone);
  return row.resolved_at ?? row.updated_at ?? new Date(now);
}

/** The same for equal labels. */
function fingerprintOf(labels: Labels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
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
