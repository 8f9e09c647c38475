import { type DashboardPanel, getServiceMap, getSlo, getSloStatus } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { routeQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { useTimeRange } from '../../app/time-range.ts';
import { Markdown } from '../../telemetry/markdown-view.tsx';
import { useOql } from '../../telemetry/oql.ts';
import { resultCharts, withVariantColours } from '../../telemetry/results.ts';
import { Sparkline } from '../../telemetry/sparkline.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { seriesColour } from '../../ui/colours.ts';
import { formatNumber, formatPercent, formatTimestamp } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { useFlagColours } from '../flags/use-flag-colours.ts';
import { FlameGraph } from '../profiles/flame-graph.tsx';
import { MapView } from '../service-map/map-view.tsx';
import classes from './dashboards.module.css';
import type { PanelResult } from './panel-data.ts';
import { heatOf, levelOf, type Reading, splitResult, treeOfStacks, valueFormat } from './panel-values.ts';
import type { DashboardPlace } from './queries.ts';

/** Large numbers, coloured by their thresholds, with their history if there is one. */
export function Stats({ panel, readings }: { panel: DashboardPanel; readings: readonly Reading[] }) {
  const scheme = useComputedColorScheme();
  return (
    <dl className={classes.stats}>
      {readings.map(({ label, type, value, history }) => (
        <div
          key={label}
          className={classes.stat}
          data-level={value === null ? 'neutral' : levelOf(value, panel.thresholds)}
        >
          <dt className="truncate">{label}</dt>
          <dd>{value === null ? '–' : valueFormat(panel, type)(value)}</dd>
          {history.length > 1 && (
            <Sparkline
              values={history}
              colour={seriesColour(0, scheme)}
              label={`${label} over time`}
              width={140}
              height={28}
            />
          )}
        </div>
      ))}
    </dl>
  );
}

/** Half circles from the smallest to the largest value. */
export function Gauges({ panel, readings }: { panel: DashboardPanel; readings: readonly Reading[] }) {
  const least = panel.min ?? 0;
  const highest = Math.max(...readings.map(({ value }) => value ?? 0), least + 1e-9);
  const most = panel.max ?? (panel.unit === '1' ? 1 : panel.unit === '%' ? 100 : highest);
  const arc = (share: number) => {
    const angle = Math.PI * (1 - Math.min(1, Math.max(0, share)));
    return `M 10 60 A 50 50 0 0 1 ${60 + 50 * Math.cos(angle)} ${60 - 50 * Math.sin(angle)}`;
  };
  return (
    <div className={classes.stats}>
      {readings.map(({ label, type, value }) => {
        const text = value === null ? '–' : valueFormat(panel, type)(value);
        return (
          <figure
            key={label}
            className={classes.gauge}
            data-level={value === null ? 'neutral' : levelOf(value, panel.thresholds)}
          >
            <svg viewBox="0 0 120 68" role="img" aria-label={`${label}: ${text}`}>
              <path d={arc(1)} className={classes.track} />
              {value !== null && <path d={arc((value - least) / (most - least || 1))} className={classes.arc} />}
              <text x="60" y="56" textAnchor="middle">
                {text}
              </text>
            </svg>
            <figcaption className="truncate">{label}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}

/** A bar per row, the largest first as the query sorts them. */
export function Bars({ panel, readings }: { panel: DashboardPanel; readings: readonly Reading[] }) {
  const most = panel.max ?? Math.max(...readings.map(({ value }) => Math.abs(value ?? 0)), 1e-9);
  return (
    <ul className={classes.bars}>
      {readings.map(({ label, type, value }) => (
        <li key={label} data-level={value === null ? 'neutral' : levelOf(value, panel.thresholds)}>
          <span className="truncate" title={label}>
            {label}
          </span>
          <span className={classes.barTrack}>
            <span className={classes.bar} style={{ width: `${Math.min(100, (100 * Math.abs(value ?? 0)) / most)}%` }} />
          </span>
          <span className="num">{value === null ? '–' : valueFormat(panel, type)(value)}</span>
        </li>
      ))}
    </ul>
  );
}

/** A heat map; of a panel that is split by a flag, one for each variant. */
export function HeatGrids({ panel, result, height }: { panel: DashboardPanel; result: PanelResult; height: number }) {
  const parts = useMemo(() => splitResult(result), [result]);
  if (parts === undefined) return <HeatGrid panel={panel} result={result} height={height} />;
  return parts.map(({ variant, result }) => (
    <section key={variant} aria-label={`Variant ${variant}`}>
      <h3 className={classes.variant}>{variant}</h3>
      <HeatGrid panel={panel} result={result} height={Math.max(80, height / parts.length - 22)} />
    </section>
  ));
}

/** Times by bands, darker for more. */
function HeatGrid({ panel, result, height }: { panel: DashboardPanel; result: PanelResult; height: number }) {
  const heat = useMemo(() => heatOf(result), [result]);
  if (heat === undefined || heat.times.length === 0)
    return <p className="dim">A heat map needs a time bucket, a second key and a number.</p>;
  const { times, bands, cells, most } = heat;
  const format = valueFormat(panel, 'int');
  const row = Math.max(6, Math.floor((height - 24) / bands.length));
  const step = Math.max(1, Math.ceil(times.length / 6));
  return (
    <figure
      className={classes.heat}
      aria-label={`${panel.title || 'Heat map'}: ${bands.length} bands, at most ${format(most)}`}
    >
      <div className={classes.heatBands} aria-hidden style={{ gridAutoRows: row }}>
        {bands.map((band, at) => (
          <span key={band}>{row >= 12 || at % Math.ceil(14 / row) === 0 ? band : ''}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${times.length} ${bands.length}`}
        preserveAspectRatio="none"
        style={{ height: row * bands.length }}
        aria-hidden
      >
        {[...cells].map(([key, value]) => {
          const [x = 0, y = 0] = key.split(' ').map(Number);
          return (
            y >= 0 && (
              <rect
                key={key}
                x={x}
                y={y}
                width={1.02}
                height={1.02}
                className={classes.cell}
                opacity={0.08 + (0.92 * value) / (most || 1)}
              >
                <title>{`${formatTimestamp(times[x])}, ${bands[y]}: ${format(value)}`}</title>
              </rect>
            )
          );
        })}
      </svg>
      <div className={classes.heatTimes} aria-hidden>
        {times.map(
          (time, at) => at % step === 0 && <span key={time}>{formatTimestamp(time, { date: false }).slice(0, 5)}</span>,
        )}
      </div>
    </figure>
  );
}

export function FlamePanel({ panel, result }: { panel: DashboardPanel; result: PanelResult }) {
  const nodes = useMemo(() => treeOfStacks(result.rows), [result.rows]);
  const total = nodes.reduce((sum, { parent, total }) => sum + (parent === null ? total : 0), 0);
  if (total === 0) return <p className="dim">No samples in this window.</p>;
  return (
    <FlameGraph
      label={panel.title || 'Flame graph'}
      nodes={nodes}
      total={total}
      format={valueFormat(panel, 'int')}
      search=""
    />
  );
}

export function ServiceMapPanel({ place }: { place: DashboardPlace }) {
  const { range } = useTimeRange();
  const { ws, project, environment } = place;
  const map = useQuery({
    ...routeQuery(getServiceMap, {
      params: { ws },
      query: { ...range, ...(project !== undefined && { project }), ...(environment !== undefined && { environment }) },
    }),
    placeholderData: keepPreviousData,
  });
  if (map.isError) return <ErrorState compact error={map.error} />;
  if (map.isPending) return <Loading />;
  if (map.data.nodes.length === 0) return <p className="dim">No calls in this window.</p>;
  return <MapView nodes={map.data.nodes} edges={map.data.edges} />;
}

export function SloPanel({ id }: { id: string }) {
  const { ws } = useScope();
  const slo = useQuery(routeQuery(getSlo, { params: { ws, id } }));
  const status = useQuery({ ...routeQuery(getSloStatus, { params: { ws, id } }), refetchInterval: 60_000 });
  const error = slo.error ?? status.error;
  if (error) return <ErrorState compact error={error} />;
  if (slo.data === undefined || status.data === undefined) return <Loading />;
  const { attainment, objective, budget } = status.data;
  const { left } = budget;
  const level = attainment === null ? 'neutral' : attainment >= objective ? 'ok' : 'error';
  return (
    <dl className={classes.stats}>
      <div className={classes.stat} data-level={level}>
        <dt className="truncate">{slo.data.name}</dt>
        <dd>{attainment === null ? 'no traffic' : formatPercent(attainment)}</dd>
        <span className="dim">objective {formatPercent(objective)}</span>
      </div>
      <div className={classes.stat} data-level={left === null ? 'neutral' : left > 0 ? 'ok' : 'error'}>
        <dt>Error budget left</dt>
        <dd>{left === null ? '–' : formatPercent(left)}</dd>
        <span className="dim">
          {formatNumber(budget.spent)} of {formatNumber(budget.allowed)} spent
        </span>
      </div>
    </dl>
  );
}

/** Evaluations of a flag by variant. */
export function FlagPanel({ flag, height }: { flag: NonNullable<DashboardPanel['flag']>; height: number }) {
  const scope = useScope();
  const scheme = useComputedColorScheme();
  const { zoomTo } = useTimeRange();
  const answer = useOql(`flags ${JSON.stringify(flag.key)} | stats n=count() by variant, bucket(auto)`, { keep: true });
  const colours = useFlagColours(flag);
  const charts = useMemo(() => {
    if (!answer.data) return [];
    const { result } = answer.data;
    return withVariantColours(resultCharts(result, scheme, 2), result.columns, colours);
  }, [answer.data, scheme, colours]);
  const [chart] = charts;
  return (
    <>
      <AppLink
        to="/w/$ws/$project/flags/$key"
        params={{ ...scope, project: flag.project, key: flag.key }}
        search={{ env: flag.environment }}
      >
        {flag.key}
      </AppLink>
      {answer.isError ? (
        <ErrorState compact error={answer.error} />
      ) : chart === undefined || chart.times.length === 0 ? (
        <p className="dim">{answer.isPending ? 'Loading' : 'No evaluations in this window.'}</p>
      ) : (
        <Chart
          label={`Evaluations of ${flag.key}`}
          times={chart.times}
          series={chart.series}
          window={answer.data?.window}
          kind="stack"
          height={Math.max(60, height - 64)}
          onZoom={zoomTo}
          syncKey="dashboard"
        />
      )}
    </>
  );
}

export function TextPanel({ text }: { text: string }) {
  return <Markdown text={text} />;
}
