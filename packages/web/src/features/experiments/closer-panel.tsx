import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScope } from '../../app/session.ts';
import { ConditionInput } from '../../telemetry/condition-input.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { formatExact, formatNumber } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Group, SegmentedControl, Select, Stack } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice, Loading, Notice } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { meanText } from '../judging/judging-words.ts';
import { dimensionRows, noveltyRows } from './closer-rows.ts';
import { differenceText, liftText, scaleOf, verdictOf } from './experiment-words.ts';
import { IntervalBar } from './interval-bar.tsx';
import {
  type Dimension,
  dimensionQuery,
  type Experiment,
  interactionsQuery,
  type MeasuredMetric,
  noveltyQuery,
  type Results,
} from './queries.ts';

const VIEWS = [
  { value: 'dimension', label: 'By property of the units' },
  { value: 'novelty', label: 'By days since the first exposure' },
  { value: 'interactions', label: 'With other experiments' },
] as const;
type View = (typeof VIEWS)[number]['value'];

/** What a product manager asks next: for whom, for how long, and beside which other experiments. */
export function CloserPanel({ experiment, results }: { experiment: Experiment; results: Results }) {
  const [view, setView] = useState<View | null>(null);
  const measured = results.metrics.filter(({ error }) => error === null);
  const [key, setKey] = useState(measured[0]?.key ?? '');
  const metric = measured.find((one) => one.key === key);
  if (metric === undefined) return null;
  return (
    <Panel
      title="Look closer"
      actions={
        <Select
          aria-label="Metric to look at"
          size="xs"
          w={180}
          value={key}
          data={measured.map((one) => ({ value: one.key, label: one.name }))}
          onChange={(next) => next !== null && setKey(next)}
        />
      }
    >
      <Stack gap="sm">
        <Group gap="sm">
          <SegmentedControl
            aria-label="Look closer"
            value={view ?? ''}
            data={[...VIEWS]}
            onChange={(next) => setView(next as View)}
          />
        </Group>
        {view === null && (
          <span className="dim">A difference found here was not planned, so it is a hint for another experiment.</span>
        )}
        {view === 'dimension' && <ByDimension experiment={experiment} metric={metric} />}
        {view === 'novelty' && <ByNovelty experiment={experiment} metric={metric} />}
        {view === 'interactions' && <Interactions experiment={experiment} metric={metric} />}
      </Stack>
    </Panel>
  );
}

interface Props {
  experiment: Experiment;
  metric: MeasuredMetric;
}

function ByDimension({ experiment, metric }: Props) {
  const scope = useScope();
  const [expression, setExpression] = useState('');
  const { data, error } = useQuery({
    ...dimensionQuery(scope, experiment.id, expression),
    enabled: expression !== '',
    retry: false,
  });
  const found = data?.dimension ?? null;
  return (
    <>
      <Group gap="sm">
        <ConditionInput
          label="Property at the first exposure"
          placeholder='service, span.name or span.attr["country"]; Enter applies it'
          value={expression}
          onChange={setExpression}
          width={420}
        />
      </Group>
      <ErrorNotice error={error} />
      {expression !== '' && data === undefined && !error && <Loading label="Dividing the units" />}
      {found !== null && (
        <>
          <Notice kind="warning">{found.note}</Notice>
          <Divided found={found} metric={metric} />
        </>
      )}
    </>
  );
}

/** The results of a metric in each part of the units. */
function Divided({ found, metric }: { found: Dimension; metric: MeasuredMetric }) {
  const scale = scaleOf(found.values.flatMap(({ metrics }) => metrics.filter(({ key }) => key === metric.key)));
  return (
    <DataTable
      label="Results by property"
      rows={dimensionRows(found, metric.key)}
      rowKey={({ value, numbers }) => `${value} ${numbers.variant}`}
      columns={[
        { id: 'value', header: found.expression, cell: ({ value, isFirst }) => (isFirst ? value : '') },
        { id: 'variant', header: 'Variant', width: 130, cell: ({ numbers }) => numbers.variant },
        { id: 'n', header: 'Units', width: 90, numeric: true, cell: ({ numbers }) => formatExact(numbers.n) },
        {
          id: 'mean',
          header: 'Mean',
          width: 100,
          numeric: true,
          cell: ({ numbers }) => meanText(metric, numbers.mean),
        },
        { id: 'lift', header: 'Change', width: 90, numeric: true, cell: ({ numbers }) => liftText(numbers.lift) },
        {
          id: 'interval',
          header: 'Interval',
          width: 220,
          cell: ({ measured, numbers }) => <IntervalBar metric={measured} numbers={numbers} scale={scale} />,
        },
        {
          id: 'verdict',
          header: 'Difference',
          width: 150,
          cell: ({ numbers }) => <StateLabel {...verdictOf(numbers)} title={numbers.reason ?? undefined} />,
        },
      ]}
    />
  );
}

function ByNovelty({ experiment, metric }: Props) {
  const scope = useScope();
  const { data, error } = useQuery({ ...noveltyQuery(scope, experiment.id, metric.metric), retry: false });
  if (error) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading label="Dividing the days" />;
  const rows = noveltyRows(data, experiment.control);
  return (
    <>
      <Notice kind="warning">{data.note}</Notice>
      {rows.length === 0 ? (
        <span className="dim">No unit has had a whole day since its exposure.</span>
      ) : (
        <DataTable
          label="Difference by days since the first exposure"
          rows={rows}
          rowKey={({ day, numbers }) => `${day} ${numbers.variant}`}
          columns={[
            { id: 'day', header: 'Day', width: 110, cell: ({ day }) => (day === 0 ? 'first day' : `day ${day + 1}`) },
            { id: 'variant', header: 'Variant', cell: ({ numbers }) => numbers.variant },
            { id: 'n', header: 'Units', width: 100, numeric: true, cell: ({ numbers }) => formatExact(numbers.n) },
            {
              id: 'difference',
              header: `Difference to ${experiment.control}`,
              width: 180,
              numeric: true,
              cell: ({ numbers }) => differenceText(metric, numbers.difference),
            },
            {
              id: 'interval',
              header: 'Between',
              width: 260,
              cell: ({ numbers: { interval } }) =>
                interval === null ? '–' : interval.map((end) => differenceText(metric, end)).join(' and '),
            },
          ]}
        />
      )}
    </>
  );
}

function Interactions({ experiment, metric }: Props) {
  const scope = useScope();
  const { data, error } = useQuery({ ...interactionsQuery(scope, experiment.id), retry: false });
  if (error) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading label="Comparing with other experiments" />;
  const rows = data.filter((row) => row.metric.key === metric.key);
  if (rows.length === 0) return <span className="dim">No other running experiment shares units by this goal.</span>;
  return (
    <DataTable
      label="Other experiments"
      rows={rows}
      rowKey={({ experiment: other }) => other.id}
      columns={[
        {
          id: 'experiment',
          header: 'Experiment',
          cell: ({ experiment: { id, name } }) => (
            <AppLink to="/w/$ws/$project/experiments/$id" params={{ ...scope, id }}>
              {name}
            </AppLink>
          ),
        },
        { id: 'units', header: 'Shared units', width: 130, numeric: true, cell: ({ units }) => formatNumber(units) },
        {
          id: 'result',
          header: 'Does the effect depend on it?',
          cell: ({ significant, effects }) =>
            significant
              ? `yes: ${effects.map((one) => `${one.variant} with ${one.other_variant} ${differenceText(metric, one.difference)}`).join(', ')}`
              : 'not found',
        },
      ]}
    />
  );
}
