import type { ReactNode } from 'react';
import { useCan } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { parseWallClock, zoneName } from '../../ui/format/zone.ts';
import { Checkbox, Modal, SegmentedControl, Textarea } from '../../ui/mantine.ts';
import { MomentInput } from '../../ui/moment-input.tsx';
import { Notice } from '../../ui/states.tsx';
import type { Affected } from './affected.ts';
import { AffectedList } from './affected-list.tsx';
import { ChangeTable } from './change-table.tsx';
import { CompatibilityView } from './compatibility-view.tsx';
import type { Change } from './diff.ts';
import type { TargetingBody } from './draft.ts';
import { ReplayView } from './replay-view.tsx';
import type { Environment } from './types.ts';

type When = 'now' | 'later' | 'review';

/** How to write a reviewed change. */
export interface Submission {
  comment: string;
  /** When to apply it (RFC 3339); null: as soon as allowed. */
  applyAt: string | null;
  /** Requests a review although the environment does not require approval. */
  askForReview: boolean;
  /** Applies it immediately although the environment requires approval. */
  bypass: boolean;
}

interface Props {
  flag: string;
  /** What happens, where it is not just saved. */
  title?: string;
  /** The verb on the button. */
  action?: string;
  /** Only now: no time to apply it, and no review that nothing requires. */
  isImmediate?: boolean;
  /** What else happens. */
  note?: ReactNode;
  environment: Environment;
  changes: readonly Change[];
  affected: readonly Affected[];
  /** What would be written. */
  proposed: TargetingBody;
  onSave: (submission: Submission) => Promise<void>;
  onClose: () => void;
}

/** The review before a flag changes: differences, affected users, time of effect, and comment. */
export function ReviewDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={props.title ?? `Save ${props.flag} in ${props.environment.name}`}
      size={640}
    >
      {opened && <Review {...props} />}
    </Modal>
  );
}

function useReviewForm(onSave: Props['onSave']) {
  return useForm({
    initial: { comment: '', when: 'now' as When, at: '', bypass: false },
    submit: ({ comment, when, at, bypass }) =>
      onSave({
        comment,
        applyAt: when === 'later' ? new Date(parseWallClock(at) ?? at).toISOString() : null,
        askForReview: when === 'review',
        bypass: bypass && when === 'now',
      }),
  });
}

export function Review({
  flag,
  action = 'Save',
  isImmediate = false,
  note,
  environment,
  changes,
  affected,
  proposed,
  onSave,
  onClose,
}: Props) {
  const guarded = environment.requires_approval;
  const canBypass = useCan('flags:bypass_approval') && guarded;
  const form = useReviewForm(onSave);
  const { when, at, bypass } = form.values;
  return (
    <DialogForm
      form={form}
      action={submitLabel(when, guarded, bypass, action)}
      disabled={changes.length === 0 || (when === 'later' && at === '')}
      onCancel={onClose}
    >
      {note}
      <ChangeTable label="Changes" changes={changes} />
      <AffectedList flag={flag} affected={affected} environment={environment.name} />
      <ReplayView flag={flag} environment={environment.key} proposed={proposed} />
      <CompatibilityView flag={flag} environment={environment.key} proposed={proposed} />
      <TimeFields form={form} guarded={guarded} isImmediate={isImmediate} />
      <Effect flag={flag} environment={environment} isNow={when === 'now'} />
      {canBypass && when === 'now' && (
        <Checkbox
          label={`${action} without approval`}
          description="For emergencies. The audit log records who bypassed approval."
          checked={bypass}
          onChange={(event) => form.set('bypass', event.currentTarget.checked)}
        />
      )}
      <Textarea label="Comment" placeholder="Reason, shown in the history" data-autofocus {...form.field('comment')} />
    </DialogForm>
  );
}

/** When the change takes effect. */
function TimeFields({
  form,
  guarded,
  isImmediate,
}: {
  form: ReturnType<typeof useReviewForm>;
  guarded: boolean;
  isImmediate: boolean;
}) {
  const { when } = form.values;
  return (
    <>
      {!isImmediate && (
        <SegmentedControl
          style={{ alignSelf: 'start' }}
          aria-label="When it takes effect"
          value={when}
          onChange={(next) => form.set('when', next === 'later' || next === 'review' ? next : 'now')}
          data={[
            { value: 'now', label: guarded ? 'Once approved' : 'Immediately' },
            { value: 'later', label: 'At a time' },
            ...(guarded ? [] : [{ value: 'review', label: 'After a review' }]),
          ]}
        />
      )}
      {when === 'later' && (
        <MomentInput
          label="Apply at"
          description={`In ${zoneName()}. ${guarded ? 'It must be approved before then. ' : ''}If someone changes the targeting before then, the change fails and reports it.`}
          required
          {...form.field('at')}
        />
      )}
    </>
  );
}

/** Whom the change waits for, or that it does not wait. */
function Effect({ flag, environment, isNow }: { flag: string; environment: Environment; isNow: boolean }) {
  if (environment.requires_approval)
    return (
      <Notice kind="info">
        {environment.name} is protected: the change takes effect when someone else approves it.
      </Notice>
    );
  if (!isNow) return null;
  return (
    <p className="dim">
      It takes effect in {environment.name} immediately, for every program that evaluates <code>{flag}</code> there.
    </p>
  );
}

function submitLabel(when: When, guarded: boolean, bypass: boolean, action: string): string {
  if (when === 'review') return 'Propose change';
  if (when === 'later') return guarded ? 'Propose change' : 'Schedule change';
  if (!guarded) return action;
  return bypass ? `${action} without approval` : 'Propose change';
}
