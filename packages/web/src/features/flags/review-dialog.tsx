import { useForm } from '../../ui/form.ts';
import { Button, Group, Modal, Stack, Textarea } from '../../ui/mantine.ts';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { ChangeTable } from './change-table.tsx';
import type { Change } from './diff.ts';
import type { Environment } from './flag-page.tsx';

interface Props {
  flag: string;
  environment: Environment;
  changes: readonly Change[];
  onSave: (comment: string) => Promise<void>;
  onClose: () => void;
}

/** The last look before a flag changes: what differs, where it takes effect, and why it is done. */
export function ReviewDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={`Save ${props.flag} in ${props.environment.name}`}
      size={640}
      centered
    >
      {opened && <Review {...props} />}
    </Modal>
  );
}

function Review({ flag, environment, changes, onSave, onClose }: Props) {
  const form = useForm({ initial: { comment: '' }, submit: ({ comment }) => onSave(comment) });
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="md">
        <ChangeTable label="Changes" changes={changes} />
        {environment.requires_approval ? (
          <Notice kind="info">
            {environment.name} is protected: the change takes effect when somebody else has approved it.
          </Notice>
        ) : (
          <p className="dim">
            It takes effect in {environment.name} at once, for every program that evaluates <code>{flag}</code> there.
          </p>
        )}
        <Textarea
          label="Comment"
          placeholder="Why, for those who read the history"
          autosize
          minRows={2}
          data-autofocus
          {...form.field('comment')}
        />
        <ErrorNotice error={form.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending} disabled={changes.length === 0}>
            {environment.requires_approval ? 'Propose change' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
