import {
  createProject,
  listProjects,
  listRemovals,
  type RouteResponse,
  removeProject,
  updateProject,
} from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import { EditDialog, type Edited } from '../../app/edit-dialog.tsx';
import { keyFromName } from '../../app/key-from-name.ts';
import { invalidate } from '../../app/query-client.ts';
import { projectsQuery, useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Group, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { CreateButton } from '../../ui/resource/create-button.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { editAndDelete } from '../../ui/resource/row-buttons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { EraseTelemetry } from './erasure-form.tsx';
import { Removals } from './removals.tsx';
import { type Retention, RetentionFields, retentionText } from './retention-fields.tsx';
import { SectionHead } from './section.tsx';

type Project = RouteResponse<typeof listProjects>[number];

const usualRetention: Retention = { traces: null, logs: null, metrics: null, profiles: null };

const refresh = () => invalidate(listProjects, listRemovals);

/** The projects of the workspace: each has its own telemetry, flags and environments. */
export function ProjectsPage() {
  const { ws } = useScope();
  const canWrite = useCan('projects:write');
  const projects = useQuery(projectsQuery(ws));
  const [editing, setEditing] = useState<Edited<Project>>(null);
  const remove = useRemoveProject();
  return (
    <>
      <SectionHead
        action={
          canWrite && (
            <Group gap="xs" wrap="nowrap">
              <EraseTelemetry projects={projects.data ?? []} />
              <CreateButton onClick={() => setEditing('new')}>Create project</CreateButton>
            </Group>
          )
        }
      >
        A project has its own telemetry, flags and environments. A new project starts with production and development.
      </SectionHead>
      <Listed
        query={projects}
        empty={<EmptyState title="No projects yet">Create a project to send telemetry and create flags.</EmptyState>}
      >
        {(rows) => (
          <Panel tight>
            <DataTable
              label="Projects"
              rows={rows}
              rowKey={(project) => project.id}
              columns={[
                { id: 'name', header: 'Name', sortBy: (project) => project.name, cell: (project) => project.name },
                { id: 'key', header: 'Key', width: 240, cell: (project) => <code>{project.key}</code> },
                { id: 'retention', header: 'Telemetry retention', cell: retentionText },
                { id: 'created', header: 'Created', width: 120, ago: (project) => project.created_at },
                editAndDelete<Project>({
                  may: () => canWrite,
                  onEdit: setEditing,
                  onDelete: (project) => void remove(project),
                }),
              ]}
            />
          </Panel>
        )}
      </Listed>
      <Removals ws={ws} />
      <EditDialog editing={editing} what="project" onClose={() => setEditing(null)}>
        {(row) => <ProjectForm project={row} onClose={() => setEditing(null)} />}
      </EditDialog>
    </>
  );
}

function useRemoveProject() {
  const { ws, project: current } = useScope();
  const navigate = useNavigate();
  const deleteIt = useDelete();
  return ({ key, name }: Project) =>
    deleteIt({
      name: `the project ${name}`,
      body: 'Its flags, environments, tokens and keys are deleted immediately, and dashboard snapshots that may show its telemetry. Its telemetry is hidden from queries immediately and deleted within a day. This cannot be undone.',
      action: 'Delete project',
      typed: name,
      run: () => call(removeProject, { params: { ws, p: key }, query: { confirm: name } }),
      leave: async () => {
        await refresh();
        if (key === current) await navigate({ to: '/w/$ws', params: { ws } });
      },
      refresh,
    });
}

function ProjectForm({ project, onClose }: { project: Project | null; onClose: () => void }) {
  const { ws } = useScope();
  const form = useForm({
    initial: { name: project?.name ?? '', key: project?.key ?? '', retention: project?.retention ?? usualRetention },
    submit: async ({ name, key, retention }) => {
      if (project) await call(updateProject, { params: { ws, p: project.key }, body: { name, retention } });
      else await call(createProject, { params: { ws }, body: { name, ...(key.trim() !== '' && { key }) } });
      await refresh();
      onClose();
    },
  });
  return (
    <DialogForm form={form} action={project ? 'Save' : 'Create project'} onCancel={onClose}>
      <TextInput label="Name" required data-autofocus {...form.field('name')} />
      <TextInput
        label="Key"
        description="Used in URLs. It cannot change later."
        readOnly={project !== null}
        placeholder={keyFromName(form.values.name)}
        {...form.field('key')}
      />
      {project && (
        <RetentionFields
          allowed={project.retention_classes}
          value={form.values.retention}
          error={form.errorOf('retention')}
          onChange={(retention) => form.set('retention', retention)}
        />
      )}
    </DialogForm>
  );
}
