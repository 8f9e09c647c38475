import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useCan, useScope } from '../../app/session.ts';
import { RefreshButton } from '../../app/telemetry-controls.tsx';
import { useTimeRange } from '../../app/time-range.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { OTHER_COLOURS, variantColours } from '../../ui/colours.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatNumber, formatPercent } from '../../ui/format/index.ts';
import { Group, SegmentedControl, Select, Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { TimeRangePicker } from '../../ui/time/time-range-picker.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { useFlagColours } from '../flags/use-flag-colours.ts';
import classes from './judging.module.css';
import { meanText, ROLLOUT_VIEWS, type RolloutView, seriesOf } from './judging-words.ts';
import { type Metric, metricsQuery, type Rollout, rolloutQuery } from './queries.ts';

type Variant = Rollout['variants'][number];

const percent = (value: number | null) => (value === null ? '–' : formatPercent(value));
const ms = (value: number | null) => (value === null ? '–' : `${formatNumber(value)} ms`);

const COLUMNS: readonly Column<Variant>[] = [
  { id: 'variant', header: 'Variant', cell: ({ variant }) => variant },
  { id: 'units', header: 'Units', numeric: true, cell: ({ units }) => formatNumber(units) },
  { id: 'share', header: 'Share', numeric: true, cell: ({ share }) => percent(share) },
  { id: 'intended', header: 'Intended', numeric: true, cell: ({ intended }) => percent(intended) },
  { id: 'evaluations', header: 'Evaluations', numeric: true, cell: ({ evaluations }) => formatNumber(evaluations) },
  { id: 'requests', header: 'Requests', numeric: true, cell: ({ requests }) => formatNumber(requests) },
  { id: 'errors', header: 'Error rate', numeric: true, cell: ({ error_rate }) => percent(error_rate) },
  { id: 'p50', header: 'Median latency', numeric: true, cell: ({ p50_ms }) => ms(p50_ms) },
  { id: 'p95', header: 'p95 latency', numeric: true, cell: ({ p95_ms }) => ms(p95_ms) },
];

/** A metric beside the numbers that every flag has. */
function columnOf(measured: Metric): Column<Variant> {
  return {
    id: 'metric',
    header: measured.name,
    numeric: true,
    cell: ({ metric }) => meanText(measured, metric?.value ?? null),
  };
}

/** What a flag served in a window, to how many units, and what their requests were like. */
export function RolloutTab({ flag, environment }: { flag: string; environment: string }) {
  const { ws, project } = useScope();
  const { range, setRange } = useTimeRange();
  const canQuery = useCan('telemetry:query');
  const { data: metrics = [] } = useQuery({ ...metricsQuery(ws, project), enabled: canQuery });
  const [metric, setMetric] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    ...rolloutQuery({ ws, p: project, e: environment, key: flag }, range, metric),
    enabled: canQuery,
    placeholderData: keepPreviousData,
  });
  if (!canQuery)
    return <EmptyState title="No permission">The rollout is shown to people with telemetry:query.</EmptyState>;
  return (
    <div className={classes.tab}>
      <Group gap="xs" justify="flex-end">
        <Select
          allowDeselect
          aria-label="Metric beside each variant"
          placeholder="Add a metric"
          w={200}
          clearable
          searchable
          value={metric}
          data={metrics.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setMetric}
        />
        <TimeRangePicker range={range} onChange={setRange} />
        <RefreshButton />
      </Group>
      <Loaded query={{ data, error, refetch }} label="Loading the rollout">
        {(data) => <Numbers flag={flag} data={data} metric={metrics.find(({ id }) => id === metric)} />}
      </Loaded>
    </div>
  );
}

function Numbers({ flag, data, metric }: { flag: string; data: Rollout; metric: Metric | undefined }) {
  const { sample_ratio: ratio, crossed_units: crossed, units, note } = data;
  return (
    <>
      {note !== null && <Notice kind="info">{note}</Notice>}
      {ratio !== null && !ratio.ok && (
        <Notice kind="error">
          The units are not divided as the weights say, so do not trust a comparison of the variants. Look for a variant
          that loses requests, or clients that report only one of them.
        </Notice>
      )}
      {crossed > 0 && (
        <Notice kind="warning">
          {formatNumber(crossed)} of {formatNumber(units)} units saw several variants. Comparisons leave them out.
        </Notice>
      )}
      <Panel title="By variant">
        <Stack gap="sm">
          <DataTable
            label="Variants"
            columns={metric === undefined ? COLUMNS : [...COLUMNS, columnOf(metric)]}
            rows={data.variants}
            rowKey={({ variant }) => variant}
          />
          {ratio?.ok === true && (
            <p className="dim">
              {ratio.p_value === null
                ? 'There are too few units to see whether they are divided as the weights say.'
                : 'The units are divided as the weights say.'}
            </p>
          )}
        </Stack>
      </Panel>
      <OverTime flag={flag} data={data} />
      <FlagChanges data={data} />
      {data.crossed_examples.length > 0 && (
        <Panel title="Units that saw several variants">
          <ul>
            {data.crossed_examples.map(({ unit, variants: saw }) => (
              <li key={unit}>
                <span className="mono">{unit}</span>: {saw.join(', ')}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

/** What was served over time, by variant, rule or reason. */
function OverTime({ flag, data }: { flag: string; data: Rollout }) {
  const { project } = useScope();
  const scheme = useComputedColorScheme();
  const [view, setView] = useState<RolloutView>('variant');
  const { times, series } = useMemo(() => seriesOf(data, view), [data, view]);
  const ofFlag = useFlagColours({ project, key: flag });
  // Rules and reasons, and variants that the flag has no longer.
  const others = variantColours(
    series.map(({ name }) => name),
    scheme,
  );
  const ofVariants = view === 'variant' || view === 'units' ? ofFlag : undefined;
  const window = { from: Date.parse(data.from), to: Date.parse(data.to) };
  return (
    <Panel
      title="Over time"
      actions={
        <SegmentedControl
          aria-label="Over time"
          value={view}
          data={[...ROLLOUT_VIEWS]}
          onChange={(next) => setView(next as RolloutView)}
        />
      }
    >
      <Chart
        label={view === 'units' ? 'New units by variant' : `Evaluations by ${view}`}
        times={times}
        series={series.map(({ name, values }) => ({
          label: name,
          colour: ofVariants?.get(name) ?? others.get(name) ?? OTHER_COLOURS[scheme],
          values,
        }))}
        window={window}
        kind="stack"
        height={180}
        marks={data.changes.map(({ at, kind }) => ({ time: Date.parse(at), label: kind }))}
      />
    </Panel>
  );
}

function FlagChanges({ data }: { data: Rollout }) {
  return (
    <Panel title="Changes of the flag">
      {data.changes.length === 0 ? (
        <p className="dim">The flag did not change in this window.</p>
      ) : (
        <Stack gap="sm">
          <ul>
            {data.changes.map(({ id, at, kind, actor, comment }) => (
              <li key={id}>
                <Timestamp value={at} /> {kind.replaceAll('_', ' ')} by {actor}
                {comment !== null && comment !== '' && `: ${comment}`}
              </li>
            ))}
          </ul>
          {data.changes_truncated && (
            <p className="dim">
              These are the latest changes of the window. Choose a shorter time, or open the history of the flag.
            </p>
          )}
        </Stack>
      )}
    </Panel>
  );
}
