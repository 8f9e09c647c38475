import { type ReactNode, useState } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Button, Group, Modal, Stack } from '../../ui/mantine.ts';
import { CreateButton } from '../../ui/resource/create-button.tsx';
import { Notice } from '../../ui/states.tsx';

/** A secret and its label. */
export interface NamedSecret {
  readonly label: string;
  readonly secret: string;
}

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
  children: (onClose: () => void, onCreated: (secret: string, second?: NamedSecret) => void) => ReactNode;
}) {
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<readonly NamedSecret[]>([]);
  const onClose = () => setCreating(false);
  const onCreated = (secret: string, second?: NamedSecret) => {
    onClose();
    setCreated([{ label, secret }, ...(second === undefined ? [] : [second])]);
  };
  return (
    <>
      <CreateButton onClick={() => setCreating(true)}>{`Create ${label}`}</CreateButton>
      <Modal opened={isCreating} onClose={onClose} title={`Create ${what}`} size={size}>
        {isCreating && children(onClose, onCreated)}
      </Modal>
      <SecretDialog title={`Your new ${what}`} secrets={created} onClose={() => setCreated([])} />
    </>
  );
}

/** Shows new secrets once. Only its button closes the dialog, so that nobody closes it by accident. */
function SecretDialog({
  title,
  secrets,
  onClose,
}: {
  title: string;
  secrets: readonly NamedSecret[];
  onClose: () => void;
}) {
  return (
    <Modal
      opened={secrets.length > 0}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {secrets.length > 0 && (
        <Stack gap="md">
          <Notice kind="warning">
            {secrets.length > 1
              ? 'Copy both now: they are shown only once.'
              : 'Copy it now: it is shown only once, and the server stores only its hash.'}
          </Notice>
          {secrets.map(({ label, secret }) => (
            <CodeBlock key={label} code={secret} label={label} wrap />
          ))}
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
