import type { Labels } from '../matchers/index.ts';
import type { Notification, NotifiedAlert } from '../notification.ts';

/**
 * One message about a group: Alertmanager's webhook data. Alerts that fire come first, then the oldest; what does not fit
 * is counted.
 */
export function messageOf(
  {
    groupKey,
    groupLabels,
    externalUrl,
    alertsUrl,
  }: { groupKey: string; groupLabels: Labels; externalUrl: string; alertsUrl: string },
  alerts: readonly NotifiedAlert[],
  maxAlerts: number,
): Notification {
  const ordered = [...alerts].sort(
    (a, b) =>
      Number(b.status === 'firing') - Number(a.status === 'firing') ||
      a.startsAt.getTime() - b.startsAt.getTime() ||
      (a.instanceId < b.instanceId ? -1 : 1),
  );
  const shown = ordered.slice(0, maxAlerts);
  const left = ordered.slice(maxAlerts);
  const firing = left.filter(({ status }) => status === 'firing').length;
  return {
    groupKey,
    status: alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved',
    groupLabels,
    commonLabels: common(alerts.map(({ labels }) => labels)),
    commonAnnotations: common(shown.map(({ annotations }) => annotations)),
    externalUrl,
    alertsUrl,
    truncated: { firing, resolved: left.length - firing },
    alerts: shown,
  };
}

/** What all have in common. */
export function common(all: readonly Labels[]): Labels {
  const [first, ...others] = all;
  if (first === undefined) return {};
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) =>
      others.every((labels) => Object.hasOwn(labels, name) && labels[name] === value),
    ),
  );
}

/** A message as it was stored as JSON, also by a release that did not store the statuses of alerts that were left out. */
export function revived(stored: unknown): Notification {
  const message = stored as Notification & { readonly truncatedAlerts?: number };
  return {
    ...message,
    alertsUrl: message.alertsUrl ?? message.externalUrl,
    truncated: message.truncated ?? { firing: message.truncatedAlerts ?? 0, resolved: 0 },
    alerts: message.alerts.map((alert) => ({
      ...alert,
      startsAt: new Date(alert.startsAt),
      endsAt: alert.endsAt === null ? null : new Date(alert.endsAt),
    })),
  };
}
