import { Button, Group, Stack } from '../../ui/mantine.ts';
import { ErrorNotice, Loading, Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import type { Experiment } from './queries.ts';
import { canReseed, isUnlucky, replayAnswer } from './replay-words.ts';
import { useReplay } from './use-replay.ts';

/** Why an experiment did not start. An unlucky salt can be replaced at once. */
export function RefusedStart({
  experiment,
  error,
  onReseeded,
}: {
  experiment: Experiment;
  error: unknown;
  onReseeded: () => void;
}) {
  const replay = useReplay(experiment.id);
  const answer = replayAnswer(experiment);
  if (answer === null || !isUnlucky(experiment)) return <ErrorNotice error={error} />;
  const reseed = () =>
    replay.mutate(
      { reseed: true },
      {
        onSuccess: (after) => {
          if (after.replay?.ok !== true) return;
          toastDone('Another salt passed the replay. You can start now.');
          onReseeded();
        },
      },
    );
  return (
    <Stack gap="sm">
      <Notice kind="error">The experiment did not start. {answer.text}</Notice>
      <ErrorNotice error={replay.error} />
      {replay.isPending && <Loading label="Trying other salts" />}
      {canReseed(experiment) && (
        <Group>
          <Button variant="default" loading={replay.isPending} onClick={reseed}>
            Try another salt
          </Button>
        </Group>
      )}
    </Stack>
  );
}
