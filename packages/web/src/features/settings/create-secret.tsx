import { type ReactNode, useState } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Button, Group, Modal, Stack } from '../../ui/mantine.ts';
import { CreateButton } from '../../ui/resource/create-button.tsx';
import { Notice } from '../../ui/states.tsx';

/** The button that creates a secret, the dialog with its form, and the one that shows the secret once. */
export function CreateSecret({
  what,
  label,
  size = 'md',
  children,
}: {
  /** As the dialogs call it: `API token`. */
  what: string;
  /** As the button calls it: `token`. */
  label: string;
  size?: number | string;
  children: (onClose: () => void, onCreated: (secret: string) => void) => ReactNode;
}) {
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const onClose = () => setCreating(false);
  const onCreated = (next: string) => {
    onClose();
    setSecret(next);
  };
  return (
    <>
      <CreateButton onClick={() => setCreating(true)}>{`Create ${label}`}</CreateButton>
      <Modal opened={isCreating} onClose={onClose} title={`Create ${what}`} size={size} centered>
        {isCreating && children(onClose, onCreated)}
      </Modal>
      <SecretDialog title={`Your new ${what}`} label={label} secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

/** Shows a new secret once. Only its button closes the dialog, so that nobody closes it by accident. */
function SecretDialog({
  title,
  secret,
  label,
  onClose,
}: {
  title: string;
  secret: string | null;
  label: string;
  onClose: () => void;
}) {
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={title}
      centered
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {secret !== null && (
        <Stack gap="md">
          <Notice kind="warning">Copy it now: it is shown only once, and the server stores only its hash.</Notice>
          <CodeBlock code={secret} label={label} wrap />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
