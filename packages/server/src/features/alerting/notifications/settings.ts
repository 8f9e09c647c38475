import { count, minutesInMs, setting } from '../../../platform/settings.ts';

export const notifySettings = {
  concurrency: setting('FANION_NOTIFY_CONCURRENCY', count(1, 256).default(16), {
    help: 'Notifications that one server sends at the same time',
  }),
  channelConcurrency: setting('FANION_NOTIFY_CHANNEL_CONCURRENCY', count(1, 64).default(4), {
    help: 'The same for one channel, so that a slow receiver does not delay others',
  }),
  maxAlerts: setting('FANION_NOTIFY_MAX_ALERTS', count(1, 1_000).default(200), {
    help: 'Alerts that one notification lists; it counts further ones',
  }),
  triedForMs: setting('FANION_NOTIFY_RETRY_MINUTES', count(1, 1_440).default(60).transform(minutesInMs), {
    help: 'How long a notification is retried, at least ten times, before its channel counts as unhealthy and the fallback channel is used',
  }),
  explained: setting('FANION_NOTIFY_EXPLAINED', count(0, 20).default(3), {
    help: 'Alerts of one notification that include their explanation',
  }),
  explainMs: setting('FANION_NOTIFY_EXPLAIN_MS', count(1, 20_000).default(8_000), {
    help: 'How long notifications that are due together wait for explanations, in milliseconds',
  }),
  keptDays: setting('FANION_NOTIFY_KEEP_DAYS', count(1, 400).default(30), {
    help: 'How long delivered and failed notifications are listed',
  }),
};
