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
import { useDelete } from '../../app/confirmed.ts';
import { EditDialog, type Edited } from '../../app/edit-dialog.tsx';
import { keyFromName } from '../../app/key-from-name.ts';
import { invalidate } from '../../app/query-client.ts';
import { environmentsQuery, NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Checkbox, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { CreateButton } from '../../ui/resource/create-button.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { editAndDelete } from '../../ui/resource/row-buttons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { SectionHead } from './section.tsx';

type Environment = RouteResponse<typeof listEnvironments>[number];

const refresh = () => invalidate(listEnvironments);

/** The environments of the project, which separate flag targeting and telemetry. */
export function EnvironmentsPage() {
  const { ws, project } = useScope();
  const canWrite = useCan('environments:write');
  const deleteIt = useDelete();
  const environments = useQuery({ ...environmentsQuery(ws, project), enabled: project !== NO_PROJECT });
  const [editing, setEditing] = useState<Edited<Environment>>(null);
  if (project === NO_PROJECT) return <EmptyState title="No project">Create a project first.</EmptyState>;
  const remove = ({ key, name }: Environment) =>
    deleteIt({
      name: `the environment ${name}`,
      body: 'Its flag targeting and SDK keys are deleted immediately, and dashboard snapshots that may show its telemetry. Its telemetry is hidden from queries immediately and deleted within a day. This cannot be undone.',
      action: 'Delete environment',
      typed: name,
      run: () => call(removeEnvironment, { params: { ws, p: project, e: key }, query: { confirm: name } }),
      refresh,
    });
  return (
    <>
      <SectionHead
        action={canWrite && <CreateButton onClick={() => setEditing('new')}>Create environment</CreateButton>}
      >
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
                { id: 'created', header: 'Created', width: 120, ago: (environment) => environment.created_at },
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
      <EditDialog editing={editing} what="environment" onClose={() => setEditing(null)}>
        {(row) => <EnvironmentForm environment={row} onClose={() => setEditing(null)} />}
      </EditDialog>
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
        {...form.toggle('requires_approval')}
      />
    </DialogForm>
  );
}
