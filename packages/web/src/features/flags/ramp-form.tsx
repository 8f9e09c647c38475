import { startRamp } from '@fanion/contract';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { DraftRows } from '../../ui/draft-rows.tsx';
import { useForm } from '../../ui/form.ts';
import { formatMilliseconds } from '../../ui/format/index.ts';
import { Modal, Select, Textarea, TextInput } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { type Targeting, uid } from './draft.ts';
import { refreshFlags } from './queries.ts';
import classes from './ramp.module.css';
import { planMs, readSteps, type StepDraft } from './ramp-plan.ts';
import { StepFields } from './step-fields.tsx';
import type { Environment, Flag } from './types.ts';
import { percentText, TOTAL } from './weights.ts';

interface Props {
  flag: Flag;
  environment: Environment;
  targeting: Targeting;
  onStarted: () => void;
  onClose: () => void;
}

/** Plans a ramp: the variant, and its percentage over time. */
export function RampDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={`Start a ramp of ${props.flag.key} in ${props.environment.name}`}
      size={640}
      centered
    >
      {opened && <RampForm {...props} />}
    </Modal>
  );
}

/** A variant's current weight in the default rollout, out of 100000. */
function shareOf({ fallthrough }: Targeting, variant: string): number {
  if (!fallthrough.rollout) return fallthrough.variant === variant ? TOTAL : 0;
  return fallthrough.rollout.weights.reduce((sum, entry) => (entry.variant === variant ? sum + entry.weight : sum), 0);
}

const USUAL: readonly [percent: number, count: number, unit: string][] = [
  [1, 30, 'm'],
  [10, 2, 'h'],
  [50, 1, 'd'],
  [100, 1, 'h'],
];

function usualSteps(share: number): StepDraft[] {
  return USUAL.filter(([percent]) => percent * 1000 > share).map(([percent, count, unit]) => ({
    uid: uid(),
    percent: String(percent),
    count: String(count),
    unit,
  }));
}

function RampForm({ flag, environment, targeting, onStarted, onClose }: Props) {
  const { ws, project } = useScope();
  const variants = flag.variants.map(({ key }) => key).filter((key) => shareOf(targeting, key) < TOTAL);
  const first = variants.find((key) => key !== targeting.off_variant) ?? variants[0] ?? '';
  const [tried, setTried] = useState(false);
  const form = useForm({
    initial: { variant: first, steps: usualSteps(shareOf(targeting, first)), bucket_by: '', comment: '' },
    submit: async ({ variant, steps: drafts, bucket_by, comment }) => {
      setTried(true);
      const { steps, errors } = readSteps(drafts, shareOf(targeting, variant));
      if (errors.some((error) => error !== undefined)) return;
      const { status } = await call(startRamp, {
        params: { ws, p: project, e: environment.key, key: flag.key },
        body: {
          variant,
          steps,
          version: targeting.version,
          ...(bucket_by.trim() !== '' && { bucket_by: bucket_by.trim() }),
          ...(comment.trim() !== '' && { comment: comment.trim() }),
        },
      });
      toastDone(status === 202 ? 'The ramp waits for approval' : `Ramp of ${variant} started in ${environment.name}`);
      onStarted();
      onClose();
      await refreshFlags();
    },
  });
  const { variant, steps } = form.values;
  const share = shareOf(targeting, variant);
  const read = readSteps(steps, share);
  const errors = tried ? read.errors : [];
  const valid = steps.length > 0 && read.errors.every((error) => error === undefined);
  const last = read.steps.at(-1);
  return (
    <DialogForm
      form={form}
      action={environment.requires_approval ? 'Propose ramp' : 'Start ramp'}
      disabled={steps.length === 0}
      onCancel={onClose}
    >
      <Select
        label="Variant to roll out"
        allowDeselect={false}
        value={variant}
        data={variants}
        error={form.errorOf('variant')}
        onChange={(next) => {
          if (next === null) return;
          form.set('variant', next);
          form.set('steps', usualSteps(shareOf(targeting, next)));
        }}
      />
      <div>
        <DraftRows
          title="Steps"
          one="step"
          className={classes.editRow}
          rows={steps}
          onChange={(next) => form.set('steps', next)}
          newRow={() => ({ uid: uid(), percent: '', count: '1', unit: 'h' })}
          fields={(step, index, edit) => (
            <>
              <span>Step {index + 1}</span>
              <StepFields index={index} step={step} error={errors[index]} onEdit={edit} />
            </>
          )}
        />
        {form.errorOf('steps') && <Notice kind="error">{form.errorOf('steps')}</Notice>}
      </div>
      <TextInput
        label="Split by attribute"
        placeholder="targetingKey"
        description="Units with the same value always get the same variant."
        {...form.field('bucket_by')}
      />
      {valid && last && (
        <section aria-label="Who is affected">
          <Notice kind={last.weight >= TOTAL / 2 ? 'warning' : 'info'}>
            <strong>Everybody else</strong>, after targets and rules: {percentText(share)}% get {variant} now,{' '}
            {percentText(read.steps[0]?.weight ?? 0)}% immediately, {percentText(last.weight)}% at the last step. The
            ramp takes {formatMilliseconds(planMs(read.steps))} and keeps the last percentage afterwards.
          </Notice>
        </section>
      )}
      {environment.requires_approval && (
        <Notice kind="info">{environment.name} is protected: the ramp starts when someone else approves it.</Notice>
      )}
      <Textarea
        label="Comment"
        placeholder="Reason, shown in the history"
        autosize
        minRows={2}
        {...form.field('comment')}
      />
    </DialogForm>
  );
}
