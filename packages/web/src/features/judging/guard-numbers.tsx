import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Chart } from '../../ui/chart/chart.tsx';
import { seriesColour } from '../../ui/colours.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatNumber } from '../../ui/format/index.ts';
import { Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { boundsOf, numberText } from './judging-words.ts';
import { type FlagPlace, type GuardedRelease, guardedEventsQuery, isActive } from './queries.ts';

type Numbers = NonNullable<GuardedRelease['last_look']>['guards'][number];

const VERDICTS: Readonly<Record<Numbers['verdict'], string>> = {
  regression: 'Worse than tolerated',
  no_regression: 'No harm found',
  too_few_data: 'Too few data',
};

const COLUMNS: readonly Column<Numbers>[] = [
  { id: 'name', header: 'Guard', cell: ({ name }) => name },
  { id: 'verdict', header: 'Last look', cell: ({ verdict, error }) => error ?? VERDICTS[verdict] },
  {
    id: 'treatment',
    header: 'Variant',
    numeric: true,
    cell: ({ metric, treatment }) => numberText(metric, treatment.mean),
  },
  { id: 'control', header: 'Control', numeric: true, cell: ({ metric, control }) => numberText(metric, control.mean) },
  {
    id: 'bound',
    header: 'Worse by at least',
    numeric: true,
    cell: ({ metric, bound }) => numberText(metric, bound === null ? null : Math.max(0, bound)),
  },
  {
    id: 'tolerance',
    header: 'Tolerated',
    numeric: true,
    cell: ({ metric, tolerance }) => numberText(metric, tolerance),
  },
  {
    id: 'units',
    header: 'Units',
    numeric: true,
    cell: ({ treatment, control }) => `${formatNumber(treatment.n)} / ${formatNumber(control.n)}`,
  },
];

/** What the guards see, and how their bounds have narrowed. */
export function GuardNumbers({ place, release }: { place: FlagPlace; release: GuardedRelease }) {
  const scheme = useComputedColorScheme();
  const { data: events = [] } = useQuery(guardedEventsQuery(place, isActive(release)));
  const { times, guards } = useMemo(() => boundsOf(events, release.armed_at), [events, release.armed_at]);
  const { last_look } = release;
  if (last_look === null) return null;
  return (
    <Panel title="Guards">
      <Stack gap="sm">
        <DataTable label="Guards" columns={COLUMNS} rows={last_look.guards} rowKey={({ name }, i) => `${name} ${i}`} />
        <p className="dim">
          The lower bound of the harm comes from a one-sided sequential test: it holds however often one looks. When it
          exceeds what is tolerated, the release acts.
        </p>
        {times.length > 1 &&
          guards.map(({ name, metric, bounds, harms, tolerance }) => (
            <Chart
              key={name}
              label={`${name}: how much worse the variant is`}
              times={times}
              series={[
                { label: `${name}, measured`, colour: seriesColour(0, scheme), values: harms },
                { label: 'at least', colour: seriesColour(4, scheme), values: bounds },
                { label: 'tolerated', colour: seriesColour(2, scheme), values: times.map(() => tolerance) },
              ]}
              format={(value) => numberText(metric, value)}
              height={150}
              syncKey="guards"
            />
          ))}
      </Stack>
    </Panel>
  );
}
