import { useNavigate } from '@tanstack/react-router';
import { Button, Switch } from '../ui/mantine.ts';
import { toastDone, toastError } from '../ui/toast.ts';
import { useDelete } from './confirmed.ts';
import type { ScopePath } from './scope-links.tsx';
import { useScope } from './session.ts';

/** Deletes the resource of a page, if the user confirms it, and opens the list. */
export function DeleteAndLeave({
  list,
  ...deletion
}: Omit<Parameters<ReturnType<typeof useDelete>>[0], 'leave'> & { list: ScopePath }) {
  const params = useScope();
  const navigate = useNavigate();
  const deleteIt = useDelete();
  return (
    <Button
      variant="default"
      onClick={() => void deleteIt({ ...deletion, leave: () => navigate({ to: list, params }) })}
    >
      Delete
    </Button>
  );
}

/** Turns a rule on or off, and reports how it ended. */
export function OnSwitch({
  rule: { name, enabled },
  save,
}: {
  rule: { readonly name: string; readonly enabled: boolean };
  save: (enabled: boolean) => Promise<unknown>;
}) {
  const set = async (next: boolean) => {
    try {
      await save(next);
      toastDone(`${name} is ${next ? 'on' : 'off'}`);
    } catch (error) {
      toastError(error);
    }
  };
  return <Switch label="On" checked={enabled} onChange={(event) => void set(event.currentTarget.checked)} />;
}
