import { createHmac } from 'node:crypto';
import type { NotifiedAlert } from '../../notification.ts';
import { fitting, leftOut, ordered, valueJson } from '../message-rules.ts';
import { type HttpKind, postJson } from './kind.ts';

/** The largest body; further alerts are left out and counted in `truncatedAlerts`. */
const maxBytes = 1024 ** 2;

/**
 * Alertmanager's webhook, version 4 (https://prometheus.io/docs/alerting/latest/configuration/#webhook_config), with two
 * fields more for each alert: `values`, as Grafana sends it, and `fanion`. The message itself has `fanion` too.
 */
export const webhook: HttpKind<'webhook'> = {
  render(notification, { name }) {
    const { groupKey, status, groupLabels, commonLabels, commonAnnotations, externalUrl, alertsUrl } = notification;
    const alerts = ordered(notification.alerts).map(alertJson);
    const head = (truncated: ReturnType<typeof leftOut>) => ({
      version: '4',
      groupKey,
      truncatedAlerts: truncated.firing + truncated.resolved,
      status,
      receiver: name,
      groupLabels,
      commonLabels,
      commonAnnotations,
      externalURL: externalUrl,
      fanion: { truncated, alerts_url: alertsUrl },
    });
    // Room for the number of alerts that are left out.
    const room = maxBytes - Buffer.byteLength(JSON.stringify(head(leftOut(notification, 0)))) - 100;
    const { kept } = fitting(alerts, (alert) => Buffer.byteLength(JSON.stringify(alert)) + 1, room);
    return JSON.stringify({ ...head(leftOut(notification, kept.length)), alerts: kept });
  },
  request(body, { url, secret }, { idempotencyKey, nowMs }) {
    const seconds = Math.floor(nowMs / 1_000);
    const signature = secret && createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
    return postJson(url, body, {
      'idempotency-key': idempotencyKey,
      ...(signature && { 'x-fanion-signature': `t=${seconds},v1=${signature}` }),
    });
  },
};

function alertJson(alert: NotifiedAlert) {
  return {
    status: alert.status,
    labels: alert.labels,
    annotations: alert.annotations,
    startsAt: alert.startsAt.toISOString(),
    // What Alertmanager sends for an alert that still fires: the zero time of Go.
    endsAt: alert.endsAt?.toISOString() ?? '0001-01-01T00:00:00Z',
    generatorURL: alert.generatorUrl,
    fingerprint: alert.fingerprint,
    values: alert.value === null ? {} : { value: valueJson(alert.value) },
    fanion: { rule_id: alert.ruleId, instance_id: alert.instanceId, explanation: alert.explanation ?? null },
  };
}
