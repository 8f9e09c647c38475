import { type ReactNode, useMemo, useState } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { useOql } from '../../telemetry/oql.ts';
import { type ResultChart, resultCharts } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { WidenRange } from '../../telemetry/widen-range.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import type { ChartWindow } from '../../ui/chart/options.ts';
import { type ColourScheme, SERIES_COLOURS, serviceColour } from '../../ui/colours.ts';
import { formatDuration, formatPercent, formatTimestamp, rateFormat } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { describeRange, previousRange, resolveRange } from '../../ui/time/time-range.ts';
import { useTimeZone } from '../../ui/time/use-time-zone.ts';
import { ChangeMark } from './change-mark.tsx';
import {
  failedSpansQuery,
  readWindow,
  recentErrors,
  seriesQuery,
  type WindowNumbers,
  windowQuery,
} from './service-health.ts';
import { type Change, pointChange, relativeChange, serviceState } from './service-state.ts';
import classes from './services.module.css';

const HEIGHT = 170;
/** Enough for `1.25k/min`. */
const AXIS_WIDTH = 66;

/**
 * Rate, errors and latency over time, below a status line that is readable from a distance. Every large number is the
 * whole window's; the charts share one line of values at the pointed time.
 */
export function ServiceCharts({
  service,
  beside,
}: {
  service: string;
  /** Content next to the status. */
  beside: ReactNode;
}) {
  const { range } = useTimeRange();
  const scheme = useComputedColorScheme();
  const window = resolveRange(range, Date.now());
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0));
  const earlier = useMemo(() => previousRange(range, Date.now()), [range]);
  const answer = useOql(seriesQuery(service, bucket.text), { keep: true });
  const whole = useOql(windowQuery(service), { keep: true });
  const before = useOql(windowQuery(service), { keep: true, range: earlier });
  const failed = useOql(failedSpansQuery(service), { keep: true });
  const charts = useMemo(() => {
    if (!answer.data) return [];
    return panelsOf(resultCharts(answer.data.result, scheme, 1), service, scheme);
  }, [answer.data, scheme, service]);
  const now = whole.data && readWindow(whole.data.result);
  const then = before.data && readWindow(before.data.result);
  const failedSpans = failed.data && Number(failed.data.result.rows[0]?.[0] ?? 0);
  const state =
    now && then && answer.data && failedSpans !== undefined ? stateOf(now, then, failedSpans, charts) : undefined;
  const broken = [answer, whole, before, failed].find(({ isError }) => isError);
  return (
    <>
      <div className={classes.head}>
        <ServiceName name={service} />
        {state && now && now.requests > 0 && (
          <span className={classes.state} data-state={state.tone}>
            {state.reasons.join(', ')}
          </span>
        )}
        {beside}
      </div>
      {broken ? (
        <ErrorState compact error={broken.error} onRetry={() => void broken.refetch()} />
      ) : answer.data && now && charts.every((chart) => chart.times.length === 0) && now.requests === 0 ? (
        <EmptyState compact title="No requests in this window" action={<WidenRange />}>
          The service handled no requests, or sends no server spans. Widen the time range.
        </EmptyState>
      ) : (
        <Board service={service} charts={charts} window={answer.data?.window} now={now} then={then} />
      )}
    </>
  );
}

function stateOf(now: WindowNumbers, then: WindowNumbers, failedSpans: number, charts: readonly ChartPanel[]) {
  const valuesOf = (measure: string) =>
    charts.flatMap((chart) => chart.series).find(({ label }) => label === measure)?.values ?? [];
  return serviceState({
    window: now,
    before: then,
    recentErrors: recentErrors(valuesOf('rate'), valuesOf('errors')),
    failedSpans,
  });
}

/** The charts, and the values at the pointed time. */
function Board({
  service,
  charts,
  window,
  now,
  then,
}: {
  service: string;
  charts: readonly ChartPanel[];
  window: ChartWindow | undefined;
  now: WindowNumbers | undefined;
  then: WindowNumbers | undefined;
}) {
  const { range, zoomTo } = useTimeRange();
  const [pointed, setPointed] = useState<number | null>(null);
  return (
    <section className={classes.board} aria-label="Requests, errors and latency">
      <Readout charts={charts} index={pointed} now={now} range={describeRange(range)} />
      <div className={classes.charts}>
        {TITLES.map(({ id, title }) => {
          const chart = charts.find((one) => one.id === id);
          return (
            <Panel key={id} title={title} actions={<Headline id={id} now={now} then={then} chart={chart} />}>
              {chart === undefined ? (
                <Skeleton height={HEIGHT} label={`Loading ${title.toLowerCase()}`} />
              ) : (
                <Chart
                  label={`${title} of ${service}`}
                  times={chart.times}
                  series={chart.series}
                  window={window}
                  format={chart.format}
                  height={HEIGHT}
                  axisWidth={AXIS_WIDTH}
                  legend={false}
                  onPoint={setPointed}
                  onZoom={zoomTo}
                  syncKey="service"
                />
              )}
            </Panel>
          );
        })}
      </div>
    </section>
  );
}

const TITLES = [
  { id: 'rate', title: 'Requests' },
  { id: 'errors', title: 'Errors' },
  { id: 'latency', title: 'Latency (p99)' },
] as const;

interface ChartPanel extends Pick<ResultChart, 'times' | 'series'> {
  id: (typeof TITLES)[number]['id'];
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
  const times = charts[0]?.times ?? [];
  return [
    { id: 'rate', times, series: rate, format: rateFormat(rate.flatMap(({ values }) => values)) },
    { id: 'errors', times, series: coloured('errors', RED[scheme]), format: formatPercent },
    {
      id: 'latency',
      times,
      series: [...coloured('p50', SERIES_COLOURS[scheme][9]), ...coloured('p99', own)],
      format: formatDuration,
    },
  ];
}

/** The error color, for canvases. */
const RED: Record<ColourScheme, string> = { light: '#c02632', dark: '#ff7b81' };

/** A measure of the whole window, readable from a distance, with its change against the window before. */
function Headline({
  id,
  now,
  then,
  chart,
}: {
  id: ChartPanel['id'];
  now: WindowNumbers | undefined;
  then: WindowNumbers | undefined;
  chart: ChartPanel | undefined;
}) {
  if (now === undefined) return null;
  const { text, change, isWorse } = headlineOf(id, now, then, chart?.format);
  return (
    <span className={classes.headline}>
      <span className={classes.now}>{text}</span>
      <ChangeMark change={change} isWorse={isWorse} />
    </span>
  );
}

function headlineOf(
  id: ChartPanel['id'],
  now: WindowNumbers,
  then: WindowNumbers | undefined,
  format: ((value: number) => string) | undefined,
): { text: string; change: Change | undefined; isWorse: boolean } {
  switch (id) {
    case 'rate':
      return {
        text: (format ?? rateFormat([now.rate]))(now.rate),
        change: relativeChange(now.rate, then?.rate),
        isWorse: false,
      };
    case 'errors':
      return { text: formatPercent(now.errors), change: pointChange(now.errors, then?.errors), isWorse: true };
    case 'latency':
      return { text: formatDuration(now.p99), change: relativeChange(now.p99, then?.p99), isWorse: true };
  }
}

/** The values of all charts at the pointed time; else those of the whole window. */
function Readout({
  charts,
  index,
  now,
  range,
}: {
  charts: readonly ChartPanel[];
  index: number | null;
  now: WindowNumbers | undefined;
  range: string;
}) {
  useTimeZone();
  const time = index === null ? undefined : charts[0]?.times[index];
  return (
    <p className={classes.readout}>
      <span className={classes.when}>{time === undefined ? range : formatTimestamp(time)}</span>
      {charts.flatMap(({ series, format }) =>
        series.map(({ label, colour, values }) => {
          const value = time === undefined ? now && wholeOf(label, now) : values[index ?? -1];
          return (
            <span key={label} className={classes.reading}>
              <span className={classes.key} style={{ background: colour }} />
              {label} <b>{value === null || value === undefined ? '–' : format(value)}</b>
            </span>
          );
        }),
      )}
    </p>
  );
}

function wholeOf(label: string, { rate, errors, p50, p99 }: WindowNumbers): number | null | undefined {
  return { rate, errors, p50, p99 }[label];
}
