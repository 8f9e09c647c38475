import { applyWinner, archiveExperiment, startExperiment, stopExperiment } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { Button, Menu } from '../../ui/mantine.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { type Experiment, refreshExperiments } from './queries.ts';

/** What can be done in the state that an experiment has. */
export function ExperimentActions({ experiment }: { experiment: Experiment }) {
  const scope = useScope();
  const confirm = useConfirm();
  const { id, name, flag, environment, state, variants, winner } = experiment;
  const params = { ws: scope.ws, p: scope.project, id };
  const act = async (
    question: { title: string; body: string; action: string },
    write: () => Promise<{ status: number }>,
    done: string,
  ) => {
    if (!(await confirm(question))) return;
    try {
      const { status } = await write();
      toastDone(status === 202 ? 'The change waits for approval' : done);
      await refreshExperiments();
    } catch (error) {
      toastError(error);
    }
  };
  const start = () =>
    act(
      {
        title: `Start ${name}?`,
        body: `${flag} serves its variants at random in ${environment}. Variants, weights and goals cannot change afterwards.`,
        action: 'Start',
      },
      () => call(startExperiment, { params, body: {} }),
      `${name} is running`,
    );
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
  const apply = (variant: string) =>
    act(
      {
        title: `Serve ${variant} to everybody?`,
        body: `The fallthrough of ${flag} in ${environment} becomes ${variant}. Targets and rules stay.`,
        action: `Serve ${variant}`,
      },
      () => call(applyWinner, { params, body: { variant } }),
      `${variant} is served to everybody`,
    );
  return (
    <>
      {(state === 'draft' || state === 'stopped') && (
        <Button variant="default" onClick={() => void archive()}>
          Archive
        </Button>
      )}
      {state === 'draft' && <Button onClick={() => void start()}>Start</Button>}
      {state === 'running' && <Button onClick={() => void stop()}>Stop</Button>}
      {state === 'stopped' && winner === null && (
        <Menu>
          <Menu.Target>
            <Button>Apply winner</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {variants.map(({ variant }) => (
              <Menu.Item key={variant} onClick={() => void apply(variant)}>
                {variant}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}
