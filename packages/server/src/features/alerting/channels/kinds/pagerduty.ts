import { createHash } from 'node:crypto';
import { cut, fitting, leftOut, ordered, severityOf, titleOf, valueJson } from '../message-rules.ts';
import { below, type HttpKind, postJson } from './kind.ts';

// https://developer.pagerduty.com/docs/events-api-v2-overview: an event of 512 KB, a summary of 1,024 characters, a
// dedup_key of 255.
const maxBytes = 512_000;
const maxSummary = 1_024;
/** Left for everything but the list of alerts; the routing key is added when it is sent. */
const head = 32_000;

/** One incident for each group: `dedup_key` is the same in all events of a group. */
export const pagerduty: HttpKind<'pagerduty'> = {
  render(notification) {
    const { groupKey, status, alertsUrl, commonLabels } = notification;
    const event = { dedup_key: createHash('sha256').update(groupKey).digest('hex') };
    if (status === 'resolved') return JSON.stringify({ ...event, event_action: 'resolve' });
    const sorted = ordered(notification.alerts);
    const alerts = sorted.map((alert) => ({
      status: alert.status,
      labels: alert.labels,
      annotations: alert.annotations,
      value: valueJson(alert.value),
      starts_at: alert.startsAt.toISOString(),
      url: alert.generatorUrl,
    }));
    const { kept } = fitting(alerts, (alert) => Buffer.byteLength(JSON.stringify(alert)) + 1, maxBytes - head);
    const { firing, resolved } = leftOut(notification, kept.length);
    const [first] = sorted;
    return JSON.stringify({
      ...event,
      event_action: 'trigger',
      client: 'Fanion',
      client_url: alertsUrl,
      links: kept.slice(0, 10).map(({ url, labels }) => ({ href: url, text: cut(labels.alertname ?? 'alert', 200) })),
      payload: {
        summary: cut(titleOf(notification), maxSummary),
        source: cut(commonLabels['service.name'] ?? 'Fanion', 255),
        severity: severityOf(notification),
        ...(first !== undefined && { timestamp: first.startsAt.toISOString() }),
        custom_details: {
          alerts: kept,
          truncated_alerts: firing + resolved,
          truncated: { firing, resolved },
          all_alerts: alertsUrl,
        },
      },
    });
  },
  request: (event, { url, routing_key }) =>
    postJson(below(url, '/v2/enqueue'), `{"routing_key":${JSON.stringify(routing_key)},${event.slice(1)}`),
};
