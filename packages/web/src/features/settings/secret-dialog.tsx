import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Button, Group, Modal, Stack } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';

/** Shows a new secret, this once. Closing it by accident is made hard: only its button closes it. */
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
          <Notice kind="warning">Copy it now: it is shown this once, and only its hash is kept.</Notice>
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
