import type { ReactNode } from 'react';
import { DialogEnd } from './dialog-end.tsx';
import { useTakeSaved } from './draft-state.ts';
import type { Form } from './form.ts';
import { Stack } from './mantine.ts';
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
  const take = useTakeSaved();
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="md">
        {children}
        <ErrorNotice error={form.error} onReload={take ?? onCancel} />
        <DialogEnd action={action} onCancel={onCancel} loading={form.pending} disabled={disabled ?? false} />
      </Stack>
    </form>
  );
}
