import type { Labels } from '../matchers/index.ts';
import type { Notification, NotifiedAlert } from '../notification.ts';

/**
 * One message about a group: Alertmanager's webhook data. Alerts that fire come first, then the oldest; what does not fit
 * is counted.
 */
export function messageOf(
  { groupKey, groupLabels, externalUrl }: { groupKey: string; groupLabels: Labels; externalUrl: string },
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
  return {
    groupKey,
    status: alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved',
    groupLabels,
    commonLabels: common(alerts.map(({ labels }) => labels)),
    commonAnnotations: common(shown.map(({ annotations }) => annotations)),
    externalUrl,
    truncatedAlerts: alerts.length - shown.length,
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

/** A message as it was stored as JSON. */
export function revived(stored: unknown): Notification {
  const message = stored as Notification;
  return {
    ...message,
    alerts: message.alerts.map((alert) => ({
      ...alert,
      startsAt: new Date(alert.startsAt),
      endsAt: alert.endsAt === null ? null : new Date(alert.endsAt),
    })),
  };
}
