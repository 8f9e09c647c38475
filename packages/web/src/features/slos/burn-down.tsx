import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { seriesColour } from '../../ui/colours.ts';
import { sentence } from '../../ui/errors.ts';
import { formatPercent } from '../../ui/format/index.ts';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { useOneStop } from '../../ui/one-stop.ts';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { absoluteRange } from '../../ui/time/time-range.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { changesOf, marksOf, seriesOf } from './burn-down-rules.ts';
import { failingRows, type Place } from './failing-rows.ts';
import { type Slo, type SloPoint, timeseriesQuery } from './queries.ts';
import classes from './slos.module.css';

const BUDGET_HEIGHT = 220;
const EVENTS_HEIGHT = 130;
/** Of both charts, their legend and the lines below them. */
const HEIGHT = BUDGET_HEIGHT + EVENTS_HEIGHT + 70;

const PATHS = {
  traces: '/w/$ws/$project/traces',
  logs: '/w/$ws/$project/logs',
  explore: '/w/$ws/$project/explore',
} as const;
const OPEN = { traces: 'Open failing traces', logs: 'Open failing lines', explore: 'Open in Explore' } as const;
/** Changes that are listed below the chart. */
const listed = 20;

/** How the budget went over the window, with changes of flags and deploys on it. Dragging opens what failed in that time. */
export function BurnDown({ slo }: { slo: Slo }) {
  const scope = useScope();
  const navigate = useNavigate();
  const from =
    slo.window.kind === 'rolling'
      ? `now-${slo.window.period}`
      : `now-${{ week: 7, month: 31, quarter: 92 }[slo.window.unit]}d`;
  const { data, error, refetch } = useQuery(timeseriesQuery(scope.ws, slo.id, from));
  const place = useMemo(() => failingRows(slo.indicator), [slo.indicator]);
  const open = ({ page, q, lang }: Place, range: { from: string; to: string }) =>
    void navigate({
      to: PATHS[page],
      params: scope,
      search: { q, ...(lang && { lang }), ...range, ...(slo.environment !== null && { env: slo.environment }) },
    });
  return (
    <Panel
      title="Budget over the window"
      actions={
        <ButtonLink
          size="xs"
          variant="default"
          to={PATHS[place.page]}
          params={scope}
          search={{
            q: place.q,
            ...(place.lang && { lang: place.lang }),
            from: 'now-1d',
            ...(slo.environment !== null && { env: slo.environment }),
          }}
        >
          {OPEN[place.page]} of the last day
        </ButtonLink>
      }
    >
      {error && data === undefined ? (
        <ErrorState compact error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton height={HEIGHT} label="Loading the budget over time" />
      ) : (
        <Charts {...data} onZoom={(start, end) => open(place, absoluteRange(start, end))} />
      )}
    </Panel>
  );
}

function Charts({
  points,
  warnings,
  onZoom,
}: {
  points: readonly SloPoint[];
  warnings: readonly string[];
  onZoom: (from: number, to: number) => void;
}) {
  const scheme = useComputedColorScheme();
  const { times, window, budget, events } = useMemo(() => {
    const { times, window, left, good, bad } = seriesOf(points);
    return {
      times,
      window,
      budget: [{ label: 'Budget left', colour: seriesColour(0, scheme), values: left }],
      events: [
        { label: 'Bad', colour: seriesColour(4, scheme), values: bad },
        { label: 'Good', colour: seriesColour(2, scheme), values: good },
      ],
    };
  }, [points, scheme]);
  const changes = useMemo(() => changesOf(points), [points]);
  const marks = useMemo(() => marksOf(changes, window), [changes, window]);
  return (
    <div className={classes.stack}>
      <Chart
        label="Budget left"
        times={times}
        series={budget}
        window={window}
        format={formatPercent}
        height={BUDGET_HEIGHT}
        legend={false}
        marks={marks}
        syncKey="slo"
        onZoom={onZoom}
      />
      <Chart
        label="Events"
        times={times}
        series={events}
        window={window}
        kind="stack"
        height={EVENTS_HEIGHT}
        syncKey="slo"
        onZoom={onZoom}
      />
      <span className="dim">Drag over a time to open what failed in it.</span>
      <Changes changes={changes} />
      {warnings.map((warning) => (
        <span key={warning} className="dim">
          {sentence(warning)}
        </span>
      ))}
    </div>
  );
}

function Changes({ changes }: { changes: SloPoint['changes'] }) {
  const list = useOneStop<HTMLUListElement>();
  if (changes.length === 0) return null;
  return (
    <section aria-label="Changes of flags and deploys">
      <h3>Changes of flags and deploys</h3>
      <ul ref={list} className={classes.changes}>
        {changes
          .slice(-listed)
          .reverse()
          .map((change) => (
            <li key={`${change.at} ${change.name} ${change.action}`}>
              <Timestamp value={change.at} recent /> <ChangeName change={change} />{' '}
              <span className="dim">
                {change.kind === 'deploy' ? `version ${change.action}` : change.action.replaceAll('_', ' ')}
                {change.environment !== null && ` in ${change.environment}`}
              </span>
            </li>
          ))}
      </ul>
      {changes.length > listed && <span className="dim">and {changes.length - listed} before</span>}
    </section>
  );
}

function ChangeName({ change: { kind, name } }: { change: SloPoint['changes'][number] }) {
  const scope = useScope();
  return kind === 'flag' ? (
    <AppLink className="mono" to="/w/$ws/$project/flags/$key" params={{ ...scope, key: name }}>
      {name}
    </AppLink>
  ) : (
    <AppLink className="mono" to="/w/$ws/$project/services/$service" params={{ ...scope, service: name }}>
      {name}
    </AppLink>
  );
}
