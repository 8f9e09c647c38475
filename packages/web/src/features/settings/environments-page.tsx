import {
  createEnvironment,
  listEnvironments,
  type RouteResponse,
  removeEnvironment,
  updateEnvironment,
} from '@fanion/contract';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { keyFromName } from '../../app/key-from-name.ts';
import { queryClient } from '../../app/query-client.ts';
import { environmentsQuery, NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { ActionIcon, Button, Checkbox, Modal, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { Loaded, SectionHead } from './section.tsx';
import classes from './settings.module.css';

type Environment = RouteResponse<typeof listEnvironments>[number];

const refresh = () => queryClient.invalidateQueries({ queryKey: [listEnvironments.id] });

/** The environments of the project: flags are targeted, and telemetry is told apart, by them. */
export function EnvironmentsPage() {
  const { ws, project } = useScope();
  const canWrite = useCan('environments:write');
  const confirm = useConfirm();
  const environments = useQuery({ ...environmentsQuery(ws, project), enabled: project !== NO_PROJECT });
  const [editing, setEditing] = useState<Environment | 'new' | null>(null);
  if (project === NO_PROJECT) return <EmptyState title="No project">Create a project first.</EmptyState>;
  const remove = async (environment: Environment) => {
    const sure = await confirm({
      title: `Delete the environment ${environment.name}?`,
      body: 'Its flag targeting and SDK keys go with it at once, its telemetry within a day. This cannot be undone.',
      action: 'Delete environment',
      danger: true,
      typed: environment.name,
    });
    if (!sure) return;
    await call(removeEnvironment, {
      params: { ws, p: project, e: environment.key },
      query: { confirm: environment.name },
    })
      .then(() => toastDone(`${environment.name} is deleted`))
      .catch(toastError);
    await refresh();
  };
  return (
    <>
      <SectionHead
        action={
          canWrite && (
            <Button leftSection={<IconPlus size={15} />} onClick={() => setEditing('new')}>
              New environment
            </Button>
          )
        }
      >
        Telemetry belongs to the environment that its resource names, or that of its token. Flags have their own
        targeting in each.
      </SectionHead>
      <Loaded query={environments}>
        {(rows) => (
          <Panel tight>
            <DataTable
              label="Environments"
              rows={rows}
              rowKey={(environment) => environment.id}
              columns={[
                { id: 'name', header: 'Name', cell: (environment) => environment.name },
                { id: 'key', header: 'Key', width: 200, cell: (environment) => <code>{environment.key}</code> },
                {
                  id: 'approval',
                  header: 'Flag changes',
                  width: 170,
                  cell: (environment) =>
                    environment.requires_approval ? 'need approval' : <span className="dim">apply at once</span>,
                },
                {
                  id: 'created',
                  header: 'Created',
                  width: 120,
                  cell: (environment) => <Timestamp value={environment.created_at} ago />,
                },
                {
                  id: 'actions',
                  header: <span className="visually-hidden">Actions</span>,
                  width: 90,
                  cell: (environment) =>
                    canWrite && (
                      <span className={classes.rowActions}>
                        <ActionIcon aria-label={`Edit ${environment.name}`} onClick={() => setEditing(environment)}>
                          <IconPencil size={15} stroke={1.6} />
                        </ActionIcon>
                        <ActionIcon aria-label={`Delete ${environment.name}`} onClick={() => void remove(environment)}>
                          <IconTrash size={15} stroke={1.6} />
                        </ActionIcon>
                      </span>
                    ),
                },
              ]}
            />
          </Panel>
        )}
      </Loaded>
      <Modal
        opened={editing !== null}
        onClose={() => setEditing(null)}
        title={editing === 'new' ? 'New environment' : 'Edit environment'}
        centered
      >
        {editing !== null && (
          <EnvironmentForm environment={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
        )}
      </Modal>
    </>
  );
}

function EnvironmentForm({ environment, onClose }: { environment: Environment | null; onClose: () => void }) {
  const { ws, project } = useScope();
  const form = useForm({
    initial: {
      name: environment?.name ?? '',
      key: environment?.key ?? '',
      requires_approval: environment?.requires_approval ?? false,
    },
    submit: async ({ name, key, requires_approval }) => {
      if (environment)
        await call(updateEnvironment, {
          params: { ws, p: project, e: environment.key },
          body: { name, requires_approval },
        });
      else
        await call(createEnvironment, {
          params: { ws, p: project },
          body: { name, key: key || keyFromName(name), requires_approval },
        });
      await refresh();
      onClose();
    },
  });
  return (
    <DialogForm form={form} action={environment ? 'Save' : 'Create environment'} onCancel={onClose}>
      <TextInput label="Name" required data-autofocus {...form.field('name')} />
      <TextInput
        label="Key"
        description={environment ? 'Keys never change.' : 'Used in addresses and in deployment.environment.name.'}
        readOnly={environment !== null}
        placeholder={keyFromName(form.values.name)}
        {...form.field('key')}
      />
      <Checkbox
        label="Flag changes need approval"
        description="Changes wait until somebody else approves them."
        checked={form.values.requires_approval}
        onChange={(event) => form.set('requires_approval', event.currentTarget.checked)}
      />
    </DialogForm>
  );
}
