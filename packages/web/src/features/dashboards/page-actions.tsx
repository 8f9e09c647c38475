import { createDashboard, type Dashboard, type DashboardModel } from '@fanion/contract';
import { IconCamera, IconCopy, IconDots, IconDownload, IconHistory, IconPencil } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { ActionIcon, Button, Menu, Select } from '../../ui/mantine.ts';
import { toastError } from '../../ui/toast.ts';
import { refreshDashboards } from './queries.ts';
import { REFRESH } from './refresh.ts';

/** What can be done with a dashboard beside editing its panels. */
export function PageActions({
  dashboard,
  model,
  refresh,
  onRefresh,
  onEdit,
  onVersions,
  onSnapshot,
}: {
  dashboard: Dashboard;
  model: DashboardModel;
  refresh: string;
  /** Undefined: as the dashboard says. */
  onRefresh: (refresh: string | undefined) => void;
  /** Undefined: it is being edited, or cannot be. */
  onEdit: (() => void) | undefined;
  onVersions: () => void;
  /** Undefined: the user may not. */
  onSnapshot: (() => void) | undefined;
}) {
  return (
    <>
      <TelemetryControls />
      <RefreshSelect own={model.time.refresh} refresh={refresh} onRefresh={onRefresh} />
      {onEdit && (
        <Button variant="default" leftSection={<IconPencil size={15} stroke={1.6} />} onClick={onEdit}>
          Edit
        </Button>
      )}
      <MoreActions dashboard={dashboard} model={model} onVersions={onVersions} onSnapshot={onSnapshot} />
    </>
  );
}

/** How often the panels are read again. `own` is what the dashboard says. */
function RefreshSelect({
  own,
  refresh,
  onRefresh,
}: {
  own: string;
  refresh: string;
  onRefresh: (refresh: string | undefined) => void;
}) {
  return (
    <Select
      aria-label="Refresh every"
      w={126}
      value={refresh}
      data={[...new Set([...REFRESH, refresh])].map((value) => ({
        value,
        label: value === 'off' ? 'No refresh' : `Every ${value}`,
      }))}
      onChange={(next) => onRefresh(next === own || next === null ? undefined : next)}
    />
  );
}

function MoreActions({
  dashboard,
  model,
  onVersions,
  onSnapshot,
}: {
  dashboard: Dashboard;
  model: DashboardModel;
  onVersions: () => void;
  onSnapshot: (() => void) | undefined;
}) {
  const scope = useScope();
  const navigate = useNavigate();
  const copy = async () => {
    try {
      const body = {
        ...model,
        name: `${model.name} (copy)`,
        ...(dashboard.project !== null && { project: dashboard.project }),
      };
      const { data } = await call(createDashboard, { params: { ws: scope.ws }, body });
      await refreshDashboards();
      await navigate({
        to: '/w/$ws/$project/dashboards/$id',
        params: { ...scope, id: data.id },
        search: { edit: 'yes' },
      });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label="More actions">
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconHistory size={14} />} onClick={onVersions}>
          Versions
        </Menu.Item>
        {onSnapshot && (
          <Menu.Item leftSection={<IconCamera size={14} />} onClick={onSnapshot}>
            Take a snapshot
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconDownload size={14} />} onClick={() => download(model)}>
          Export JSON
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => void copy()}>
          Copy
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function download(model: DashboardModel): void {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(model, null, 2)}\n`], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${model.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') || 'dashboard'}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
