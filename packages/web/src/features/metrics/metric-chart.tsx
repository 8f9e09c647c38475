import { listExemplars } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { MakeAlert } from '../../alerting/make-alert.tsx';
import { MakeSlo } from '../../alerting/make-slo.tsx';
import { routeQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { type OqlAnswer, useOql } from '../../telemetry/oql.ts';
import { resultCharts } from '../../telemetry/results.ts';
import { WidenRange } from '../../telemetry/widen-range.tsx';
import { Chart, type Dot } from '../../ui/chart/chart.tsx';
import type { Series } from '../../ui/chart/series.ts';
import { seriesColour } from '../../ui/colours.ts';
import { toDate, unitText } from '../../ui/format/index.ts';
import { ButtonLink } from '../../ui/link.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { AddButton } from '../dashboards/add-button.tsx';
import { AGGREGATIONS, type Aggregation, alertQuery, chartQuery, type MetricKind } from './metric-query.ts';
import { isMeasurement, metricFormat } from './metric-units.ts';
import classes from './metrics.module.css';

/** Maximum number of exemplars drawn: more would hide the chart. */
const DOTS = 120;

/** Names and colors the series of a query result. */
function useDrawn(answer: OqlAnswer | undefined, metric: string, by: string | undefined) {
  const scheme = useComputedColorScheme();
  const charts = useMemo(
    () => (answer ? resultCharts(answer.result, scheme, by === undefined ? 1 : 2) : []),
    [answer, scheme, by],
  );
  const series = useMemo(() => {
    const all = charts.flatMap((chart) =>
      chart.series.map((series) => ({
        ...series,
        label:
          charts.length === 1 || by === undefined
            ? nameOf(series.label, metric, by)
            : `${series.label} · ${chart.measure}`,
      })),
    );
    // Several measures of one key would share a color; the lines of one chart need different ones.
    return charts.length > 1 ? all.map((series, index) => ({ ...series, colour: seriesColour(index, scheme) })) : all;
  }, [charts, metric, by, scheme]);
  return { times: charts[0]?.times ?? [], series };
}

function useFormat(of: MetricKind, aggregation: Aggregation, drawn: readonly Series[]) {
  return useMemo(() => {
    const histogram = of.kind.endsWith('histogram');
    return metricFormat(
      of.unit,
      aggregation,
      histogram,
      drawn.flatMap(({ values }) => values),
    );
  }, [of, aggregation, drawn]);
}

/** The exemplars of a metric as dots, which open their traces. */
function useDots(metric: string, of: MetricKind, aggregation: Aggregation, service: string | undefined) {
  const scope = useScope();
  const navigate = useNavigate();
  const exemplars = useExemplars(metric, service);
  const dots = useMemo(
    () =>
      exemplars.flatMap((exemplar, index): Dot[] => {
        const time = toDate(exemplar.time)?.getTime();
        if (time === undefined || exemplar.trace_id === null) return [];
        const value = isMeasurement(aggregation) && exemplar.value !== null ? Number(exemplar.value) : null;
        const text = exemplar.value === null ? '' : metricFormat(of.unit, 'avg', false)(Number(exemplar.value));
        return [
          { key: `${exemplar.trace_id} ${index}`, time, value, label: `Trace of ${text} in ${exemplar.service}` },
        ];
      }),
    [exemplars, aggregation, of.unit],
  );
  const onDot = (dot: Dot) => {
    const traceId = dot.key.split(' ')[0] ?? '';
    void navigate({ to: '/w/$ws/$project/traces/$traceId', params: { ...scope, traceId } });
  };
  return { dots, onDot };
}

/** The chart of a metric with its exemplars; its legend lists the series. */
export function MetricChart({
  metric,
  of,
  aggregation,
  service,
  by,
}: {
  metric: string;
  of: MetricKind;
  aggregation: Aggregation;
  service: string | undefined;
  by: string | undefined;
}) {
  const { range, zoomTo } = useTimeRange();
  const window = resolveRange(range, Date.now());
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0));
  const asked = { metric, of, aggregation, service, by: by && path(by) };
  const query = chartQuery({ ...asked, bucket: bucket.text });
  const answer = useOql(query, { limit: 20_000, keep: true });
  const { times, series } = useDrawn(answer.data, metric, by);
  const format = useFormat(of, aggregation, series);
  const exemplars = useDots(metric, of, aggregation, service);

  if (answer.isError) return <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />;
  if (answer.isPending) return <Loading label="Loading the metric" />;
  if (times.length === 0)
    return (
      <EmptyState title="No points in this window" action={<WidenRange />}>
        Widen the time range.
      </EmptyState>
    );
  return (
    <Panel
      title={<Title metric={metric} of={of} aggregation={aggregation} />}
      actions={<Actions asked={asked} query={query} />}
    >
      <Chart
        label={`${metric}, ${AGGREGATIONS[aggregation]}`}
        times={times}
        series={series}
        window={answer.data.window}
        format={format}
        height={320}
        legend="table"
        syncKey="metric"
        onZoom={zoomTo}
        {...exemplars}
      />
      {exemplars.dots.length > 0 && <p className={classes.note}>A diamond is a measurement with a trace.</p>}
    </Panel>
  );
}

function Title({ metric, of, aggregation }: { metric: string; of: MetricKind; aggregation: Aggregation }) {
  return (
    <span className={classes.title}>
      {metric} <span className="dim">{AGGREGATIONS[aggregation]}</span>
      <span className={classes.kind}>{[of.kind.replace('_', ' '), unitText(of.unit)].filter(Boolean).join(', ')}</span>
    </span>
  );
}

function Actions({ asked, query }: { asked: Parameters<typeof alertQuery>[0]; query: string }) {
  const scope = useScope();
  return (
    <>
      <MakeAlert size="xs" query={alertQuery(asked)} />
      {/* An SLO has no groups: it judges all series together. */}
      <MakeSlo size="xs" of={{ query: alertQuery({ ...asked, by: undefined }) }} />
      <AddButton size="xs" choices={[{ label: asked.metric, query: chartQuery({ ...asked, bucket: 'auto' }) }]} />
      <ButtonLink
        variant="subtle"
        color="gray"
        size="xs"
        to="/w/$ws/$project/explore"
        params={scope}
        search={{ q: query }}
      >
        Open in Explore
      </ButtonLink>
    </>
  );
}

function useExemplars(metric: string, service: string | undefined) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const { data = NO_EXEMPLARS } = useQuery(
    routeQuery(listExemplars, {
      params: { ws },
      query: {
        metric,
        project,
        traced: 'true',
        limit: DOTS,
        ...range,
        ...(environment !== undefined && { environment }),
        ...(service !== undefined && { service }),
      },
    }),
  );
  return data;
}

const NO_EXEMPLARS: never[] = [];

/** Attributes with characters that are not valid in a path are written between backticks, as in OQL. */
function path(name: string): string {
  return name
    .split('.')
    .map((part) => (/^[A-Za-z_]\w*$/.test(part) ? part : `\`${part}\``))
    .join('.');
}

/** A series without a key is named after its measure. */
function nameOf(label: string, metric: string, by: string | undefined): string {
  return by === undefined && !/^p\d/.test(label) ? metric : label;
}
