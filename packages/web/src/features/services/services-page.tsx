import type { listServices, RouteResponse } from '@fanion/contract';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { FiringMark, FiringStrip } from '../../alerting/firing.tsx';
import { MakeAlert } from '../../alerting/make-alert.tsx';
import { MakeSlo } from '../../alerting/make-slo.tsx';
import { ofService, useFiring } from '../../alerting/use-firing.ts';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { bucketOf } from '../../telemetry/bucket-width.ts';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { servicesQuery } from '../../telemetry/services.ts';
import { Sparkline } from '../../telemetry/sparkline.tsx';
import { serviceColour } from '../../ui/colours.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/resource/search-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorNotice, ErrorState } from '../../ui/states.tsx';
import {
  ALARMING,
  failingQuery,
  healthQuery,
  rateHistoryQuery,
  readHealth,
  readHistory,
  type ServiceHealth,
  SPARKLINE_BUCKETS,
  sloOf,
} from './service-health.ts';
import classes from './services.module.css';
import { ServicesOverview } from './services-overview.tsx';

/** The rate, errors and durations of all services, and their rates over time. */
function useLoad() {
  const { range } = useTimeRange();
  const health = useOql(healthQuery(), { keep: true });
  const bucket = bucketOf(range, SPARKLINE_BUCKETS);
  const history = useOql(rateHistoryQuery(bucket.text), { keep: true });
  const healthOf = useMemo(() => readHealth(health.data ? asRecords(health.data.result) : []), [health.data]);
  const historyOf = useMemo(
    () => readHistory(history.data?.result.rows ?? [], bucket.milliseconds, history.data?.window?.to),
    [history.data, bucket.milliseconds],
  );
  const rate = useMemo(() => rateFormat([...healthOf.values()].map((health) => health.rate)), [healthOf]);
  return { health, history, healthOf, historyOf, rate };
}

type Service = RouteResponse<typeof listServices>[number];

/** Every service with its rate, errors and duration at a glance. */
export function ServicesPage() {
  const scope = useScope();
  const environment = useEnvironment();
  const { q = '' } = useSearch({ from: '/w/$ws/$project/services' });
  const firing = useFiring();
  const services = useQuery(servicesQuery(scope.ws, scope.project, environment));
  const load = useLoad();
  const { health, history, healthOf } = load;
  const shown = (services.data ?? []).filter((service) =>
    `${service.name} ${service.display_name ?? ''} ${service.team ?? ''}`.toLowerCase().includes(q.toLowerCase()),
  );

  return (
    <Page
      title="Services"
      actions={
        <>
          <MakeAlert query={failingQuery()} />
          <MakeSlo of={sloOf()} />
          <TelemetryControls />
        </>
      }
    >
      {services.isPending || firing.isPending ? (
        <Skeleton height="calc(100dvh - 120px)" label="Loading services" />
      ) : services.isError ? (
        <ErrorState error={services.error} onRetry={() => void services.refetch()} />
      ) : services.data.length === 0 ? (
        <EmptyState
          title="No telemetry yet"
          action={
            <ButtonLink to="/w/$ws/$project/first-steps" params={scope}>
              Send the first telemetry
            </ButtonLink>
          }
        >
          A service appears here automatically when its first span, log line or metric arrives.
        </EmptyState>
      ) : (
        <>
          <FiringStrip firing={firing} />
          <SearchBox
            label="Filter services"
            placeholder="Filter services"
            leftSection={<IconSearch size={14} />}
            maw={280}
            value={q}
          />
          <ErrorNotice error={health.error ?? history.error} />
          {!history.isError && <ServicesOverview history={history.data} health={healthOf} />}
          <ServiceTable services={shown} load={load} firing={firing} />
        </>
      )}
    </Page>
  );
}

function healthColumns({ health, healthOf, rate }: ReturnType<typeof useLoad>): Column<Service>[] {
  // A dash says that a service had no requests, which is not known while they are counted.
  const known = (text: string) => (health.isPending ? '' : text);
  const column = (
    id: 'rate' | 'errors' | 'p50' | 'p99',
    header: string,
    width: number,
    cell: (health: ServiceHealth | undefined) => ReactNode,
  ): Column<Service> => ({
    id,
    header,
    numeric: true,
    width,
    sortBy: ({ name }) => healthOf.get(name)?.[id] ?? -1,
    cell: ({ name }) => cell(healthOf.get(name)),
  });
  return [
    column('rate', 'Rate', 110, (now) => known(rate(now?.rate))),
    column('errors', 'Errors', 100, (now) => (
      <span className={now !== undefined && now.errors >= ALARMING ? classes.alarming : undefined}>
        {known(formatPercent(now?.errors))}
      </span>
    )),
    column('p50', 'p50', 100, (now) => known(formatDuration(now?.p50))),
    column('p99', 'p99', 100, (now) => known(formatDuration(now?.p99))),
  ];
}

function ServiceTable({
  services,
  load,
  firing,
}: {
  services: readonly Service[];
  load: ReturnType<typeof useLoad>;
  firing: ReturnType<typeof useFiring>;
}) {
  const scope = useScope();
  const navigate = useNavigate();
  const scheme = useComputedColorScheme();
  return (
    <Panel tight>
      <DataTable
        label="Services"
        rows={services}
        rowKey={(service) => service.name}
        onRowClick={(service) =>
          void navigate({ to: '/w/$ws/$project/services/$service', params: { ...scope, service: service.name } })
        }
        columns={[
          {
            id: 'name',
            header: 'Service',
            sortBy: (service) => service.name,
            cell: (service) => <NamedService service={service} firing={firing} />,
          },
          {
            id: 'history',
            header: 'Requests',
            width: 150,
            cell: ({ name }) => (
              <Sparkline
                label={`Requests of ${name} over time`}
                values={load.historyOf.get(name) ?? []}
                colour={serviceColour(name, scheme)}
              />
            ),
          },
          ...healthColumns(load),
          {
            id: 'team',
            header: 'Team',
            width: 140,
            sortBy: ({ team }) => team ?? '',
            cell: ({ team }) => team ?? <span className="dim">–</span>,
          },
          { id: 'seen', header: 'Last seen', width: 110, ago: ({ last_seen_at }) => last_seen_at },
        ]}
      />
    </Panel>
  );
}

function NamedService({ service, firing }: { service: Service; firing: ReturnType<typeof useFiring> }) {
  const scope = useScope();
  return (
    <span className={classes.name}>
      <AppLink to="/w/$ws/$project/services/$service" params={{ ...scope, service: service.name }}>
        <ServiceName name={service.name} display={service.display_name} />
      </AppLink>
      <FiringMark alerts={ofService(firing.alerts, service.name)} />
    </span>
  );
}
