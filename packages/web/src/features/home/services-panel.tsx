import { useNavigate } from '@tanstack/react-router';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { ChangeMark } from '../services/change-mark.tsx';
import { pointChange, relativeChange } from '../services/service-state.ts';
import { type JudgedService, SHOWN } from './health.ts';
import classes from './home.module.css';
import { HomePanel, ROWS } from './home-panel.tsx';

/** The services, the worst first, with how errors and p99 moved against the window before. */
export function ServicesPanel({
  services,
  error,
  onRetry,
}: {
  services: readonly JudgedService[] | undefined;
  error: unknown;
  onRetry: () => void;
}) {
  const scope = useScope();
  const navigate = useNavigate();
  const shown = services?.slice(0, ROWS) ?? [];
  const rate = rateFormat(shown.map(({ window }) => window.rate));
  return (
    <HomePanel
      title="Services, worst first"
      isPending={services === undefined && !error}
      more={<ScopeLink to="/w/$ws/$project/services">All services</ScopeLink>}
    >
      {error !== null && services === undefined ? (
        <ErrorState compact error={error} onRetry={onRetry} />
      ) : shown.length === 0 ? (
        <p className={classes.none}>No service handled requests in this window.</p>
      ) : (
        <DataTable
          label="Services, worst first"
          rows={shown}
          rowKey={({ service }) => service}
          onRowClick={({ service }) =>
            void navigate({ to: '/w/$ws/$project/services/$service', params: { ...scope, service } })
          }
          columns={columnsOf(scope, rate)}
        />
      )}
    </HomePanel>
  );
}

function columnsOf(
  scope: ReturnType<typeof useScope>,
  rate: ReturnType<typeof rateFormat>,
): readonly Column<JudgedService>[] {
  return [
    {
      id: 'state',
      header: 'State',
      width: 100,
      cell: ({ state: { tone, reasons } }) => <StateLabel {...SHOWN[tone]} title={reasons.join(', ')} />,
    },
    {
      id: 'service',
      header: 'Service',
      cell: ({ service }) => (
        <AppLink to="/w/$ws/$project/services/$service" params={{ ...scope, service }}>
          <ServiceName name={service} />
        </AppLink>
      ),
    },
    { id: 'rate', header: 'Rate', numeric: true, width: 90, cell: ({ window }) => rate(window.rate) },
    {
      id: 'errors',
      header: 'Errors',
      numeric: true,
      width: 130,
      cell: ({ window: { errors }, before }) => (
        <>
          <ChangeMark change={pointChange(errors, before.errors)} isWorse /> {formatPercent(errors)}
        </>
      ),
    },
    {
      id: 'p99',
      header: 'p99',
      numeric: true,
      width: 130,
      cell: ({ window: { p99 }, before }) => (
        <>
          <ChangeMark change={relativeChange(p99, before.p99)} isWorse /> {formatDuration(p99)}
        </>
      ),
    },
  ];
}
