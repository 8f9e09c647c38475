import { putGuardedRelease } from '@fanion/contract';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { ActionIcon, Button, Modal, Select, Stack, TextInput } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { uid } from '../flags/draft.ts';
import { HOLD_UNITS } from '../flags/ramp-plan.ts';
import type { Environment, Flag } from '../flags/types.ts';
import { type GuardDraft, problemsOf, readDraft, startOf } from './guarded-draft.ts';
import classes from './judging.module.css';
import { type GuardedRelease, metricsQuery, refreshGuarded } from './queries.ts';

interface Props {
  flag: Flag;
  environment: Environment;
  /** Null: a new one. */
  release: GuardedRelease | null;
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
      centered
    >
      {opened && <GuardedForm {...props} />}
    </Modal>
  );
}

function GuardedForm({ flag, environment, release, onClose }: Props) {
  const { ws, project } = useScope();
  const { data: metrics = [] } = useQuery(metricsQuery(ws, project));
  const form = useForm({
    initial: startOf(
      release,
      flag.variants.map(({ key }) => key),
      flag.off_variant,
    ),
    submit: async (draft) => {
      await call(putGuardedRelease, {
        params: { ws, p: project, e: environment.key, key: flag.key },
        body: { ...readDraft(draft, release), ...(release !== null && { version: release.version }) },
      });
      toastDone('The guarded release is saved. Arm it to begin.');
      onClose();
      await refreshGuarded();
    },
  });
  const { steps, guards } = form.values;
  const problems = problemsOf(form.values);
  const editStep = (id: string, change: Partial<(typeof steps)[number]>) =>
    form.set(
      'steps',
      steps.map((step) => (step.uid === id ? { ...step, ...change } : step)),
    );
  const editGuard = (id: string, change: Partial<GuardDraft>) =>
    form.set(
      'guards',
      guards.map((guard) => (guard.uid === id ? { ...guard, ...change } : guard)),
    );
  return (
    <DialogForm form={form} action="Save" disabled={problems.length > 0} onCancel={onClose}>
      <Select
        label="Variant to release"
        allowDeselect={false}
        value={form.values.variant}
        data={flag.variants.map(({ key }) => key)}
        onChange={(next) => next !== null && form.set('variant', next)}
      />
      <div>
        <h3>Steps</h3>
        <Stack gap="xs" mt="xs">
          {steps.map(({ uid: id, percent, count, unit, units }, i) => (
            <div className={classes.row} key={id}>
              <TextInput
                aria-label={`Step ${i + 1}: percentage`}
                inputMode="decimal"
                rightSection={<span className="dim">%</span>}
                value={percent}
                onChange={({ currentTarget: { value } }) => editStep(id, { percent: value })}
              />
              <TextInput
                aria-label={`Step ${i + 1}: how long it is held`}
                inputMode="numeric"
                leftSection={<span className="dim">for</span>}
                value={count}
                onChange={({ currentTarget: { value } }) => editStep(id, { count: value })}
              />
              <Select
                aria-label={`Step ${i + 1}: unit of time`}
                allowDeselect={false}
                value={unit}
                data={HOLD_UNITS}
                onChange={(next) => next !== null && editStep(id, { unit: next })}
              />
              <TextInput
                aria-label={`Step ${i + 1}: units that each group needs`}
                inputMode="numeric"
                value={units}
                rightSection={<span className="dim">units</span>}
                rightSectionWidth={48}
                onChange={({ currentTarget: { value } }) => editStep(id, { units: value })}
              />
              <ActionIcon
                aria-label={`Remove step ${i + 1}`}
                disabled={steps.length === 1}
                onClick={() =>
                  form.set(
                    'steps',
                    steps.filter((step) => step.uid !== id),
                  )
                }
              >
                <IconTrash size={15} stroke={1.6} />
              </ActionIcon>
            </div>
          ))}
        </Stack>
        <Button
          variant="subtle"
          size="xs"
          mt="xs"
          leftSection={<IconPlus size={14} />}
          onClick={() =>
            form.set('steps', [...steps, { uid: uid(), percent: '', count: '1', unit: 'h', units: '100' }])
          }
        >
          Add step
        </Button>
      </div>
      <div>
        <h3>Guards</h3>
        <Stack gap="xs" mt="xs">
          {guards.map(({ uid: id, metric, tolerance, action }, i) => (
            <div className={classes.guard} key={id}>
              <Select
                aria-label={`Guard ${i + 1}: metric`}
                allowDeselect={false}
                value={metric}
                data={metrics.map(({ key, name }) => ({ value: key, label: name }))}
                onChange={(next) => next !== null && editGuard(id, { metric: next })}
              />
              <TextInput
                aria-label={`Guard ${i + 1}: how much worse is tolerated`}
                inputMode="decimal"
                leftSection={<span className="dim">by</span>}
                value={tolerance}
                onChange={({ currentTarget: { value } }) => editGuard(id, { tolerance: value })}
              />
              <Select
                aria-label={`Guard ${i + 1}: what to do`}
                allowDeselect={false}
                value={action}
                data={[
                  { value: 'rollback', label: 'Roll back' },
                  { value: 'pause', label: 'Pause' },
                ]}
                onChange={(next) => next !== null && editGuard(id, { action: next === 'pause' ? 'pause' : 'rollback' })}
              />
              <ActionIcon
                aria-label={`Remove guard ${i + 1}`}
                disabled={guards.length === 1}
                onClick={() =>
                  form.set(
                    'guards',
                    guards.filter((guard) => guard.uid !== id),
                  )
                }
              >
                <IconTrash size={15} stroke={1.6} />
              </ActionIcon>
            </div>
          ))}
        </Stack>
        <Button
          variant="subtle"
          size="xs"
          mt="xs"
          leftSection={<IconPlus size={14} />}
          onClick={() =>
            form.set('guards', [...guards, { uid: uid(), metric: 'latency', tolerance: '0', action: 'rollback' }])
          }
        >
          Add guard
        </Button>
        <p className="dim">How much worse is in units of the metric: 0.01 of an error rate is one percentage point.</p>
      </div>
      {problems.map((problem) => (
        <Notice key={problem} kind="warning">
          {problem}
        </Notice>
      ))}
    </DialogForm>
  );
}
