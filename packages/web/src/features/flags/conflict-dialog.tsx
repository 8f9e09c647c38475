import { Button, Group, Modal, Stack } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { ChangeTable } from './change-table.tsx';
import { diffDrafts } from './diff.ts';
import { type Draft, type Targeting, toDraft } from './draft.ts';

/** Shown when someone else saved first: their changes, and the choice between their version and the user's. Null keeps it closed. */
export function ConflictDialog({
  base,
  theirs,
  mine,
  onTheirs,
  onMine,
  onClose,
}: {
  base: Targeting;
  theirs: Targeting | null;
  mine: Draft;
  onTheirs: (theirs: Targeting) => void;
  onMine: (theirs: Targeting) => void;
  onClose: () => void;
}) {
  return (
    <Modal opened={theirs !== null} onClose={onClose} title="Someone else changed this" size={640}>
      {theirs && (
        <Stack gap="md">
          <Notice kind="warning">
            {theirs.updated_by ?? 'Someone'} saved version {theirs.version} while you were editing version{' '}
            {base.version}. Your changes are not saved yet.
          </Notice>
          <div>
            <h3>Their changes</h3>
            <ChangeTable label="Their changes" changes={diffDrafts(toDraft(base), toDraft(theirs))} />
          </div>
          <div>
            <h3>Your changes on top of theirs</h3>
            <ChangeTable label="Your changes on top of theirs" changes={diffDrafts(toDraft(theirs), mine)} />
          </div>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => onTheirs(theirs)}>
              Discard mine, load theirs
            </Button>
            <Button onClick={() => onMine(theirs)}>Review mine over theirs</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
