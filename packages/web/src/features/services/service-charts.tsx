import { type ReactNode, useMemo } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { quote, useOql } from '../../telemetry/oql.ts';
import { type ResultChart, resultCharts } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { WidenRange } from '../../telemetry/widen-range.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import type { Mark } from '../../ui/chart/options.ts';
import { summarize } from '../../ui/chart/series.ts';
import { type ColourScheme, SERIES_COLOURS, serviceColour } from '../../ui/colours.ts';
import { formatDuration, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { ALARMING, ENTRY_SPANS, recentErrors } from './service-health.ts';
import classes from './services.module.css';

/** Rate, errors and latency over time, below a status line that is readable from a distance. */
export function ServiceCharts({
  service,
  marks,
  beside,
}: {
  service: string;
  /** Deploys. */
  marks: readonly Mark[];
  /** Content next to the status. */
  beside: ReactNode;
}) {
  const { range, zoomTo } = useTimeRange();
  const scheme = useComputedColorScheme();
  const window = resolveRange(range, Date.now());
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0));
  const answer = useOql(
    `spans | where service.name == ${quote(service)} and ${ENTRY_SPANS} | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by bucket(${bucket.text})`,
    { keep: true },
  );
  const charts = useMemo(() => {
    if (!answer.data) return [];
    const to = answer.data.window?.to ?? Number.POSITIVE_INFINITY;
    return panelsOf(resultCharts(answer.data.result, scheme, 1, { width: bucket.milliseconds, to }), service, scheme);
  }, [answer.data, scheme, bucket.milliseconds, service]);
  const valuesOf = (measure: string) =>
    charts.flatMap((chart) => chart.series).find(({ label }) => label === measure)?.values ?? [];
  return (
    <>
      <div className={classes.head}>
        <ServiceName name={service} />
        {answer.data && <State errors={recentErrors(valuesOf('rate'), valuesOf('errors'))} />}
        {beside}
      </div>
      {answer.isError ? (
        <ErrorState compact error={answer.error} onRetry={() => void answer.refetch()} />
      ) : answer.isPending ? (
        <Loading />
      ) : charts.every((chart) => chart.times.length === 0) ? (
        <EmptyState compact title="No requests in this window" action={<WidenRange />}>
          The service handled no requests, or sends no server spans. Widen the time range.
        </EmptyState>
      ) : (
        <div className={classes.charts}>
          {charts.map(({ title, times, series, format }) => (
            <Panel key={title} title={title} actions={<Now values={series.at(-1)?.values ?? []} format={format} />}>
              <Chart
                label={`${title} of ${service}`}
                times={times}
                series={series}
                window={answer.data.window}
                format={format}
                height={170}
                legend={series.length > 1}
                onZoom={zoomTo}
                syncKey="service"
                marks={marks}
              />
            </Panel>
          ))}
        </div>
      )}
    </>
  );
}

interface ChartPanel extends Pick<ResultChart, 'times' | 'series'> {
  title: string;
  format: (value: number) => string;
}

/** Requests in the service's own color, errors in red, and latency quantiles in one chart. */
function panelsOf(charts: readonly ResultChart[], service: string, scheme: ColourScheme): ChartPanel[] {
  const coloured = (measure: string, colour: string) =>
    charts
      .filter((chart) => chart.measure === measure)
      .flatMap(({ series }) => series.map((one) => ({ ...one, label: measure, colour })));
  const own = serviceColour(service, scheme);
  const rate = coloured('rate', own);
  const panel = (title: string, series: ChartPanel['series'], format: ChartPanel['format']): ChartPanel => ({
    title,
    times: charts[0]?.times ?? [],
    series,
    format,
  });
  return [
    panel('Requests', rate, rateFormat(rate.flatMap(({ values }) => values))),
    panel('Errors', coloured('errors', RED[scheme]), formatPercent),
    panel('Latency (p99)', [...coloured('p50', SERIES_COLOURS[scheme][9]), ...coloured('p99', own)], (value) =>
      formatDuration(value),
    ),
  ];
}

/** The error color, for canvases. */
const RED: Record<ColourScheme, string> = { light: '#c02632', dark: '#ff7b81' };

/** The service's current status, by the share of recent requests that failed. */
function State({ errors }: { errors: number | null }) {
  if (errors === null) return null;
  const state = errors >= ALARMING ? 'error' : errors >= ALARMING / 5 ? 'warning' : 'ok';
  return (
    <span className={classes.state} data-state={state}>
      {errors === 0 ? 'No recent errors' : `${formatPercent(errors)} of recent requests failed`}
    </span>
  );
}

/** The newest complete value of a chart, readable from a distance. */
function Now({ values, format }: { values: readonly (number | null)[]; format: (value: number) => string }) {
  const { last } = summarize(values);
  return last === null ? null : <span className={classes.now}>{format(last)}</span>;
}
