import { createDashboard, type listDashboards, type RouteResponse, removeDashboard } from '@fanion/contract';
import { IconFileImport, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { AppLink } from '../../ui/link.tsx';
import { ActionIcon, Button, Group, Modal, TextInput } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/resource/search-box.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import classes from './dashboards.module.css';
import { ImportDialog } from './import-dialog.tsx';
import { LibraryList } from './library-list.tsx';
import { dashboardsQuery, refreshDashboards } from './queries.ts';
import { SnapshotsList } from './snapshots-list.tsx';

/** All dashboards of the workspace. */
export function DashboardsPage() {
  const scope = useScope();
  const { q = '' } = useSearch({ from: '/w/$ws/$project/dashboards' });
  const navigate = useNavigate();
  const canWrite = useCan('dashboards:write');
  const dashboards = useQuery(dashboardsQuery(scope.ws));
  const [creating, setCreating] = useState(false);
  const [importing, setImporting] = useState(false);
  const actions = canWrite && (
    <Group gap="sm">
      <Button
        variant="default"
        leftSection={<IconFileImport size={15} stroke={1.6} />}
        onClick={() => setImporting(true)}
      >
        Import
      </Button>
      <Button leftSection={<IconPlus size={15} />} onClick={() => setCreating(true)}>
        Create dashboard
      </Button>
    </Group>
  );
  const words = q.toLowerCase();
  const rows = dashboards.data?.filter(({ name, description, tags }) =>
    [name, description, ...tags].join(' ').toLowerCase().includes(words),
  );
  const open = (id: string) =>
    void navigate({ to: '/w/$ws/$project/dashboards/$id', params: { ...scope, id }, search: { edit: 'yes' } });
  return (
    <Page title="Dashboards" actions={actions}>
      {dashboards.isError ? (
        <ErrorState error={dashboards.error} onRetry={() => void dashboards.refetch()} />
      ) : rows === undefined ? (
        <Loading />
      ) : dashboards.data?.length === 0 ? (
        <EmptyState title="No dashboards yet" action={actions}>
          A dashboard shows the answers of several queries at once, with variables to choose what they are about. Start
          with an empty one, import one, or add a chart from Explore.
        </EmptyState>
      ) : (
        <>
          <SearchBox label="Search dashboards" placeholder="Search dashboards" w={320} value={q} />
          <DashboardTable rows={rows} canWrite={canWrite} />
        </>
      )}
      <SnapshotsList />
      <LibraryList />
      <Modal opened={creating} onClose={() => setCreating(false)} title="Create dashboard" centered={false}>
        <NewDashboard onCancel={() => setCreating(false)} onCreated={open} />
      </Modal>
      <ImportDialog opened={importing} onClose={() => setImporting(false)} onImported={open} />
    </Page>
  );
}

function DashboardTable({ rows, canWrite }: { rows: RouteResponse<typeof listDashboards>; canWrite: boolean }) {
  const scope = useScope();
  return (
    <Panel tight>
      <DataTable
        label="Dashboards"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'name',
            header: 'Dashboard',
            sortBy: ({ name }) => name.toLowerCase(),
            cell: ({ id, name, description }) => (
              <span className={classes.named}>
                <AppLink to="/w/$ws/$project/dashboards/$id" params={{ ...scope, id }}>
                  {name}
                </AppLink>
                <span className="dim truncate">{description}</span>
              </span>
            ),
          },
          { id: 'tags', header: 'Tags', width: 180, cell: ({ tags }) => tags.join(', ') },
          {
            id: 'project',
            header: 'Project',
            width: 130,
            cell: ({ project }) => project ?? <span className="dim">all</span>,
          },
          {
            id: 'panels',
            header: 'Panels',
            numeric: true,
            width: 80,
            cell: ({ panels }) => panels,
            sortBy: ({ panels }) => panels,
          },
          { id: 'changed', header: 'Changed', width: 120, ago: ({ updated_at }) => updated_at },
          {
            id: 'by',
            header: 'By',
            width: 150,
            cell: ({ updated_by, source }) => source ?? updated_by?.name ?? '–',
          },
          {
            id: 'actions',
            header: <span className="visually-hidden">Actions</span>,
            width: 50,
            cell: ({ id, name, source }) => canWrite && source === null && <Remove id={id} name={name} />,
          },
        ]}
      />
    </Panel>
  );
}

function NewDashboard({ onCancel, onCreated }: { onCancel: () => void; onCreated: (id: string) => void }) {
  const { ws, project } = useScope();
  const form = useForm({
    initial: { name: '', description: '' },
    submit: async (values) => {
      const { data } = await call(createDashboard, { params: { ws }, body: { ...values, project, panels: [] } });
      await refreshDashboards();
      onCreated(data.id);
    },
  });
  return (
    <DialogForm form={form} action="Create dashboard" disabled={form.values.name.trim() === ''} onCancel={onCancel}>
      <TextInput label="Name" data-autofocus {...form.field('name')} />
      <TextInput label="Description" {...form.field('description')} />
    </DialogForm>
  );
}

function Remove({ id, name }: { id: string; name: string }) {
  const { ws } = useScope();
  const confirm = useConfirm();
  const remove = async () => {
    const sure = await confirm({
      title: `Delete ${name}?`,
      body: 'Deletes the dashboard with all of its versions.',
      action: 'Delete dashboard',
      danger: true,
    });
    if (!sure) return;
    await call(removeDashboard, { params: { ws, id } })
      .then(() => toastDone(`${name} is deleted`))
      .catch(toastError);
    await refreshDashboards();
  };
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${name}`} onClick={() => void remove()}>
      <IconTrash size={15} stroke={1.6} />
    </ActionIcon>
  );
}
