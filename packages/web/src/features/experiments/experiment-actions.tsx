import {
  applyWinner,
  archiveExperiment,
  beginPhase,
  removeExperiment,
  startExperiment,
  stopExperiment,
} from '@fanion/contract';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { DeleteAndLeave } from '../../app/resource-actions.tsx';
import { useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { ButtonLink } from '../../ui/link.tsx';
import { Button } from '../../ui/mantine.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { refreshFlags, refreshTargeting } from '../flags/queries.ts';
import { bestOf } from './experiment-words.ts';
import { PhaseDialog } from './phase-dialog.tsx';
import { phaseBody } from './phase-draft.ts';
import { type Experiment, experimentQuery, type Results, refreshExperiments } from './queries.ts';
import { StartDialog, WinnerDialog } from './served-dialog.tsx';

type Asking = 'start' | 'phase' | 'winner' | null;

async function told({ status }: { status: number }, done: string): Promise<void> {
  toastDone(status === 202 ? 'The change waits for approval' : done);
  await Promise.all([refreshExperiments(), refreshFlags(), refreshTargeting()]);
}

/** Does something that the user confirms. */
function useConfirmedAct() {
  const confirm = useConfirm();
  return async (
    question: { title: string; body: string; action: string },
    write: () => Promise<{ status: number }>,
    done: string,
  ): Promise<void> => {
    if (!(await confirm(question))) return;
    try {
      await told(await write(), done);
    } catch (error) {
      toastError(error);
    }
  };
}

/** What can be done in the state that an experiment has. */
export function ExperimentActions({ experiment, results }: { experiment: Experiment; results: Results | undefined }) {
  const scope = useScope();
  const [asking, setAsking] = useState<Asking>(null);
  const act = useConfirmedAct();
  const { id, name, flag, state, winner } = experiment;
  const params = { ws: scope.ws, p: scope.project, id };
  const stop = () =>
    act(
      { title: `Stop ${name}?`, body: `${flag} serves what it served before. The results stay.`, action: 'Stop' },
      () => call(stopExperiment, { params, body: {} }),
      `${name} has stopped`,
    );
  const archive = () =>
    act(
      { title: `Archive ${name}?`, body: 'The results stay readable.', action: 'Archive' },
      () => call(archiveExperiment, { params, body: {} }),
      `${name} is archived`,
    );
  return (
    <>
      {state !== 'running' && (
        <DeleteAndLeave
          name={name}
          body="Deletes the experiment with its results. The flag and its telemetry stay."
          action="Delete experiment"
          run={() => call(removeExperiment, { params })}
          list="/w/$ws/$project/experiments"
          queryKey={experimentQuery(scope, id).queryKey}
          refresh={refreshExperiments}
        />
      )}
      {(state === 'draft' || state === 'stopped') && (
        <Button variant="default" onClick={() => void archive()}>
          Archive
        </Button>
      )}
      {state === 'draft' && (
        <>
          <ButtonLink to="/w/$ws/$project/experiments/$id/edit" params={{ ...scope, id }} variant="default">
            Edit
          </ButtonLink>
          <Button onClick={() => setAsking('start')}>Start</Button>
        </>
      )}
      {state === 'running' && (
        <>
          <Button variant="default" onClick={() => setAsking('phase')}>
            Start a new phase
          </Button>
          <Button onClick={() => void stop()}>Stop</Button>
        </>
      )}
      {state === 'stopped' && winner === null && <Button onClick={() => setAsking('winner')}>Apply winner</Button>}
      <Dialogs experiment={experiment} results={results} asking={asking} onClose={() => setAsking(null)} />
    </>
  );
}

/** The dialogs that ask for more than a confirmation, of which one at most is open. */
function Dialogs({
  experiment,
  results,
  asking,
  onClose,
}: {
  experiment: Experiment;
  results: Results | undefined;
  asking: Asking;
  onClose: () => void;
}) {
  const scope = useScope();
  const { id, name } = experiment;
  const params = { ws: scope.ws, p: scope.project, id };
  const finish = async (answer: { status: number }, done: string) => {
    onClose();
    await told(answer, done);
  };
  return (
    <>
      <StartDialog
        opened={asking === 'start'}
        experiment={experiment}
        onStart={async ({ comment, bypass }) =>
          finish(await call(startExperiment, { params, body: submission(comment, bypass) }), `${name} is running`)
        }
        onClose={onClose}
      />
      <PhaseDialog
        opened={asking === 'phase'}
        experiment={experiment}
        onBegin={async (phase, { comment, bypass }) =>
          finish(
            await call(beginPhase, { params, body: { ...phaseBody(phase), ...submission(comment, bypass) } }),
            `${name} is in its next phase`,
          )
        }
        onClose={onClose}
      />
      <WinnerDialog
        opened={asking === 'winner'}
        experiment={experiment}
        best={results === undefined ? null : bestOf(results)}
        onApply={async (variant, { comment, bypass }) =>
          finish(
            await call(applyWinner, { params, body: { variant, ...submission(comment, bypass) } }),
            `${variant} is served to everybody`,
          )
        }
        onClose={onClose}
      />
    </>
  );
}

function submission(comment: string, bypass: boolean) {
  return { ...(comment.trim() !== '' && { comment: comment.trim() }), ...(bypass && { bypass_approval: true }) };
}
