import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { useTimeRange } from '../../app/time-range.ts';
import { oqlQuery } from '../../telemetry/oql.ts';
import { resultCharts } from '../../telemetry/results.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { formatBytes, formatDuration, formatNumber } from '../../ui/format/index.ts';
import { ButtonLink } from '../../ui/link.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import classes from './operations.module.css';
import type { State } from './queries.ts';

const inSeconds = (value: number) => formatDuration(value * 1e9);

const charts = [
  {
    title: 'Requests per second, by status',
    query: 'metric fanion_http_requests_total | rate | sum by status, bucket(auto)',
    format: formatNumber,
  },
  {
    title: 'Time to answer, p99',
    query: 'metric fanion_http_request_duration_seconds | increase | stats p99=p99(value) by bucket(auto)',
    format: inSeconds,
  },
  {
    title: 'Items accepted per second',
    query: 'metric fanion_ingest_items_accepted_total | rate | sum by signal, bucket(auto)',
    format: formatNumber,
  },
  {
    title: 'Age of the write-ahead log',
    query: 'metric fanion_wal_age_seconds | stats age=max(value) by service.instance.id, bucket(auto)',
    format: inSeconds,
  },
  {
    title: 'Inserts, p99',
    query: 'metric fanion_ingest_insert_duration_seconds | increase | stats p99=p99(value) by bucket(auto)',
    format: inSeconds,
  },
  {
    title: 'Memory',
    query: 'metric process_resident_memory_bytes | latest 5m | sum by service.instance.id, bucket(auto)',
    format: formatBytes,
  },
] as const;

/** The course of the most important figures, or how to get them. */
export function SelfTelemetry({ state: { on, project, stored, dropped } }: { state: State['self_telemetry'] }) {
  const { ws } = useScope();
  if (!on)
    return (
      <EmptyState title="No history yet">
        Start the server with <code>FANION_SELF_TELEMETRY=on</code>. It then stores its own metrics, requests and
        warnings in a project, and this page shows their course.
      </EmptyState>
    );
  if (project === null) return null;
  return (
    <>
      <Notice kind="info">
        The server has stored {formatNumber(stored)} points, spans and log records about itself since it started, and
        left out {formatNumber(dropped)}.{' '}
        <ButtonLink size="xs" variant="default" to="/w/$ws/$project/explore" params={{ ws, project: project.key }}>
          Explore the project {project.key}
        </ButtonLink>
      </Notice>
      <div className={classes.charts}>
        {charts.map((chart) => (
          <OwnChart key={chart.title} project={project.key} {...chart} />
        ))}
      </div>
    </>
  );
}

function OwnChart({ project, title, query, format }: { project: string } & (typeof charts)[number]) {
  const { ws } = useScope();
  const { range, zoomTo } = useTimeRange();
  const scheme = useComputedColorScheme();
  const answer = useQuery({
    ...oqlQuery({ query, ws, project, environment: undefined, range }),
    placeholderData: keepPreviousData,
  });
  const [first] = useMemo(
    () => (answer.data === undefined ? [] : resultCharts(answer.data.result, scheme)),
    [answer.data, scheme],
  );
  return (
    <Panel title={title}>
      <Loaded query={answer} label={`Loading ${title}`} compact>
        {({ window }) =>
          first === undefined ? (
            <EmptyState title="Nothing in this window" compact>
              Widen the time range.
            </EmptyState>
          ) : (
            <Chart
              label={title}
              times={first.times}
              series={first.series}
              window={window}
              format={format}
              height={150}
              onZoom={zoomTo}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
