import { useCan } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Checkbox, Modal, SegmentedControl, Textarea, TextInput } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import type { Affected } from './affected.ts';
import { AffectedList } from './affected-list.tsx';
import { ChangeTable } from './change-table.tsx';
import type { Change } from './diff.ts';
import type { Environment } from './types.ts';

type When = 'now' | 'later' | 'review';

/** How a reviewed change is to be written. */
export interface Submission {
  comment: string;
  /** At this time (RFC 3339) and not before; null: as soon as it may. */
  applyAt: string | null;
  /** Somebody else is to approve it though the environment does not ask for that. */
  askForReview: boolean;
  /** At once, though the environment asks for approval. */
  bypass: boolean;
}

interface Props {
  flag: string;
  environment: Environment;
  changes: readonly Change[];
  affected: readonly Affected[];
  onSave: (submission: Submission) => Promise<void>;
  onClose: () => void;
}

/** The last look before a flag changes: what differs, whom it reaches, when it takes effect, and why it is done. */
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

function Review({ flag, environment, changes, affected, onSave, onClose }: Props) {
  const guarded = environment.requires_approval;
  const canBypass = useCan('flags:bypass_approval') && guarded;
  const form = useForm({
    initial: { comment: '', when: 'now' as When, at: '', bypass: false },
    submit: ({ comment, when, at, bypass }) =>
      onSave({
        comment,
        applyAt: when === 'later' ? new Date(at).toISOString() : null,
        askForReview: when === 'review',
        bypass: bypass && when === 'now',
      }),
  });
  const { when, at, bypass } = form.values;
  return (
    <DialogForm
      form={form}
      action={submitLabel(when, guarded, bypass)}
      disabled={changes.length === 0 || (when === 'later' && at === '')}
      onCancel={onClose}
    >
      <ChangeTable label="Changes" changes={changes} />
      <AffectedList flag={flag} affected={affected} environment={environment.name} />
      <div>
        <SegmentedControl
          size="xs"
          aria-label="When it takes effect"
          value={when}
          onChange={(next) => form.set('when', next === 'later' || next === 'review' ? next : 'now')}
          data={[
            { value: 'now', label: guarded ? 'Once approved' : 'At once' },
            { value: 'later', label: 'At a time' },
            ...(guarded ? [] : [{ value: 'review', label: 'After a review' }]),
          ]}
        />
      </div>
      {when === 'later' && (
        <TextInput
          label="Apply at"
          description={`Your local time. ${guarded ? 'It has to be approved before. ' : ''}If somebody changes the targeting until then, it fails and says so.`}
          type="datetime-local"
          required
          {...form.field('at')}
        />
      )}
      {guarded ? (
        <Notice kind="info">
          {environment.name} is protected: the change takes effect when somebody else has approved it.
        </Notice>
      ) : (
        when === 'now' && (
          <p className="dim">
            It takes effect in {environment.name} at once, for every program that evaluates <code>{flag}</code> there.
          </p>
        )
      )}
      {canBypass && when === 'now' && (
        <Checkbox
          label="Save without approval"
          description="For emergencies. The audit log says that approval was bypassed, and by whom."
          checked={bypass}
          onChange={(event) => form.set('bypass', event.currentTarget.checked)}
        />
      )}
      <Textarea
        label="Comment"
        placeholder="Why, for those who read the history"
        autosize
        minRows={2}
        data-autofocus
        {...form.field('comment')}
      />
    </DialogForm>
  );
}

function submitLabel(when: When, guarded: boolean, bypass: boolean): string {
  if (when === 'review') return 'Propose change';
  if (when === 'later') return guarded ? 'Propose change' : 'Schedule change';
  if (!guarded) return 'Save';
  return bypass ? 'Save without approval' : 'Propose change';
}
