import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { type ChannelSender, findChannels } from '../channels/index.ts';
import type { Notification } from '../notification.ts';
import { insertDeliveries } from './deliveries-store.ts';
import { insertGroup } from './groups-store.ts';

/** A message that is no alert: something happened once. */
export interface Announcement {
  readonly workspaceId: string;
  /** Ids; those that were deleted are passed over. */
  readonly channels: readonly string[];
  /** The same for the same event, so that receivers recognize a repetition. */
  readonly key: string;
  /** `alertname` and `severity` included. */
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** Of the web application. */
  readonly path: string;
  /** `resolved` for a good result, such as a completed release: only channels with `send_resolved` send it. */
  readonly status: 'firing' | 'resolved';
}

/** Writes the deliveries of a message, in the transaction of the event that it reports. They are retried like those of alerts. */
export async function tellChannels(
  trx: Executor,
  { sender, externalUrl }: { readonly sender: Pick<ChannelSender, 'render'>; readonly externalUrl: string },
  announcement: Announcement,
  now: Date,
): Promise<void> {
  const { workspaceId, key, labels, status } = announcement;
  const channels = (await findChannels(trx, workspaceId, announcement.channels)).filter(
    ({ send_resolved }) => status === 'firing' || send_resolved,
  );
  if (channels.length === 0) return;
  const groupId = newId(now.getTime());
  const annotations = { summary: announcement.summary, description: announcement.description };
  const notification: Notification = {
    groupKey: key,
    status,
    groupLabels: { alertname: labels.alertname ?? '' },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalUrl,
    alertsUrl: externalUrl,
    truncated: { firing: 0, resolved: 0 },
    alerts: [
      {
        status,
        labels,
        annotations,
        startsAt: now,
        endsAt: status === 'resolved' ? now : null,
        generatorUrl: `${externalUrl}${announcement.path}`,
        fingerprint: groupId.replaceAll('-', '').slice(-16),
        value: null,
        ruleId: groupId,
        instanceId: groupId,
      },
    ],
  };
  await insertGroup(trx, { id: groupId, workspaceId, key, labels, now });
  await insertDeliveries(
    trx,
    channels.map((channel) => ({
      id: newId(now.getTime()),
      workspace_id: workspaceId,
      group_id: groupId,
      channel_id: channel.id,
      flush: 1,
      idempotency_key: `${key}.${channel.id}`,
      reason: 'first',
      body: sender.render(channel, notification),
      notification: JSON.stringify(notification),
      fallback_for: null,
      hops: 0,
      status: 'pending' as const,
      error: null,
      next_try_at: now,
      created_at: now,
      instanceIds: [],
    })),
  );
}
