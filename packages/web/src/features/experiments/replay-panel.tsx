import { useQuery } from '@tanstack/react-query';
import { useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf, formatExact } from '../../ui/format/index.ts';
import { Button, Group, Stack } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { meanText } from '../judging/judging-words.ts';
import { metricsQuery } from '../judging/queries.ts';
import { differenceText, pText } from './experiment-words.ts';
import type { Experiment, Replay } from './queries.ts';
import { canReseed, isUnlucky, powerText, replayAnswer } from './replay-words.ts';
import { useReplay } from './use-replay.ts';

/** Whether the salt of a draft is fair to past units, and what the experiment can expect to see. */
export function ReplayPanel({ experiment }: { experiment: Experiment }) {
  const canWrite = useCan('experiments:write');
  const canQuery = useCan('telemetry:query');
  const { mutate, isPending, variables, error } = useReplay(experiment.id);
  const answer = replayAnswer(experiment);
  return (
    <Panel
      title="Past units"
      actions={
        canWrite &&
        canQuery && (
          <Group gap="xs">
            {isUnlucky(experiment) && canReseed(experiment) && (
              <Button size="xs" disabled={isPending} onClick={() => mutate({ reseed: true })}>
                Try another salt
              </Button>
            )}
            <Button size="xs" variant="default" loading={isPending} onClick={() => mutate({ reseed: false })}>
              Replay past units
            </Button>
          </Group>
        )
      }
    >
      <Stack gap="sm">
        <ErrorNotice error={error} />
        {isPending ? (
          <Loading label={variables?.reseed ? 'Trying other salts' : 'Replaying past units'} />
        ) : (
          answer !== null && <Notice kind={answer.kind}>{answer.text}</Notice>
        )}
        {!isPending && experiment.replay !== null && <Replayed experiment={experiment} replay={experiment.replay} />}
        <span className="dim">
          The salt decides which unit gets which variant. A replay divides the units of the last 14 days in the same
          way. They were all served the same, so groups that differ already would look like an effect.
        </span>
      </Stack>
    </Panel>
  );
}

function Replayed({ experiment, replay }: { experiment: Experiment; replay: Replay }) {
  const { ws, project } = useScope();
  const { data: known = [] } = useQuery(metricsQuery(ws, project));
  const measured = ({ metric }: Replay['metrics'][number]) => ({
    key: metric,
    kind: known.find(({ key }) => key === metric)?.kind ?? '',
  });
  const effect = experiment.analysis.minimal_effect;
  const groups = experiment.variants.map(({ variant }) => `${formatExact(replay.units[variant] ?? 0)} ${variant}`);
  return (
    <>
      {replay.warnings.map((text) => (
        <Notice key={text} kind="warning">
          {text}
        </Notice>
      ))}
      <DataTable
        label="Replay of past units"
        rows={replay.metrics}
        rowKey={({ metric, role }) => `${role} ${metric}`}
        columns={[
          { id: 'name', header: 'Metric', cell: ({ name }) => name },
          {
            id: 'mean',
            header: `Mean of ${experiment.control}`,
            width: 120,
            numeric: true,
            cell: (one) => one.error ?? meanText(measured(one), one.mean),
          },
          {
            id: 'difference',
            header: 'Largest difference',
            width: 160,
            numeric: true,
            cell: (one) => differenceText(measured(one), one.difference),
          },
          { id: 'p', header: 'p-value', width: 90, numeric: true, cell: ({ p_value: p }) => pText(p) },
          {
            id: 'unlucky',
            header: 'Groups differ',
            width: 120,
            cell: ({ unlucky, p_value: p }) => (unlucky ? 'yes' : p === null ? 'not known' : 'not found'),
          },
          {
            id: 'power',
            header: `What ${countOf(replay.days, 'day')} will show`,
            cell: (one) => powerText(one, effect),
          },
        ]}
      />
      <span className="dim">
        Replayed <Timestamp value={replay.computed_at} ago />: {groups.join(', ')}; {countOf(replay.daily, 'new unit')}{' '}
        a day.
      </span>
    </>
  );
}
