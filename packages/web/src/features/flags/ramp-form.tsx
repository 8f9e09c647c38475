import { startRamp } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { DraftRows } from '../../ui/draft-rows.tsx';
import { useForm } from '../../ui/form.ts';
import { formatMilliseconds } from '../../ui/format/index.ts';
import { Textarea, TextInput } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { shareOf } from '../releases/release-rules.ts';
import { type Targeting, toDraft, uid } from './draft.ts';
import { refreshFlags, refreshTargeting } from './queries.ts';
import classes from './ramp.module.css';
import { planMs, readSteps, type StepDraft } from './ramp-plan.ts';
import { StepFields } from './step-fields.tsx';
import type { Environment, Flag } from './types.ts';
import { percentText, TOTAL } from './weights.ts';

interface Props {
  flag: Flag;
  environment: Environment;
  targeting: Targeting;
  /** What is rolled out, and where the ramp ends, out of 100000. */
  variant: string;
  until: number;
  onClose: () => void;
}

const USUAL: readonly [percent: number, count: number, unit: string][] = [
  [1, 30, 'm'],
  [10, 2, 'h'],
  [50, 1, 'd'],
  [100, 1, 'h'],
];

/** The usual steps on the way, and the last one. */
function usualSteps(share: number, until: number): StepDraft[] {
  const between = USUAL.filter(([percent]) => percent * 1000 > share && percent * 1000 < until);
  const last = USUAL.find(([percent]) => percent * 1000 >= until) ?? [100, 1, 'h'];
  return [...between, [until / 1000, last[1], last[2]] as const].map(([percent, count, unit]) => ({
    uid: uid(),
    percent: String(percent),
    count: String(count),
    unit,
  }));
}

function useRampForm({ flag, environment, targeting, variant, until, onClose }: Props, share: number) {
  const { ws, project } = useScope();
  return useForm({
    initial: { steps: usualSteps(share, until), bucket_by: '', comment: '' },
    submit: async ({ steps: drafts, bucket_by, comment }) => {
      const { steps, errors } = readSteps(drafts, share);
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
      onClose();
      await Promise.all([refreshFlags(), refreshTargeting()]);
    },
  });
}

/** Plans a ramp to a share of a variant: its steps over time. */
export function RampForm(props: Props) {
  const { environment, targeting, variant, onClose } = props;
  const share = shareOf(toDraft(targeting).fallthrough, variant);
  const form = useRampForm(props, share);
  const { steps } = form.values;
  const read = readSteps(steps, share);
  const errors = form.tried ? read.errors : [];
  const valid = steps.length > 0 && read.errors.every((error) => error === undefined);
  const last = read.steps.at(-1);
  return (
    <DialogForm
      form={form}
      action={environment.requires_approval ? 'Propose ramp' : 'Start ramp'}
      disabled={steps.length === 0}
      onCancel={onClose}
    >
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
      <Textarea label="Comment" placeholder="Reason, shown in the history" {...form.field('comment')} />
    </DialogForm>
  );
}
