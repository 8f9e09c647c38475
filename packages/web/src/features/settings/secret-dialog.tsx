import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Button, Group, Modal, Stack } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';

/** Shows a new secret once. Only its button closes the dialog, so that nobody closes it by accident. */
export function SecretDialog({
  title,
  secret,
  label,
  onClose,
  children,
}: {
  title: string;
  secret: string | null;
  label: string;
  onClose: () => void;
  children?: ReactNode;
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
          {children}
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
