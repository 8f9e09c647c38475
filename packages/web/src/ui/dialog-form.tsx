import type { ReactNode } from 'react';
import type { Form } from './form.ts';
import { Button, Group, Stack } from './mantine.ts';
import { ErrorNotice } from './states.tsx';

/** A form in a dialog: fields, errors, and the submit and cancel buttons. */
export function DialogForm<T>({
  form,
  action,
  disabled,
  onCancel,
  children,
}: {
  form: Form<T>;
  /** The verb on the button: `Create token`, never `OK`. */
  action: ReactNode;
  /** Nothing can be submitted yet. */
  disabled?: boolean;
  onCancel: () => void;
  children: ReactNode;
}) {
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="md">
        {children}
        <ErrorNotice error={form.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending} {...(disabled !== undefined && { disabled })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
