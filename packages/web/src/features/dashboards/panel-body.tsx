import type { DashboardPanel, QueryLanguage } from '@fanion/contract';
import { type CSSProperties, memo, useMemo, useRef } from 'react';
import { useScope } from '../../app/session.ts';
import { useTimeRange } from '../../app/time-range.ts';
import { Annotations } from '../../telemetry/annotations.tsx';
import { valueCondition } from '../../telemetry/filters.ts';
import { flagOf, serviceOf } from '../../telemetry/query-subject.ts';
import { ResultList } from '../../telemetry/result-list.tsx';
import { ResultTable, type ResultTableView } from '../../telemetry/result-table.tsx';
import { joinSeries, resultCharts, withVariantColours } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { seriesColour } from '../../ui/colours.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { useClientSize } from '../../ui/use-client-size.ts';
import { addCondition, summarise } from '../explore/builder.ts';
import { groupStage, queryFacts } from '../explore/query-facts.ts';
import { stageKeys } from '../explore/stage-keys.ts';
import { useFlagColours } from '../flags/use-flag-colours.ts';
import classes from './dashboards.module.css';
import { ExperimentPanel } from './experiment-panel.tsx';
import type { PanelResult, PanelState } from './panel-data.ts';
import { hasQuery } from './panel-data.ts';
import {
  Bars,
  FlagPanel,
  FlamePanel,
  Gauges,
  HeatGrids,
  ServiceMapPanel,
  SloPanel,
  Stats,
  TextPanel,
} from './panel-kinds.tsx';
import { readingsOf, valueFormat, withRatios } from './panel-values.ts';
import type { DashboardPlace } from './queries.ts';

/** Shows the answer of a panel, or its error. It renders again only when its own answer changes, not when those of other panels arrive. */
export const PanelBody = memo(function PanelBody({
  panel,
  state,
  place,
  onExplore,
}: {
  panel: DashboardPanel;
  state: PanelState | undefined;
  place: DashboardPlace;
  /** Opens a query in Explore. Undefined: values can only be copied. */
  onExplore?: ((query: string, language: QueryLanguage) => void) | undefined;
}) {
  const element = useRef<HTMLDivElement>(null);
  const height = useClientSize(element, 'clientHeight', 180);
  return (
    <div
      ref={element}
      className={classes.body}
      data-stale={(state?.isLoading && state.result !== undefined) || undefined}
      data-kind={panel.type}
    >
      <Content panel={panel} state={state} place={place} height={height} onExplore={onExplore} />
    </div>
  );
});

function Content({
  panel,
  state,
  place,
  height,
  onExplore,
}: {
  panel: DashboardPanel;
  state: PanelState | undefined;
  place: DashboardPlace;
  height: number;
  onExplore: ((query: string, language: QueryLanguage) => void) | undefined;
}) {
  switch (panel.type) {
    case 'row':
      return null;
    case 'text':
      return <TextPanel text={panel.text ?? ''} />;
    case 'slo':
      return panel.slo === undefined ? <p className="dim">Pick an SLO.</p> : <SloPanel id={panel.slo} />;
    case 'flag_rollout':
      return panel.flag === undefined ? (
        <p className="dim">Pick a flag.</p>
      ) : (
        <FlagPanel flag={panel.flag} height={height} />
      );
    case 'experiment':
      return panel.experiment === undefined ? (
        <p className="dim">Pick an experiment.</p>
      ) : (
        <ExperimentPanel id={panel.experiment} label={panel.title || 'Results'} />
      );
    case 'service_map':
      return <ServiceMapPanel place={place} />;
    default:
      if (!hasQuery(panel)) return <p className="dim">This panel has no query yet.</p>;
      if (state?.error !== undefined) return <ErrorState compact error={state.error} />;
      if (state?.result === undefined) return <Loading label={`Loading ${panel.title}`} />;
      return (
        <Answer
          panel={panel}
          result={state.result}
          window={state.window}
          height={height}
          place={place}
          onExplore={onExplore}
        />
      );
  }
}

/** What the query and the answer of a panel say about how to show it. */
function useFacts(
  panel: DashboardPanel,
  result: PanelResult,
  place: DashboardPlace,
  onExplore: ((query: string, language: QueryLanguage) => void) | undefined,
) {
  const scope = useScope();
  const isOql = panel.query_language !== 'promql';
  // Only the text of OQL says more of the columns than the answer does.
  const query = isOql ? String(result.meta.query ?? panel.query ?? '') : '';
  const keys = stageKeys(query);
  const view = useMemo(() => viewOf(query, isOql ? onExplore : undefined), [query, isOql, onExplore]);
  const readings = useMemo(
    () => readingsOf({ ...result, columns: withRatios(result.columns, view.ratios) }, keys),
    [result, keys, view.ratios],
  );
  const { project = scope.project } = place;
  const key = panel.split?.flag ?? flagOf(query);
  const flag = useMemo(() => (key === undefined || key.startsWith('$') ? undefined : { project, key }), [key, project]);
  return { query, keys, view, readings, flag };
}

function Answer({
  panel,
  result,
  window,
  height,
  place,
  onExplore,
}: {
  panel: DashboardPanel;
  result: PanelResult;
  window: PanelState['window'];
  height: number;
  place: DashboardPlace;
  onExplore: ((query: string, language: QueryLanguage) => void) | undefined;
}) {
  const facts = useFacts(panel, result, place, onExplore);
  const { query, view, readings } = facts;
  const note = result.meta.truncated === true && (
    <p className={classes.note}>Only the first {result.rows.length} rows are shown.</p>
  );
  if (result.rows.length === 0) return <NoRows panel={panel} isSplit={result.meta.split !== undefined} />;
  switch (panel.type) {
    case 'stat':
      return <Stats panel={panel} readings={readings} />;
    case 'gauge':
      return <Gauges panel={panel} readings={readings} />;
    case 'bar':
      return <Bars panel={panel} readings={readings} />;
    case 'heat_map':
      return <HeatGrids panel={panel} result={result} height={height} />;
    case 'flame_graph':
      return <FlamePanel panel={panel} result={result} />;
    case 'logs':
      return (
        <>
          {note}
          <ResultList result={result} label={panel.title || 'Log lines'} view={view} />
        </>
      );
    case 'time_series':
      return (
        <>
          {note}
          <Annotations service={serviceOf(query)}>
            <Series panel={panel} result={result} window={window} height={height} facts={facts} />
          </Annotations>
        </>
      );
    default:
      return (
        <>
          {note}
          <ResultTable result={result} label={panel.title || 'Table'} view={view} />
        </>
      );
  }
}

function NoRows({ panel, isSplit }: { panel: DashboardPanel; isSplit: boolean }) {
  return (
    <p className="dim">
      {isSplit
        ? `No data of requests that evaluated ${panel.split?.flag ?? 'the flag'} in this window.`
        : 'No data in this window.'}
    </p>
  );
}

/** What values of a table or list offer: the query of the panel with one more condition or another grouping, in Explore. */
function viewOf(
  query: string,
  onExplore: ((query: string, language: QueryLanguage) => void) | undefined,
): ResultTableView {
  const { fieldOf, ratios } = queryFacts(query);
  if (onExplore === undefined) return { ratios };
  return {
    fieldOf,
    ratios,
    actions: {
      filter: (picked, exclude) => onExplore(addCondition(query, valueCondition(picked, exclude)), 'oql'),
      groupBy: (field) => onExplore(summarise(query, groupStage(field)), 'oql'),
    },
  };
}

/** Height of a line of the legend in pixels. Two lines are shown, the others scroll. */
const LEGEND_LINE = 24;

const kinds = { lines: 'line', points: 'points', area: 'area', bars: 'bars' } as const;

/** The charts of an answer, and all of their series as those of one chart. */
function useSeries(panel: DashboardPanel, result: PanelResult, { keys, flag }: ReturnType<typeof useFacts>) {
  const scheme = useComputedColorScheme();
  const variants = useFlagColours(flag);
  const charts = useMemo(
    () => withVariantColours(resultCharts(result, scheme, keys), result.columns, variants, result.meta.split),
    [result, scheme, keys, variants],
  );
  // Bars have no dashes: their colours must differ.
  const isBars = panel.stacked === true || panel.draw === 'bars';
  const series = useMemo(() => {
    const joined = joinSeries(charts, scheme);
    return charts.length > 1 && isBars
      ? joined.map((one, at) => ({ ...one, colour: seriesColour(at, scheme) }))
      : joined;
  }, [charts, scheme, isBars]);
  return { charts, series };
}

function Series({
  panel,
  result,
  window,
  height,
  facts,
}: {
  panel: DashboardPanel;
  result: PanelResult;
  window: PanelState['window'];
  height: number;
  facts: ReturnType<typeof useFacts>;
}) {
  const { zoomTo } = useTimeRange();
  const { charts, series } = useSeries(panel, result, facts);
  const [first] = charts;
  const type = charts.every(({ measure }) => facts.view.ratios?.has(measure)) ? 'ratio' : (first?.type ?? 'float');
  const { unit, decimals, thresholds, min, max } = panel;
  // The chart is drawn again when it changes.
  const format = useMemo(() => valueFormat({ unit, decimals }, type), [unit, decimals, type]);
  const lines = useMemo(
    () => (thresholds ?? []).map(({ value, color }) => ({ value, label: '', tone: color })),
    [thresholds],
  );
  if (first === undefined) return <p className="dim">A time series needs a time bucket: add `by bucket(auto)`.</p>;
  const legend = panel.legend !== 'hidden' && (series.length > 1 || panel.legend !== undefined);
  const isTable = panel.legend === 'table';
  const rows = series.length > 4 ? 2 : 1;
  const below = legend ? rows * LEGEND_LINE + 18 : 4;
  return (
    <div className={classes.series} style={{ '--legend': `${rows * LEGEND_LINE + 4}px` } as CSSProperties}>
      <Chart
        label={panel.title || 'Time series'}
        times={first.times}
        series={series}
        window={window}
        kind={panel.stacked ? 'stack' : kinds[panel.draw ?? 'lines']}
        format={format}
        lines={lines}
        min={min}
        max={max}
        height={isTable ? Math.max(90, height * 0.55) : Math.max(60, height - below)}
        legend={isTable ? 'table' : legend}
        onZoom={zoomTo}
        syncKey="dashboard"
      />
    </div>
  );
}
