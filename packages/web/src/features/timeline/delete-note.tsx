import { removeAnnotation } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { Button } from '../../ui/mantine.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import type { Happening } from './happenings.ts';
import { refreshHappenings } from './queries.ts';

/** Deletes an annotation that somebody wrote, if the user confirms it. */
export function DeleteNote({ note: { id, text, author } }: { note: Happening }) {
  const { ws } = useScope();
  const confirm = useConfirm();
  const remove = async () => {
    const body = `“${text}”${author === null ? '' : `, written by ${author},`} is deleted for everybody.`;
    if (!(await confirm({ title: 'Delete annotation?', body, action: 'Delete annotation', danger: true }))) return;
    try {
      await call(removeAnnotation, { params: { ws, id } });
    } catch (error) {
      toastError(error);
      return;
    }
    await refreshHappenings();
    toastDone('The annotation is deleted');
  };
  return (
    <Button size="compact-xs" variant="subtle" color="red" aria-label={`Delete ${text}`} onClick={() => void remove()}>
      Delete
    </Button>
  );
}
