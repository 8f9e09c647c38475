import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useCan } from '../../app/session.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { seriesColour } from '../../ui/colours.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatNumber } from '../../ui/format/index.ts';
import { Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { VERDICT_WORDS } from '../releases/verdicts.ts';
import { boundsOf, differenceText, meanText } from './judging-words.ts';
import { type FlagPlace, type GuardedRelease, guardedEventsQuery, isActive, metricsQuery } from './queries.ts';

type Numbers = NonNullable<GuardedRelease['last_look']>['guards'][number];

type Words = (metric: string, value: number | null) => string;

/** `text` writes a value of a guard's metric, `by` a difference of two. */
const columnsOf = (text: Words, by: Words): readonly Column<Numbers>[] => [
  { id: 'name', header: 'Guard', cell: ({ name }) => name },
  { id: 'verdict', header: 'Last look', cell: ({ verdict, error }) => error ?? VERDICT_WORDS[verdict] },
  { id: 'treatment', header: 'Variant', numeric: true, cell: ({ metric, treatment }) => text(metric, treatment.mean) },
  { id: 'control', header: 'Control', numeric: true, cell: ({ metric, control }) => text(metric, control.mean) },
  {
    id: 'bound',
    header: 'Worse by at least',
    numeric: true,
    cell: ({ metric, bound }) => by(metric, bound === null ? null : Math.max(0, bound)),
  },
  { id: 'upper', header: 'At most', numeric: true, cell: ({ metric, upper }) => by(metric, upper) },
  { id: 'tolerance', header: 'Tolerated', numeric: true, cell: ({ metric, tolerance }) => by(metric, tolerance) },
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
  const { data: metrics } = useQuery({ ...metricsQuery(place.ws, place.p), enabled: useCan('experiments:read') });
  const known = (ref: string) => metrics?.find(({ id, key }) => id === ref || key === ref) ?? { key: ref, kind: '' };
  const by: Words = (ref, value) => differenceText(known(ref), value);
  const { times, guards } = useMemo(() => boundsOf(events, release.armed_at), [events, release.armed_at]);
  const { last_look } = release;
  if (last_look === null) return null;
  return (
    <Panel title="Guards">
      <Stack gap="sm">
        <DataTable
          label="Guards"
          columns={columnsOf((ref, value) => meanText(known(ref), value), by)}
          rows={last_look.guards}
          rowKey={({ name }, i) => `${name} ${i}`}
        />
        <p className="dim">
          Both bounds of the harm come from one-sided sequential tests: they hold however often one looks. When the
          lower one exceeds what is tolerated, it is harm; when the upper one is within it, there is none. Between the
          two, the guard is not sure yet.
        </p>
        {last_look.compared_with === 'control_before' && (
          <p className="dim">
            Everybody has the variant now, so it is compared with the control before 100%. That is weaker than a control
            group at the same time, because time itself changes things: what is tolerated includes a margin of as much
            again, and at least half of the control’s value.
          </p>
        )}
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
              format={(value) => by(metric, value)}
              height={150}
              syncKey="guards"
            />
          ))}
      </Stack>
    </Panel>
  );
}
