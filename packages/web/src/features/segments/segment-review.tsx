import { updateSegment } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { environmentsQuery, useScope } from '../../app/session.ts';
import { useForm } from '../../ui/form.ts';
import { Button, Group, Modal, Stack, Textarea } from '../../ui/mantine.ts';
import { saveOver } from '../../ui/stale.ts';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { ChangeTable } from '../flags/change-table.tsx';
import type { Change } from '../flags/diff.ts';
import { refreshFlags } from '../flags/queries.ts';
import type { Segment } from './queries.ts';
import { type SegmentDraft, toSegmentBody } from './segment-draft.ts';
import { UsedBy } from './used-by.tsx';

interface Props {
  base: Segment;
  draft: SegmentDraft;
  changes: readonly Change[];
  /** Called when the change is saved or waits for approval. */
  onSaved: () => Promise<void>;
  /** Resets the editor to the saved state. */
  onReload: () => Promise<void>;
  onRefused: (error: unknown) => void;
  onClose: () => void;
}

/** The review before a segment changes: differences, and the flags that use it. */
export function SegmentReview({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={props.onClose} title={`Save ${props.base.key}`} size={640}>
      {opened && <Review {...props} />}
    </Modal>
  );
}

function Review({ base, draft, changes, onSaved, onReload, onRefused, onClose }: Props) {
  const { ws, project } = useScope();
  const { data: environments = [] } = useQuery(environmentsQuery(ws, project));
  const guarded = environments.filter(
    ({ key, requires_approval }) => requires_approval && base.used_by.flags.some((use) => use.environment === key),
  );
  const form = useForm({
    initial: { comment: '' },
    submit: async ({ comment }) => {
      try {
        const written = call(updateSegment, {
          params: { ws, p: project, skey: base.key },
          body: toSegmentBody(base, draft, comment),
        });
        const { status } = await saveOver(base, written);
        toastDone(status === 202 ? 'The change waits for approval' : `${base.key} is saved`);
      } catch (error) {
        onRefused(error);
        throw error;
      }
      await onSaved();
      await refreshFlags();
      onClose();
    },
  });
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="md">
        <ChangeTable label="Changes" changes={changes} />
        <div>
          <h3>Who is affected</h3>
          <UsedBy usedBy={base.used_by} />
        </div>
        {guarded.length > 0 && (
          <Notice kind="info">
            {guarded.map(({ name }) => name).join(', ')} is protected: the change takes effect when someone else
            approves it.
          </Notice>
        )}
        <Textarea
          label="Comment"
          placeholder="Reason, shown in the history"
          data-autofocus
          {...form.field('comment')}
        />
        <ErrorNotice error={form.error} onReload={() => void onReload().then(onClose)} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            {guarded.length > 0 ? 'Propose change' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
