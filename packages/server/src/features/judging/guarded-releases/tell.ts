import type { Executor } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../alerting/notifications/index.ts';
import type { PlacedRelease } from './store.ts';

export type TellChannels = Pick<Notifications, 'tell' | 'wake'>;

/** Notifies the channels of a release of what happened to it. */
export async function tell(
  trx: Executor,
  notifications: TellChannels,
  release: PlacedRelease,
  {
    what,
    reason,
    severity,
  }: { readonly what: string; readonly reason: string; readonly severity: 'critical' | 'warning' | 'info' },
  now: Date,
): Promise<void> {
  const { definition, flag, environment, project, workspace } = release;
  await notifications.tell(
    trx,
    {
      workspaceId: release.workspace_id,
      channels: definition.channels,
      key: `guarded_release:${release.id}:${release.run}:${release.looks}`,
      labels: {
        alertname: `Guarded release of ${flag}`,
        severity,
        flag,
        variant: definition.variant,
        environment,
        project,
      },
      summary: `The guarded release of ${flag} in ${environment} ${what}.`,
      description: reason,
      path: `/w/${workspace}/${project}/flags/${encodeURIComponent(flag)}`,
      status: severity === 'info' ? 'resolved' : 'firing',
    },
    now,
  );
}
