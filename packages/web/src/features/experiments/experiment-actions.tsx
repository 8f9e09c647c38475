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

/** What can be done in the state that an experiment has. */
export function ExperimentActions({ experiment, results }: { experiment: Experiment; results: Results | undefined }) {
  const scope = useScope();
  const confirm = useConfirm();
  const [asking, setAsking] = useState<'start' | 'phase' | 'winner' | null>(null);
  const { id, name, flag, state, winner } = experiment;
  const params = { ws: scope.ws, p: scope.project, id };
  const told = async ({ status }: { status: number }, done: string) => {
    toastDone(status === 202 ? 'The change waits for approval' : done);
    setAsking(null);
    await Promise.all([refreshExperiments(), refreshFlags(), refreshTargeting()]);
  };
  const act = async (
    question: { title: string; body: string; action: string },
    write: () => Promise<{ status: number }>,
    done: string,
  ) => {
    if (!(await confirm(question))) return;
    try {
      await told(await write(), done);
    } catch (error) {
      toastError(error);
    }
  };
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
      <StartDialog
        opened={asking === 'start'}
        experiment={experiment}
        onStart={async ({ comment, bypass }) =>
          told(await call(startExperiment, { params, body: submission(comment, bypass) }), `${name} is running`)
        }
        onClose={() => setAsking(null)}
      />
      <PhaseDialog
        opened={asking === 'phase'}
        experiment={experiment}
        onBegin={async (phase, { comment, bypass }) =>
          told(
            await call(beginPhase, { params, body: { ...phaseBody(phase), ...submission(comment, bypass) } }),
            `${name} is in its next phase`,
          )
        }
        onClose={() => setAsking(null)}
      />
      <WinnerDialog
        opened={asking === 'winner'}
        experiment={experiment}
        best={results === undefined ? null : bestOf(results)}
        onApply={async (variant, { comment, bypass }) =>
          told(
            await call(applyWinner, { params, body: { variant, ...submission(comment, bypass) } }),
            `${variant} is served to everybody`,
          )
        }
        onClose={() => setAsking(null)}
      />
    </>
  );
}

function submission(comment: string, bypass: boolean) {
  return { ...(comment.trim() !== '' && { comment: comment.trim() }), ...(bypass && { bypass_approval: true }) };
}
