import { removeAnnotation } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { useConfirmed } from '../../app/confirmed.ts';
import { useScope } from '../../app/session.ts';
import { Button } from '../../ui/mantine.ts';
import type { Happening } from './happenings.ts';
import { refreshHappenings } from './queries.ts';

/** Deletes an annotation that somebody wrote, if the user confirms it. */
export function DeleteNote({ note: { id, text, author } }: { note: Happening }) {
  const { ws } = useScope();
  const confirmed = useConfirmed();
  const remove = () =>
    confirmed({
      title: 'Delete annotation?',
      body: `“${text}”${author === null ? '' : `, written by ${author},`} is deleted for everybody.`,
      action: 'Delete annotation',
      danger: true,
      run: () => call(removeAnnotation, { params: { ws, id } }),
      done: 'The annotation is deleted',
      refresh: refreshHappenings,
    });
  return (
    <Button size="compact-xs" variant="subtle" color="red" aria-label={`Delete ${text}`} onClick={() => void remove()}>
      Delete
    </Button>
  );
}
