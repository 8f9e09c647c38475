import { getServiceMap } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { routeQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { ServiceFilter } from '../../telemetry/filter-bar.tsx';
import { AGAIN_MS, againWhileMissing, StillProcessed } from '../../telemetry/still-processed.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { Group, Switch } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { shownNode } from './databases.ts';
import { MapView } from './map-view.tsx';
import classes from './service-map.module.css';
import type { ServiceEdge, ServiceMap } from './types.ts';

/** Which services call each other, with rate, latency and errors. */
export function ServiceMapPage() {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const { service, databases } = useSearch({ from: '/w/$ws/$project/service-map' });
  const navigate = useNavigate();
  const map = useQuery({
    ...routeQuery(getServiceMap, {
      params: { ws },
      query: {
        project,
        ...(environment !== undefined && { environment }),
        ...range,
        ...(service !== undefined && { service }),
      },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.nodes.length === 0 ? AGAIN_MS : againWhileMissing(data)),
  });
  return (
    <Page title="Service map" actions={<TelemetryControls />}>
      <Group gap="sm">
        <ServiceFilter
          value={service}
          onChange={(next) => void navigate({ to: '.', search: (old) => ({ ...old, service: next }) })}
        />
        <Switch
          label="Group databases"
          checked={databases !== 'each'}
          onChange={({ currentTarget: { checked } }) =>
            void navigate({ to: '.', search: (old) => ({ ...old, databases: checked ? undefined : 'each' }) })
          }
        />
        <Legend />
      </Group>
      {map.isError ? (
        <ErrorState error={map.error} onRetry={() => void map.refetch()} />
      ) : map.isPending ? (
        <Skeleton height={420} label="Loading the map" />
      ) : (
        <>
          <StillProcessed missing={map.data.missing} />
          {map.data.nodes.length === 0 ? (
            <EmptyWindow title="No calls in this window">
              The map is built from spans of kind server, client, producer and consumer. Widen the time range, or select
              all environments.
            </EmptyWindow>
          ) : (
            <>
              <MapView nodes={map.data.nodes} edges={map.data.edges} each={databases === 'each'} />
              <Calls map={map.data} />
            </>
          )}
        </>
      )}
    </Page>
  );
}

function Legend() {
  return (
    <span className={classes.legend}>
      <span>rate · errors · p95</span>
      <span className={classes.key} data-health="warning">
        1% errors and more
      </span>
      <span className={classes.key} data-health="error">
        5% and more
      </span>
    </span>
  );
}

/** The map as a table, for sorting and for screen readers. */
function Calls({ map }: { map: ServiceMap }) {
  const nameOf = new Map(
    map.nodes.map(shownNode).map(({ id, title, about }) => [id, about === '' ? title : `${title} (${about})`]),
  );
  const name = (id: string) => nameOf.get(id) ?? id;
  if (map.edges.length === 0) return null;
  const rate = rateFormat(map.edges.map((edge) => edge.rate));
  const duration = (id: 'p50_ns' | 'p95_ns' | 'p99_ns', header: string) => ({
    id,
    header,
    numeric: true,
    width: 100,
    sortBy: (edge: ServiceEdge) => edge[id] ?? -1,
    cell: (edge: ServiceEdge) => formatDuration(edge[id]),
  });
  return (
    <Panel title="Calls" tight>
      <DataTable
        label="Calls"
        rows={map.edges}
        rowKey={(edge) => `${edge.source} ${edge.target}`}
        columns={[
          { id: 'source', header: 'From', sortBy: (edge) => name(edge.source), cell: (edge) => name(edge.source) },
          { id: 'target', header: 'To', sortBy: (edge) => name(edge.target), cell: (edge) => name(edge.target) },
          {
            id: 'rate',
            header: 'Rate',
            numeric: true,
            width: 110,
            sortBy: (edge) => edge.rate,
            cell: (edge) => rate(edge.rate),
          },
          { id: 'errors', header: 'Errors', width: 100, number: (edge) => edge.errors, format: formatPercent },
          duration('p50_ns', 'p50'),
          duration('p95_ns', 'p95'),
          duration('p99_ns', 'p99'),
        ]}
      />
    </Panel>
  );
}
