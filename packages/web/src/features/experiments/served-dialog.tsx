import { ApiError } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { environmentsQuery, useCan, useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Checkbox, Modal, Select, Textarea } from '../../ui/mantine.ts';
import { Unloaded } from '../../ui/resource/loaded.tsx';
import { Notice } from '../../ui/states.tsx';
import { ChangeTable } from '../flags/change-table.tsx';
import { describeServe } from '../flags/describe.ts';
import type { Change } from '../flags/diff.ts';
import { toDraft } from '../flags/draft.ts';
import { targetingQuery } from '../flags/queries.ts';
import { type Experiment, refreshExperiments } from './queries.ts';
import { RefusedStart } from './refused-start.tsx';
import { startDiff, winnerDiff } from './serve-diff.ts';

export interface Submission {
  readonly comment: string;
  readonly bypass: boolean;
}
interface Props {
  experiment: Experiment;
  onClose: () => void;
}

/** Asks before an experiment starts, with the difference of what its flag serves. */
export function StartDialog({
  opened,
  experiment,
  onStart,
  onClose,
}: Props & { opened: boolean; onStart: (submission: Submission) => Promise<void> }) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Start ${experiment.name}`} size={640}>
      {opened && <Start experiment={experiment} onStart={onStart} onClose={onClose} />}
    </Modal>
  );
}

function Start({ experiment, onStart, onClose }: Props & { onStart: (submission: Submission) => Promise<void> }) {
  const [refused, setRefused] = useState<ApiError | null>(null);
  const start = async (submission: Submission) => {
    setRefused(null);
    try {
      await onStart(submission);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'SVC-7134')) throw error;
      // Somebody else may have replayed it: then the page does not know yet that its salt is unlucky.
      await refreshExperiments();
      setRefused(error);
    }
  };
  return (
    <Served
      experiment={experiment}
      action="Start"
      changesOf={(before) => startDiff(before, experiment)}
      onSubmit={start}
      onClose={onClose}
    >
      <p className="dim">Targets and rules still come first. Variants and goals cannot change afterwards.</p>
      {refused !== null && <RefusedStart experiment={experiment} error={refused} onReseeded={() => setRefused(null)} />}
    </Served>
  );
}

/** Asks which variant everybody gets, with the difference of what the flag serves. */
export function WinnerDialog({
  opened,
  experiment,
  best,
  onApply,
  onClose,
}: Props & {
  opened: boolean;
  /** What the results suggest. */
  best: string | null;
  onApply: (variant: string, submission: Submission) => Promise<void>;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Apply a winner of ${experiment.name}`} size={640}>
      {opened && <Winner experiment={experiment} best={best} onApply={onApply} onClose={onClose} />}
    </Modal>
  );
}

function Winner({
  experiment,
  best,
  onApply,
  onClose,
}: Props & { best: string | null; onApply: (variant: string, submission: Submission) => Promise<void> }) {
  const [variant, setVariant] = useState(best ?? experiment.control);
  return (
    <Served
      experiment={experiment}
      action={`Serve ${variant} to everybody`}
      changesOf={(before) => winnerDiff(before, variant)}
      onSubmit={(submission) => onApply(variant, submission)}
      onClose={onClose}
    >
      <Select
        label="Winner"
        description={
          best === null
            ? 'No variant is better by all metrics that decide, so the control stays unless you know more.'
            : `${best} is better by the metrics that decide.`
        }
        value={variant}
        data={experiment.variants.map((one) => one.variant)}
        onChange={(next) => next !== null && setVariant(next)}
      />
      <p className="dim">Targets and rules stay.</p>
    </Served>
  );
}

/** Asks before something changes what a flag serves, with the difference. */
export function Served({
  experiment: { flag, environment: key },
  action,
  disabled = false,
  changesOf,
  onSubmit,
  onClose,
  children,
}: {
  experiment: Experiment;
  action: string;
  disabled?: boolean;
  changesOf: (before: string) => readonly Change[];
  onSubmit: (submission: Submission) => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}) {
  const { ws, project } = useScope();
  const targeting = useQuery({ ...targetingQuery(ws, project, key, flag), staleTime: 0 });
  const { data: environments = [] } = useQuery(environmentsQuery(ws, project));
  const environment = environments.find((one) => one.key === key);
  const isGuarded = environment?.requires_approval === true;
  const canBypass = useCan('flags:bypass_approval') && isGuarded;
  const form = useForm({ initial: { comment: '', bypass: false }, submit: onSubmit });
  if (targeting.data === undefined) return <Unloaded query={targeting} label="Loading what the flag serves" compact />;
  const before = describeServe(toDraft(targeting.data).fallthrough);
  const { bypass } = form.values;
  return (
    <DialogForm form={form} action={isGuarded && !bypass ? 'Propose' : action} disabled={disabled} onCancel={onClose}>
      <ChangeTable label={`What ${flag} serves in ${environment?.name ?? key}`} changes={changesOf(before)} />
      {!targeting.data.enabled && (
        <Notice kind="warning">
          {flag} is off in {environment?.name ?? key}: turn it on first.
        </Notice>
      )}
      {children}
      <Textarea label="Comment" {...form.field('comment')} />
      {isGuarded && (
        <Notice kind="info">
          {environment.name} is protected: the change takes effect when someone else approves it.
        </Notice>
      )}
      {canBypass && (
        <Checkbox
          label="Apply without an approval"
          checked={bypass}
          onChange={(event) => form.set('bypass', event.currentTarget.checked)}
        />
      )}
    </DialogForm>
  );
}
