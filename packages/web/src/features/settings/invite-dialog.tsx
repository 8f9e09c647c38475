import { createInvitation } from '@fanion/contract';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Button, Group, Modal, Stack, TextInput } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { RoleSelect } from './role-select.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  onInvited: () => void;
}

/** Invites a member by e-mail; also shows the link, for servers that do not send e-mail. */
export function InviteDialog({ opened, onClose, onInvited }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Invite a member">
      {opened && <InviteForm onClose={onClose} onInvited={onInvited} />}
    </Modal>
  );
}

function InviteForm({ onClose, onInvited }: Omit<Props, 'opened'>) {
  const { ws } = useScope();
  const [sent, setSent] = useState<{ email: string; url: string; mailed: boolean } | null>(null);
  const form = useForm({
    initial: { email: '', role: 'editor' },
    submit: async (values) => {
      const { data } = await call(createInvitation, { params: { ws }, body: values });
      setSent(data);
      onInvited();
    },
  });
  if (sent) {
    return (
      <Stack gap="md">
        <Notice kind="ok">
          {sent.mailed
            ? `${sent.email} was sent an e-mail with this link.`
            : `This server does not send e-mail: send the link to ${sent.email} yourself.`}{' '}
          The link works once.
        </Notice>
        <CodeBlock code={sent.url} label="invitation link" wrap />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <DialogForm form={form} action="Send invitation" onCancel={onClose}>
      <TextInput label="E-mail" type="email" required data-autofocus {...form.field('email')} />
      <RoleSelect label="Role" value={form.values.role} onChange={(role) => form.set('role', role)} />
    </DialogForm>
  );
}
