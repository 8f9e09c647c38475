import { useState } from 'react';
import { Modal } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { PercentInput } from '../flags/serve-editor.tsx';
import { AudienceFields } from './audience-fields.tsx';
import classes from './experiments.module.css';
import { inPhase, type PhaseDraft, phaseOf, phaseProblem } from './phase-draft.ts';
import type { Experiment } from './queries.ts';
import { phaseDiff } from './serve-diff.ts';
import { Served, type Submission } from './served-dialog.tsx';
import { VariantShares } from './variant-share.tsx';

interface Props {
  experiment: Experiment;
  onBegin: (phase: PhaseDraft, submission: Submission) => Promise<void>;
  onClose: () => void;
}

/** Asks for the weights, the share and the audience of the next phase of a running experiment. */
export function PhaseDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={props.onClose} title={`Begin a new phase of ${props.experiment.name}`} size={720}>
      {opened && <Phase {...props} />}
    </Modal>
  );
}

function Phase({ experiment, onBegin, onClose }: Props) {
  const [phase, setPhase] = useState(phaseOf(experiment));
  const set = (change: Partial<PhaseDraft>) => setPhase({ ...phase, ...change });
  const { variants, share, audience } = phase;
  const problem = phaseProblem(phase);
  const changes = problem === undefined ? phaseDiff(experiment, inPhase(experiment, phase)) : [];
  return (
    <Served
      experiment={experiment}
      action="Begin the phase"
      disabled={problem !== undefined || changes.length === 0}
      changesOf={() => changes}
      onSubmit={(submission) => onBegin(phase, submission)}
      onClose={onClose}
    >
      <VariantShares variants={variants} onChange={(next) => set({ variants: next })}>
        <div className={classes.variant}>
          <span>Units that take part</span>
          <PercentInput
            label="Units that take part"
            weight={share}
            disabled={false}
            onChange={(next) => set({ share: next })}
          />
        </div>
      </VariantShares>
      <AudienceFields audience={audience} problem={undefined} onChange={(next) => set({ audience: next })} />
      {problem !== undefined && <Notice kind="error">{problem}.</Notice>}
      <p className="dim">
        Units that took part before keep the phase of their first exposure, and results compare units of one phase only.
        Units whose variant changes are left out.
      </p>
    </Served>
  );
}
