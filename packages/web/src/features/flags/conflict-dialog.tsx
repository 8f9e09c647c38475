import { Button, Group, Modal, Stack } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { ChangeTable } from './change-table.tsx';
import { diffDrafts } from './diff.ts';
import { type Draft, type Targeting, toDraft } from './draft.ts';

/** Somebody saved in between: what they changed, and whether theirs or one's own goes on. Null keeps it closed. */
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
    <Modal opened={theirs !== null} onClose={onClose} title="Somebody changed this meanwhile" size={640} centered>
      {theirs && (
        <Stack gap="md">
          <Notice kind="warning">
            {theirs.updated_by ?? 'Somebody'} saved version {theirs.version} while you were editing version{' '}
            {base.version}. Nothing of yours is saved yet.
          </Notice>
          <div>
            <h3>What they changed</h3>
            <ChangeTable label="What they changed" changes={diffDrafts(toDraft(base), toDraft(theirs))} />
          </div>
          <div>
            <h3>What yours would change now</h3>
            <ChangeTable label="What yours would change now" changes={diffDrafts(toDraft(theirs), mine)} />
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
