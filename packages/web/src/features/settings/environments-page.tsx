import {
  createEnvironment,
  listEnvironments,
  type RouteResponse,
  removeEnvironment,
  updateEnvironment,
} from '@fanion/contract';
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
import { Checkbox, Modal, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { editAndDelete, NewButton } from './row-actions.tsx';
import { Loaded, SectionHead } from './section.tsx';

type Environment = RouteResponse<typeof listEnvironments>[number];

const refresh = () => queryClient.invalidateQueries({ queryKey: [listEnvironments.id] });

/** The environments of the project, which separate flag targeting and telemetry. */
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
      body: 'Its flag targeting and SDK keys are deleted immediately, and dashboard snapshots that may show its telemetry. Its telemetry is hidden from queries immediately and deleted within a day. This cannot be undone.',
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
      <SectionHead action={canWrite && <NewButton label="Create environment" onClick={() => setEditing('new')} />}>
        Telemetry belongs to the environment named in its resource, or to the environment of its token. Flags have
        separate targeting in each environment.
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
                    environment.requires_approval ? 'need approval' : <span className="dim">apply immediately</span>,
                },
                {
                  id: 'created',
                  header: 'Created',
                  width: 120,
                  cell: (environment) => <Timestamp value={environment.created_at} ago />,
                },
                editAndDelete<Environment>({
                  may: () => canWrite,
                  onEdit: setEditing,
                  onDelete: (environment) => void remove(environment),
                }),
              ]}
            />
          </Panel>
        )}
      </Loaded>
      <Modal
        opened={editing !== null}
        onClose={() => setEditing(null)}
        title={editing === 'new' ? 'Create environment' : 'Edit environment'}
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
        description={environment ? 'Keys never change.' : 'Used in URLs and in deployment.environment.name.'}
        readOnly={environment !== null}
        placeholder={keyFromName(form.values.name)}
        {...form.field('key')}
      />
      <Checkbox
        label="Flag changes need approval"
        description="Changes wait until someone else approves them."
        checked={form.values.requires_approval}
        onChange={(event) => form.set('requires_approval', event.currentTarget.checked)}
      />
    </DialogForm>
  );
}
