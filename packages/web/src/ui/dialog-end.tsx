import type { ReactNode } from 'react';
import { Button, Group } from './mantine.ts';

/** The end of a form in a dialog: Cancel, and the button that submits. */
export function DialogEnd({
  action,
  onCancel,
  loading = false,
  disabled = false,
}: {
  /** The verb on the button: `Create token`, never `OK`. */
  action: ReactNode;
  onCancel: () => void;
  loading?: boolean;
  /** Nothing can be submitted yet. */
  disabled?: boolean;
}) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" loading={loading} disabled={disabled}>
        {action}
      </Button>
    </Group>
  );
}
