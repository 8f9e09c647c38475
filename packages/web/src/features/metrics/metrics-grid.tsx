import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { type OqlAnswer, oqlQuery, useOql } from '../../telemetry/oql.ts';
import { resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { summarize } from '../../ui/chart/series.ts';
import { seriesColour } from '../../ui/colours.ts';
import { countOf } from '../../ui/format/index.ts';
import { UnstyledButton, useComputedColorScheme, useElementSize } from '../../ui/mantine.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState, Notice } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { useVirtualRows } from '../../ui/virtual-rows.ts';
import {
  byScore,
  GRID_ROWS,
  type GridChart,
  gridBucket,
  gridQueries,
  hasPrefix,
  LIST_ROWS,
  type ListedMetric,
  listedMetrics,
  listQuery,
  MOST_METRICS,
  prefixTree,
  shapeOf,
  UNUSUAL,
  unusualness,
} from './metric-grid.ts';
import { metricFormat } from './metric-units.ts';
import classes from './metrics.module.css';
import { PrefixTree } from './prefix-tree.tsx';

/** Height of a small chart with its heading, and the least width; pixels. */
const CARD = { height: 146, width: 280 } as const;
/** The height of the grid and of the list beside it. */
const ROOM = 'max(360px, calc(100dvh - 150px))';
const AGGREGATION = { value: 'avg', rate: 'rate', p95: 'p95' } as const;

/** All metrics as small charts, the most unusual first; a click opens one. */
export function MetricsGrid({
  prefix,
  search,
  onPrefix,
  onOpen,
}: {
  /** Only metrics below this prefix. */
  prefix: string | undefined;
  /** Only metrics whose names contain this text. */
  search: string;
  onPrefix: (prefix: string | undefined) => void;
  onOpen: (metric: string) => void;
}) {
  const listed = useOql(listQuery, { limit: LIST_ROWS, keep: true });
  const names = useMemo(() => (listed.data ? listedMetrics(listed.data.result) : []), [listed.data]);
  const tree = useMemo(() => prefixTree(names.map(({ name }) => name)), [names]);
  const found = useMemo(
    () => names.filter(({ name }) => hasPrefix(name, prefix) && name.toLowerCase().includes(search.toLowerCase())),
    [names, prefix, search],
  );
  const shown = useMemo(() => found.slice(0, MOST_METRICS), [found]);
  if (listed.isError) return <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />;
  if (listed.isPending)
    return (
      <div className={classes.beside}>
        <Skeleton height={ROOM} label="Looking for metrics" />
        <Skeleton height={ROOM} label="Comparing the metrics" />
      </div>
    );
  if (names.length === 0)
    return (
      <EmptyWindow title="No metrics in this window">
        Send metrics over OTLP or Prometheus remote write, or widen the time range.
      </EmptyWindow>
    );
  return (
    <div className={classes.beside}>
      <PrefixTree tree={tree} count={names.length} selected={prefix} onSelect={onPrefix} />
      <div className={classes.found}>
        {found.length > MOST_METRICS && (
          <Notice kind="info">
            These are {MOST_METRICS} of {countOf(found.length, 'metric')}. Select a prefix or search to see the others.
          </Notice>
        )}
        {found.length === 0 ? (
          <EmptyState title="No matching metrics">Change the search or select another prefix.</EmptyState>
        ) : (
          <Cards metrics={shown} onOpen={onOpen} />
        )}
      </div>
    </div>
  );
}

function Cards({ metrics, onOpen }: { metrics: readonly ListedMetric[]; onOpen: (metric: string) => void }) {
  const { charts, isPending, error } = useCharts(metrics);
  const { ref: measured, width } = useElementSize();
  const scroller = useRef<HTMLDivElement>(null);
  const columns = Math.max(1, Math.floor((width + 12) / (CARD.width + 12)));
  const rows = Math.ceil(charts.length / columns);
  const { start, end, before, after } = useVirtualRows(scroller, rows, CARD.height + 12);
  if (error) return <ErrorState error={error} />;
  // Sorted only when all are known: cards must not move under the pointer.
  if (isPending) return <Skeleton height={ROOM} label="Comparing the metrics" />;
  return (
    <div ref={scroller} className={classes.scroll}>
      <div ref={measured}>
        <ul
          className={classes.cards}
          aria-label="Metrics"
          style={{
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            gridAutoRows: CARD.height,
            paddingTop: before,
            paddingBottom: after,
          }}
        >
          {width > 0 &&
            charts.slice(start * columns, end * columns).map((chart) => (
              <li key={chart.metric.name}>
                <Card chart={chart} onOpen={onOpen} />
              </li>
            ))}
        </ul>
      </div>
    </div>
  );
}

function Card({
  chart: { metric, times, values, score },
  onOpen,
}: {
  chart: GridChart;
  onOpen: (metric: string) => void;
}) {
  const scheme = useComputedColorScheme();
  const shape = shapeOf(metric);
  const format = useMemo(
    () => metricFormat(metric.unit, AGGREGATION[shape], shape === 'p95', values),
    [metric, shape, values],
  );
  const { last } = summarize(values);
  const series = useMemo(
    () => [{ label: metric.name, colour: seriesColour(0, scheme), values }],
    [metric.name, scheme, values],
  );
  return (
    <div className={classes.card}>
      <div className={classes.cardHead}>
        <UnstyledButton className={`${classes.open} truncate`} title={metric.name} onClick={() => onOpen(metric.name)}>
          {metric.name}
        </UnstyledButton>
        {score > UNUSUAL && <span className={classes.unusual}>unusual</span>}
        <b>{last === null ? '–' : format(last)}</b>
      </div>
      <div className={classes.shape}>{shape === 'value' ? 'mean' : shape === 'rate' ? 'rate' : 'p95'}</div>
      {times.length > 0 ? (
        <Chart label={metric.name} times={times} series={series} format={format} height={104} legend={false} />
      ) : (
        <span className="dim">no points to draw</span>
      )}
    </div>
  );
}

/** The small charts of metrics, a query for a few dozen of them. */
function useCharts(metrics: readonly ListedMetric[]): { charts: GridChart[]; isPending: boolean; error: unknown } {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const scheme = useComputedColorScheme();
  const window = resolveRange(range, Date.now());
  const length = (window?.to ?? 1) - (window?.from ?? 0);
  const width = gridBucket(length).milliseconds;
  const queries = gridQueries(metrics, length);
  // Stable, so that charts are not drawn again while people scroll.
  const combine = useCallback(
    (answers: readonly UseQueryResult<OqlAnswer>[]) => {
      const drawn = new Map<string, Pick<GridChart, 'times' | 'values'>>();
      for (const { data } of answers) {
        // The last bucket is often not complete yet, and would look like a change.
        const complete = { width, to: data?.window?.to ?? Number.POSITIVE_INFINITY };
        const [chart] = data ? resultCharts(data.result, scheme, 2, complete) : [];
        for (const { label, values } of chart?.series ?? []) drawn.set(label, { times: chart?.times ?? [], values });
      }
      const charts = metrics.map((metric): GridChart => {
        const { times = [], values = [] } = drawn.get(metric.name) ?? {};
        return { metric, times, values, score: unusualness(values) };
      });
      return {
        charts: byScore(charts),
        isPending: answers.some((answer) => answer.isPending),
        error: answers.find((answer) => answer.isError)?.error,
      };
    },
    [metrics, scheme, width],
  );
  return useQueries({
    queries: queries.map((query) => oqlQuery({ query, ws, project, environment, range, limit: GRID_ROWS })),
    combine,
  });
}
