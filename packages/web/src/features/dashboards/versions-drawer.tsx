import { type Dashboard, type Difference, rollbackDashboard } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { countOf } from '../../ui/format/index.ts';
import { Button, Drawer, Stack } from '../../ui/mantine.ts';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import classes from './dashboards.module.css';
import { keepDashboard, versionQuery, versionsQuery } from './queries.ts';

/** The versions of a dashboard, what each changed, and the way back to one. */
export function VersionsDrawer({
  ws,
  dashboard,
  canWrite,
  opened,
  onClose,
}: {
  ws: string;
  dashboard: Dashboard;
  canWrite: boolean;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={520} title="Versions">
      {opened && <Versions ws={ws} dashboard={dashboard} canWrite={canWrite} />}
    </Drawer>
  );
}

function Versions({ ws, dashboard, canWrite }: { ws: string; dashboard: Dashboard; canWrite: boolean }) {
  const versions = useQuery(versionsQuery(ws, dashboard.id));
  const [opened, setOpened] = useState<number | null>(null);
  if (versions.isError) return <ErrorState error={versions.error} onRetry={() => void versions.refetch()} />;
  if (versions.isPending) return <Loading />;
  return (
    <ol className={classes.versions} aria-label="Versions">
      {versions.data.map(({ version, author, comment, created_at }) => (
        <li key={version}>
          <button
            type="button"
            aria-expanded={opened === version}
            onClick={() => setOpened(opened === version ? null : version)}
          >
            <span>
              Version {version} {version === dashboard.version && <span className="dim">current</span>}
            </span>
            <span className="dim">
              {author.name}, <Timestamp value={created_at} ago />
            </span>
            {comment && <span>{comment}</span>}
          </button>
          {opened === version && <Changes ws={ws} dashboard={dashboard} version={version} canWrite={canWrite} />}
        </li>
      ))}
    </ol>
  );
}

function Changes({
  ws,
  dashboard,
  version,
  canWrite,
}: {
  ws: string;
  dashboard: Dashboard;
  version: number;
  canWrite: boolean;
}) {
  const confirm = useConfirm();
  const shown = useQuery(versionQuery(ws, dashboard.id, version));
  if (shown.isError) return <ErrorState compact error={shown.error} />;
  if (shown.isPending) return <Loading />;
  const { against, changes, model } = shown.data;
  const rollback = async () => {
    const sure = await confirm({
      title: `Go back to version ${version}?`,
      body: `This makes a new version with the ${countOf(model.panels.length, 'panel')} of version ${version}. Nothing is lost.`,
      action: 'Go back',
    });
    if (!sure) return;
    await call(rollbackDashboard, { params: { ws, id: dashboard.id, version: String(version) } })
      .then(async ({ data }) => {
        await keepDashboard(ws, data);
        toastDone(`Version ${data.version} equals version ${version}`);
      })
      .catch(toastError);
  };
  return (
    <Stack gap="xs" className={classes.changes}>
      {against === null ? (
        <p className="dim">The first version that is kept, with {countOf(model.panels.length, 'panel')}.</p>
      ) : changes.length === 0 ? (
        <p className="dim">Only the place of the dashboard changed.</p>
      ) : (
        <ChangeList changes={changes} />
      )}
      {canWrite && version !== dashboard.version && (
        <Button size="xs" variant="default" onClick={() => void rollback()}>
          Go back to version {version}
        </Button>
      )}
    </Stack>
  );
}

/** What changed, one line each. */
export function ChangeList({ changes }: { changes: readonly Difference[] }) {
  return (
    <ul className={classes.changeList}>
      {changes.map((change) => (
        <li key={`${change.path} ${change.kind}`} data-kind={change.kind}>
          <span className="mono">{change.path}</span> {change.kind}
          {change.kind === 'changed' && (
            <>
              <del>{short(change.before)}</del>
              <ins>{short(change.after)}</ins>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
