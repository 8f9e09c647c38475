import type { getServiceMap, RouteResponse } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { againWhileMissing, StillProcessed } from '../../telemetry/still-processed.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { ALARMING, dependenciesQuery } from './service-health.ts';
import classes from './services.module.css';

type ServiceMap = RouteResponse<typeof getServiceMap>;

export function useDependencies(service: string) {
  const scope = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  return useQuery({
    ...dependenciesQuery({ ...scope, environment, range }, service),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => againWhileMissing(data),
  });
}

/** The callers of a service, and what it calls: services, databases, queues and external hosts. */
export function ServiceDependencies({ service }: { service: string }) {
  const { ws, project } = useScope();
  const map = useDependencies(service);
  return (
    <Panel
      title="Dependencies"
      actions={
        <AppLink to="/w/$ws/$project/service-map" params={{ ws, project }} search={{ service }}>
          Show on the map
        </AppLink>
      }
      tight
    >
      {map.isError ? (
        <ErrorState compact error={map.error} onRetry={() => void map.refetch()} />
      ) : map.isPending ? (
        <TableSkeleton rows={5} />
      ) : (
        <>
          <StillProcessed missing={map.data.missing} />
          <Calls map={map.data} service={service} />
        </>
      )}
    </Panel>
  );
}

function Calls({ map, service }: { map: ServiceMap; service: string }) {
  const nodes = new Map(map.nodes.map((node) => [node.id, node]));
  const self = map.nodes.find((node) => node.kind === 'service' && node.name === service)?.id;
  const rows = map.edges.flatMap((edge) => {
    const direction = edge.target === self ? 'from' : edge.source === self ? 'to' : undefined;
    const other = nodes.get(direction === 'from' ? edge.source : edge.target);
    return direction === undefined || other === undefined ? [] : [{ ...edge, direction, other }];
  });
  if (rows.length === 0) return <p className={classes.none}>No calls to or from this service in this window.</p>;
  const rate = rateFormat(rows.map((row) => row.rate));
  return (
    <DataTable
      label="Dependencies"
      rows={rows.toSorted((a, b) => a.direction.localeCompare(b.direction) || b.rate - a.rate)}
      rowKey={(row) => `${row.source} ${row.target}`}
      columns={[
        {
          id: 'direction',
          header: <span className="visually-hidden">Direction</span>,
          width: 84,
          cell: (row) => <span className="dim">{row.direction === 'from' ? 'called by' : 'calls'}</span>,
        },
        { id: 'other', header: 'What', cell: ({ other }) => <Other kind={other.kind} name={other.name} /> },
        { id: 'rate', header: 'Rate', numeric: true, width: 90, cell: (row) => rate(row.rate) },
        {
          id: 'errors',
          header: 'Errors',
          numeric: true,
          width: 80,
          cell: (row) => (
            <span className={row.errors >= ALARMING ? classes.alarming : undefined}>{formatPercent(row.errors)}</span>
          ),
        },
        { id: 'p95', header: 'p95', numeric: true, width: 90, cell: (row) => formatDuration(row.p95_ns) },
      ]}
    />
  );
}

function Other({ kind, name }: { kind: string; name: string }) {
  const scope = useScope();
  if (kind !== 'service') {
    return (
      <>
        {name} <span className="dim">{kind}</span>
      </>
    );
  }
  return (
    <AppLink to="/w/$ws/$project/services/$service" params={{ ...scope, service: name }}>
      <ServiceName name={name} />
    </AppLink>
  );
}
