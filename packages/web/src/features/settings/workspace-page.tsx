import { createWorkspace, removeWorkspace, updateWorkspace } from '@fanion/contract';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { keyFromName } from '../../app/key-from-name.ts';
import { queryClient } from '../../app/query-client.ts';
import { meQuery, useCan, useWorkspace } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Button, Group, Modal, Stack, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import classes from './settings.module.css';

const refresh = () => queryClient.refetchQueries({ queryKey: meQuery.queryKey });

/** Name and slug of the workspace, creation of another one, and deletion. */
export function WorkspacePage() {
  const workspace = useWorkspace();
  const canWrite = useCan('workspace:write');
  const confirm = useConfirm();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const remove = async () => {
    const sure = await confirm({
      title: `Delete the workspace ${workspace.name}?`,
      body: 'All of its projects, flags, members, tokens and keys are deleted immediately, its telemetry within a day. This cannot be undone.',
      action: 'Delete workspace',
      danger: true,
      typed: workspace.name,
    });
    if (!sure) return;
    try {
      await call(removeWorkspace, { params: { ws: workspace.id }, query: { confirm: workspace.name } });
    } catch (error) {
      toastError(error);
      return;
    }
    queryClient.clear();
    await navigate({ to: '/' });
  };
  return (
    <>
      <Panel title="This workspace">
        <RenameForm key={workspace.id} canWrite={canWrite} />
      </Panel>
      <Panel title="Another workspace">
        <Group justify="space-between">
          <span className="dim">Workspaces share no members, data or flags.</span>
          <Button variant="default" onClick={() => setCreating(true)}>
            Create workspace
          </Button>
        </Group>
      </Panel>
      {canWrite && (
        <Panel title="Delete">
          <Group justify="space-between">
            <span className="dim">Deletes the workspace with everything in it.</span>
            <Button variant="default" c="var(--f-error)" onClick={() => void remove()}>
              Delete workspace
            </Button>
          </Group>
        </Panel>
      )}
      <Modal opened={creating} onClose={() => setCreating(false)} title="Create workspace">
        {creating && <NewWorkspaceForm onClose={() => setCreating(false)} />}
      </Modal>
    </>
  );
}

function RenameForm({ canWrite }: { canWrite: boolean }) {
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const form = useForm({
    initial: { name: workspace.name, slug: workspace.slug },
    submit: async (values) => {
      const { data } = await call(updateWorkspace, { params: { ws: workspace.id }, body: values });
      toastDone('The workspace is saved');
      if (data.slug !== workspace.slug) {
        queryClient.clear();
        await navigate({ to: '/w/$ws', params: { ws: data.slug } });
      } else await refresh();
    },
  });
  return (
    <form onSubmit={form.onSubmit} className={classes.form}>
      <Stack gap="md">
        <TextInput label="Name" required readOnly={!canWrite} {...form.field('name')} />
        <TextInput
          label="Slug"
          description="Used in the URL of every page. Links with the old slug break."
          required
          readOnly={!canWrite}
          {...form.field('slug')}
        />
        <ErrorNotice error={form.error} />
        {canWrite && (
          <Group>
            <Button type="submit" loading={form.pending}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

function NewWorkspaceForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    initial: { name: '', slug: '' },
    submit: async ({ name, slug }) => {
      const { data } = await call(createWorkspace, { body: { name, ...(slug.trim() !== '' && { slug }) } });
      await refresh();
      onClose();
      await navigate({ to: '/w/$ws', params: { ws: data.slug } });
    },
  });
  return (
    <DialogForm form={form} action="Create workspace" onCancel={onClose}>
      <TextInput label="Name" required data-autofocus {...form.field('name')} />
      <TextInput label="Slug" placeholder={keyFromName(form.values.name)} {...form.field('slug')} />
    </DialogForm>
  );
}
