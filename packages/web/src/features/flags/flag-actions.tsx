import { ApiError, removeFlag, updateFlag } from '@fanion/contract';
import { IconArchive, IconArchiveOff, IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { ActionIcon, Checkbox, Menu, Modal, TagsInput, Textarea, TextInput } from '../../ui/mantine.ts';
import { saveOver } from '../../ui/stale.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { metadataText, readMetadata } from './metadata-lines.ts';
import { refreshFlags } from './queries.ts';
import type { Flag } from './types.ts';

const ICON = { size: 15, stroke: 1.6 } as const;

/** Actions on a whole flag: edit details, archive, restore, delete. */
export function FlagActions({ flag }: { flag: Flag }) {
  const { ws, project } = useScope();
  const canWrite = useCan('flags:write');
  const navigate = useNavigate();
  const deleteIt = useDelete();
  const [editing, setEditing] = useState(false);
  const setArchived = useSetArchived(flag);
  if (!canWrite) return null;
  const remove = () =>
    deleteIt({
      name: flag.key,
      body: 'Deletes the flag with its targeting and its history. This cannot be undone.',
      action: 'Delete flag',
      typed: flag.key,
      run: () => call(removeFlag, { params: { ws, p: project, key: flag.key } }),
      leave: () => navigate({ to: '/w/$ws/$project/flags', params: { ws, project } }),
      refresh: refreshFlags,
    });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" aria-label="More about this flag">
            <IconDots {...ICON} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!flag.archived && (
            <Menu.Item leftSection={<IconPencil {...ICON} />} onClick={() => setEditing(true)}>
              Edit details
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={flag.archived ? <IconArchiveOff {...ICON} /> : <IconArchive {...ICON} />}
            onClick={() => void setArchived(!flag.archived)}
          >
            {flag.archived ? 'Restore' : 'Archive'}
          </Menu.Item>
          {flag.archived && (
            <Menu.Item leftSection={<IconTrash {...ICON} />} c="var(--f-error)" onClick={() => void remove()}>
              Delete
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={editing} onClose={() => setEditing(false)} title="Edit details">
        {editing && <DetailsForm flag={flag} onClose={() => setEditing(false)} />}
      </Modal>
    </>
  );
}

/** Archives a flag after a confirmation, or restores it. */
function useSetArchived(flag: Flag) {
  const { ws, project } = useScope();
  const confirm = useConfirm();
  return async (archived: boolean) => {
    const sure =
      !archived ||
      (await confirm({
        title: `Archive ${flag.key}?`,
        body: `${reachText(flag)} An archived flag is not evaluated: programs that still ask for it get their own default. You can restore it later.`,
        action: 'Archive flag',
        danger: true,
      }));
    if (!sure) return;
    try {
      const params = { ws, p: project, key: flag.key };
      const { status } = await call(updateFlag, { params, body: { archived, version: flag.version } });
      const done = `${flag.key} is ${archived ? 'archived' : 'restored'}`;
      toastDone(status === 202 ? 'The change waits for approval' : done);
    } catch (error) {
      toastError(error);
    }
    await refreshFlags();
  };
}

/** The environments where a flag is on, which an archival would affect. */
function reachText({ environments }: Flag): string {
  const on = environments.filter(({ enabled }) => enabled).map(({ environment }) => environment);
  return on.length === 0 ? 'It is off everywhere.' : `It is on in ${on.join(', ')}.`;
}

function wrongMetadata(text: string): string | undefined {
  const read = readMetadata(text);
  return 'wrong' in read ? read.wrong : undefined;
}

export function ClientVisible({ checked, onChange }: { checked: boolean; onChange: (visible: boolean) => void }) {
  return (
    <Checkbox
      label="Visible to client keys"
      description="SDK keys of web pages and apps can read the flag. Otherwise it does not exist for them; server keys read every flag."
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function DetailsForm({ flag, onClose }: { flag: Flag; onClose: () => void }) {
  const { ws, project } = useScope();
  const form = useForm({
    initial: {
      name: flag.name,
      description: flag.description,
      tags: flag.tags,
      temporary: flag.temporary,
      client_visible: flag.client_visible,
      metadata: metadataText(flag.metadata),
    },
    submit: async ({ metadata: text, ...values }) => {
      const read = readMetadata(text);
      if ('wrong' in read) return;
      try {
        const written = call(updateFlag, {
          params: { ws, p: project, key: flag.key },
          body: { ...values, metadata: read.metadata, version: flag.version },
        });
        await saveOver(flag, written);
      } catch (error) {
        // Someone else saved first: the page behind the form shows their version, and another attempt overwrites it.
        if (error instanceof ApiError && error.status === 409) await refreshFlags();
        throw error;
      }
      await refreshFlags();
      onClose();
    },
  });
  return (
    <DialogForm form={form} action="Save" onCancel={onClose}>
      <TextInput label="Name" required data-autofocus {...form.field('name')} />
      <Textarea label="Description" {...form.field('description')} />
      <TagsInput
        label="Tags"
        value={form.values.tags}
        onChange={(tags) => form.set('tags', tags)}
        error={form.errorOf('tags')}
      />
      <Checkbox
        label="Temporary"
        description="You plan to remove it when its rollout is done."
        {...form.toggle('temporary')}
      />
      <ClientVisible checked={form.values.client_visible} onChange={(visible) => form.set('client_visible', visible)} />
      <Textarea
        label="Metadata"
        description="Included in every evaluation result. One field per line: owner = checkout"
        {...form.field('metadata')}
        error={wrongMetadata(form.values.metadata) ?? form.errorOf('metadata')}
      />
    </DialogForm>
  );
}
