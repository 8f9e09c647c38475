import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan } from '../../app/session.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { countOf, formatNumber } from '../../ui/format/index.ts';
import { Button, Stack } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { backtestAnswer, backtestRows, undecidedText } from './backtest-words.ts';
import { numberText } from './judging-words.ts';
import { type Backtest, backtestQuery, type FlagPlace, type GuardedRelease } from './queries.ts';

const COLUMNS: readonly Column<ReturnType<typeof backtestRows>[number]>[] = [
  { id: 'name', header: 'Guard', cell: ({ name }) => name },
  { id: 'alarms', header: 'False alarms', cell: ({ alarms }) => alarms },
  { id: 'step', header: 'Step', cell: ({ step }) => step },
  { id: 'units', header: 'Units in each group', numeric: true, cell: ({ units }) => units },
  { id: 'visible', header: 'Smallest harm that it sees', cell: ({ visible }) => visible },
  { id: 'detects', header: 'Finds twice its tolerance', cell: ({ detects }) => detects },
  { id: 'clears', header: 'Says that there is no harm', cell: ({ clears }) => clears },
];

/** What the guards would see of the traffic of the last 30 days, and what they would have done: at once for a release that has not begun. */
export function BacktestPanel({ place, release }: { place: FlagPlace; release: GuardedRelease }) {
  const canQuery = useCan('telemetry:query');
  const [asked, setAsked] = useState<number | null>(null);
  const isAsked = release.state === 'draft' || asked === release.version;
  const { data, error, isFetching, refetch } = useQuery({
    ...backtestQuery(place, release.version),
    enabled: isAsked && canQuery,
  });
  return (
    <Panel
      title="Backtest of the guards"
      actions={
        canQuery && (
          <Button
            size="xs"
            variant="default"
            loading={isFetching}
            onClick={() => (isAsked ? void refetch() : setAsked(release.version))}
          >
            {data === undefined ? 'Backtest' : 'Run again'}
          </Button>
        )
      }
    >
      {isFetching ? (
        <Loading label="Replaying the guards over the last 30 days" />
      ) : error ? (
        <ErrorState compact error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <span className="dim">
          {canQuery
            ? 'Replays the guards over the last 30 days. Past units were all served the same, so each alarm is a false one. You also see how small a harm each step can show.'
            : 'Backtests are shown to people with the permission telemetry:query.'}
        </span>
      ) : (
        <Backtested backtest={data} release={release} />
      )}
    </Panel>
  );
}

function Backtested({ backtest, release }: { backtest: Backtest; release: GuardedRelease }) {
  const { kind, text } = backtestAnswer(backtest, release.alpha);
  const { days, units_per_day: units, guards } = backtest;
  const baselines = guards.flatMap(({ metric, name, baseline }) =>
    baseline === null ? [] : [`${name} was ${numberText(metric, baseline)}`],
  );
  const undecided = undecidedText(backtest, release);
  return (
    <Stack gap="sm">
      {undecided !== undefined && <Notice kind="warning">{undecided}</Notice>}
      <Notice kind={kind}>{text}</Notice>
      <DataTable label="Backtest" columns={COLUMNS} rows={backtestRows(backtest, release)} rowKey={({ key }) => key} />
      <span className="dim">
        In the last {countOf(days, 'day')} the flag had {formatNumber(units)} units a day
        {baselines.length > 0 && `, and ${baselines.join(', ')}`}. What is told of harm and times is met with a chance
        of 80%, if each step before takes its hold.
      </span>
    </Stack>
  );
}
