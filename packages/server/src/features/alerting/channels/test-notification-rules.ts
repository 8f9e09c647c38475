import type { Notification } from '../notification.ts';

/** What the test of a channel sends: one alert that says that it is a test. */
export function testNotification(facts: {
  readonly status: 'firing' | 'resolved';
  readonly channel: string;
  /** Another one for each test. */
  readonly key: string;
  readonly url: string;
  readonly now: Date;
}): Notification {
  const { status, channel, key, url, now } = facts;
  const labels = { alertname: 'Test notification', channel, severity: 'info' };
  const annotations = {
    summary: `Test of the channel ${channel}`,
    description: 'Nothing is wrong: somebody tests this channel.',
  };
  return {
    groupKey: `test:${key}`,
    status,
    groupLabels: { alertname: labels.alertname },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalUrl: url,
    alertsUrl: url,
    truncated: { firing: 0, resolved: 0 },
    alerts: [
      {
        status,
        labels,
        annotations,
        startsAt: now,
        endsAt: status === 'resolved' ? now : null,
        generatorUrl: url,
        fingerprint: key.replaceAll('-', '').slice(-16),
        value: 1,
        ruleId: key,
        instanceId: key,
      },
    ],
  };
}
