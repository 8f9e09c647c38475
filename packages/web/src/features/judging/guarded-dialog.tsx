import { putGuardedRelease } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { DraftRows } from '../../ui/draft-rows.tsx';
import { type Form, useForm } from '../../ui/form.ts';
import { Modal, Select, TextInput } from '../../ui/mantine.ts';
import { saveOver } from '../../ui/stale.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { uid } from '../flags/draft.ts';
import { HOLD_UNITS } from '../flags/ramp-plan.ts';
import { StepFields } from '../flags/step-fields.tsx';
import type { Environment, Flag } from '../flags/types.ts';
import { DeadEnd } from './dead-end.tsx';
import { type Draft, type GuardDraft, problemsOf, readDraft, startOf } from './guarded-draft.ts';
import classes from './judging.module.css';
import { type GuardedRelease, metricsQuery, refreshGuarded } from './queries.ts';

interface Props {
  flag: Flag;
  environment: Environment;
  /** Null: a new one. */
  release: GuardedRelease | null;
  /** The variant, and the share out of 100000 that it begins with. */
  from?: { readonly variant: string; readonly weight: number };
  onClose: () => void;
}

/** Plans a guarded release: the variant, its steps, and what guards it. */
export function GuardedDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={`Guarded release of ${props.flag.key} in ${props.environment.name}`}
      size={720}
    >
      {opened && <GuardedForm {...props} />}
    </Modal>
  );
}

/** The form of the plan. It changes nothing that is served. */
export function GuardedForm({ flag, environment, release, from, onClose }: Props) {
  const { ws, project } = useScope();
  const form = useForm({
    initial: startOf(
      release,
      flag.variants.map(({ key }) => key),
      flag.off_variant,
      from,
    ),
    submit: async (draft) => {
      const written = call(putGuardedRelease, {
        params: { ws, p: project, e: environment.key, key: flag.key },
        body: { ...readDraft(draft, release), ...(release !== null && { version: release.version }) },
      });
      await saveOver(release ?? {}, written);
      toastDone('The guarded release is planned. Start it to begin.');
      onClose();
      await refreshGuarded();
    },
  });
  const { steps } = form.values;
  const problems = problemsOf(form.values);
  return (
    <DialogForm form={form} action="Save" disabled={problems.length > 0} onCancel={onClose}>
      <Select label="Variant to release" data={flag.variants.map(({ key }) => key)} {...form.choice('variant')} />
      <DeadEnd flag={flag} environment={environment} variant={form.values.variant} />
      <div>
        <DraftRows
          title="Steps"
          one="step"
          className={classes.row}
          rows={steps}
          onChange={(next) => form.set('steps', next)}
          newRow={() => ({ uid: uid(), percent: '', count: '1', unit: 'h', units: '100' })}
          fields={(step, index, edit) => (
            <>
              <StepFields index={index} step={step} onEdit={edit} />
              <TextInput
                aria-label={`Step ${index + 1}: units that each group needs`}
                inputMode="numeric"
                value={step.units}
                rightSection={<span className="dim">units</span>}
                rightSectionWidth={48}
                onChange={({ currentTarget: { value } }) => edit({ units: value })}
              />
            </>
          )}
        />
        <p className="dim">After the last step, everybody gets {form.values.variant}.</p>
      </div>
      <Guards form={form} />
      <Unsure form={form} />
      {problems.map((problem) => (
        <Notice key={problem} kind="warning">
          {problem}
        </Notice>
      ))}
    </DialogForm>
  );
}

/** What stops the release. */
function Guards({ form }: { form: Form<Draft> }) {
  const { ws, project } = useScope();
  const { data: metrics = [] } = useQuery(metricsQuery(ws, project));
  // Guards name metrics by key or by id.
  const known = (ref: string) => metrics.find(({ id, key }) => id === ref || key === ref);
  const worseOf = ({ metric, direction }: GuardDraft) =>
    (direction ?? known(metric)?.direction) === 'up_is_good' ? 'lower' : 'higher';
  return (
    <div>
      <DraftRows
        title="Guards"
        one="guard"
        className={classes.guard}
        rows={form.values.guards}
        onChange={(next) => form.set('guards', next)}
        newRow={(): GuardDraft => ({
          uid: uid(),
          metric: 'latency',
          tolerance: '5 %',
          action: 'rollback',
          direction: null,
        })}
        fields={(guard, index, edit) => (
          <>
            <Select
              aria-label={`Guard ${index + 1}: metric`}
              value={known(guard.metric)?.key ?? guard.metric}
              data={metrics.map(({ key, name }) => ({ value: key, label: name }))}
              onChange={(next) => next !== null && edit({ metric: next, direction: null })}
            />
            <TextInput
              aria-label={`Guard ${index + 1}: how much worse is tolerated`}
              leftSection={<span className="dim">{worseOf(guard)} by</span>}
              leftSectionWidth={70}
              value={guard.tolerance}
              onChange={({ currentTarget: { value } }) => edit({ tolerance: value })}
            />
            <Select
              aria-label={`Guard ${index + 1}: what to do`}
              value={guard.action}
              data={[
                { value: 'rollback', label: 'Roll back' },
                { value: 'pause', label: 'Pause' },
              ]}
              onChange={(next) => next !== null && edit({ action: next === 'pause' ? 'pause' : 'rollback' })}
            />
          </>
        )}
      />
      <p className="dim">
        How much worse is tolerated: 1 point of a share, 5 % of the control’s value, 20 ms of a latency, or a number in
        units of the metric.
      </p>
    </div>
  );
}

/** What happens when a step ends without a decision, and after the last step. */
function Unsure({ form }: { form: Form<Draft> }) {
  return (
    <>
      <div className={classes.unsure}>
        <Select
          label="When a guard is not sure"
          description="At the end of a step"
          data={[
            { value: 'hold', label: 'Hold until it is' },
            { value: 'advance', label: 'Go on' },
            { value: 'rollback', label: 'Roll back' },
          ]}
          {...form.choice('whenUnsure')}
        />
        {form.values.whenUnsure === 'hold' && (
          <>
            <TextInput
              label="Ask people after"
              description="The step stays held"
              inputMode="numeric"
              {...form.field('holdCount')}
            />
            <Select aria-label="Unit of the longest hold" data={HOLD_UNITS} {...form.choice('holdUnit')} />
          </>
        )}
      </div>
      <div className={classes.unsure}>
        <TextInput
          label="Watch after 100% for"
          description="Rolls back then too; 0: no"
          inputMode="numeric"
          {...form.field('watchCount')}
        />
        <Select aria-label="Unit of the watch" data={HOLD_UNITS} {...form.choice('watchUnit')} />
      </div>
    </>
  );
}
