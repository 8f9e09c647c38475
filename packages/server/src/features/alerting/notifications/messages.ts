import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Config } from '../../../config.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { ChannelRow, ChannelSender } from '../channels/index.ts';
import { type Labels, printMatchers } from '../matchers/index.ts';
import type { Explanation, Notification, NotifiedAlert } from '../notification.ts';
import { renderTemplate, type TemplateData } from '../templates/index.ts';
import type { Flush, Member } from './flush-rules.ts';
import type * as store from './groups-store.ts';
import { messageOf } from './message-rules.ts';

export interface MessageOptions extends Pick<Config['notify'], 'maxAlerts' | 'explained'> {
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: Pick<ChannelSender, 'render'>;
  /** Says why an alert fired; undefined where nothing can be said. Without it, messages have no explanations. */
  readonly explain?: (workspaceId: string, instanceId: string, signal: AbortSignal) => Promise<Explanation | undefined>;
  /** The address of the web application. */
  readonly externalUrl: string;
}

/** What rendering the texts of one message may take. Texts beyond that are sent as they are written. */
const maxRenderingMs = 1_000;
const noTexts: store.RuleTexts = { annotations: {}, runbookUrl: null };

/** An alert of a group with what its message says. */
export interface Alert extends Member {
  readonly row: store.MemberRow;
  /** `alertname` included. */
  readonly labels: Labels;
  /** Its project or its environment was removed: nothing changes its state any more. */
  readonly isEnded: boolean;
}

export interface Told {
  readonly channel: ChannelRow;
  readonly flush: Flush;
}

export interface MessageContext {
  readonly now: number;
  /** Of rules, by id. */
  readonly texts: ReadonlyMap<string, store.RuleTexts>;
  /** Ends when there is no time left for explanations. */
  readonly patience: AbortSignal;
}

/** Writes the messages of a flush, as deliveries. */
export class Messages {
  readonly #options: MessageOptions;

  constructor(options: MessageOptions) {
    this.#options = options;
  }

  /** Renders each message once; retries send the same bytes. */
  async deliveriesOf(
    group: store.ClaimedGroup,
    alerts: readonly Alert[],
    told: readonly Told[],
    context: MessageContext,
  ) {
    const { patience } = context;
    const now = new Date(context.now);
    const ids = new Set(told.flatMap(({ flush }) => [...(flush.send?.firing ?? []), ...(flush.send?.resolved ?? [])]));
    if (ids.size === 0) return [];
    const notified = await this.#notifiedAlerts(
      group,
      alerts.filter(({ id }) => ids.has(id)),
      context,
    );
    const explanations = await this.#explanationsOf(group, told, patience);
    const groupLabels = group.labels;
    const groupKey = `${group.policy_id ?? group.id}:${printMatchers(
      Object.entries(groupLabels).map(([name, value]) => ({ name, op: '=', value })),
    )}`;
    const alertsUrl = this.#alertsPage(group, alerts[0]);
    return told.flatMap(({ channel, flush }) => {
      if (flush.send === null) return [];
      const own = [...flush.send.firing, ...flush.send.resolved];
      const message = messageOf(
        { groupKey, groupLabels, externalUrl: this.#options.externalUrl, alertsUrl },
        own.flatMap((id) => {
          const alert = notified.get(id);
          const explanation = explanations.get(id);
          return alert === undefined ? [] : [explanation === undefined ? alert : { ...alert, explanation }];
        }),
        this.#options.maxAlerts,
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
          ...this.#rendered(channel, message),
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

  /** The page with the alerts of the project of an alert. */
  #alertsPage({ workspace }: store.ClaimedGroup, alert: Alert | undefined): string {
    const project = alert?.row.project;
    return `${this.#options.externalUrl}/w/${workspace}${project == null ? '' : `/${project}`}/alerts`;
  }

  async #notifiedAlerts(
    group: store.ClaimedGroup,
    alerts: readonly Alert[],
    { texts }: MessageContext,
  ): Promise<ReadonlyMap<string, NotifiedAlert>> {
    const breath = createBreath();
    const notified = new Map<string, NotifiedAlert>();
    let renderingMs = 0;
    for (const alert of alerts) {
      const { row, labels } = alert;
      const own = texts.get(row.rule_id ?? '') ?? noTexts;
      const value = row.gone === null ? row.value : row.gone.value;
      const startsAt = startOf(alert, this.#options.clock.now());
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
        endsAt: alert.isFiring ? null : endOf(alert, this.#options.clock.now()),
        generatorUrl: `${this.#alertsPage(group, alert)}/${alert.id}`,
        fingerprint: fingerprintOf(alert.labels),
        value,
        ruleId: alert.row.gone?.rule_id ?? alert.row.rule_id ?? '',
        instanceId: alert.id,
      });
    }
    return notified;
  }

  /** Why the alerts fire that channels hear of for the first time, by alert. What takes too long is left out. */
  async #explanationsOf(
    group: store.ClaimedGroup,
    told: readonly Told[],
    patience: AbortSignal,
  ): Promise<ReadonlyMap<string, Explanation>> {
    const { explain, explained, log } = this.#options;
    if (explain === undefined || patience.aborted) return new Map();
    const isNew = ({ flush }: Told) => flush.reason === 'first' || flush.reason === 'new_alerts';
    const ids = new Set(told.filter(isNew).flatMap(({ flush }) => flush.send?.firing ?? []));
    const found = await Promise.all(
      [...ids].slice(0, explained).map(async (id) => {
        try {
          return [id, await explain(group.workspace_id, id, patience)] as const;
        } catch (error) {
          log.debug({ err: error, alert: id }, 'an alert is notified without its explanation');
          return [id, undefined] as const;
        }
      }),
    );
    return new Map(found.flatMap(([id, explanation]) => (explanation === undefined ? [] : [[id, explanation]])));
  }

  #rendered(channel: ChannelRow, message: Notification) {
    try {
      return { body: this.#options.sender.render(channel, message), status: 'pending' as const, error: null };
    } catch (error) {
      this.#options.log.error({ err: error, channel: channel.id }, 'a notification could not be rendered');
      return {
        body: '',
        status: 'failed' as const,
        error: 'The message could not be rendered; the server log has more.',
      };
    }
  }
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
