import { useNavigate } from '@tanstack/react-router';
import { useScope } from '../../app/session.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { type Judgement, movedText, type ServiceNow } from './health.ts';
import classes from './home.module.css';
import { HomePanel, ROWS } from './home-panel.tsx';

const LABELS: Readonly<Record<Judgement['tone'], string>> = { firing: 'Failing', pending: 'Degraded', ok: 'OK' };

/** The services, the worst first, with how errors and p99 moved against the window before. */
export function ServicesPanel({
  services,
  error,
  onRetry,
}: {
  services: readonly (ServiceNow & { readonly judgement: Judgement })[] | undefined;
  error: unknown;
  onRetry: () => void;
}) {
  const scope = useScope();
  const navigate = useNavigate();
  const shown = services?.slice(0, ROWS) ?? [];
  const rate = rateFormat(shown.map((service) => service.rate));
  return (
    <HomePanel
      title="Services, the worst first"
      isPending={services === undefined && !error}
      more={
        <AppLink to="/w/$ws/$project/services" params={scope}>
          All services
        </AppLink>
      }
    >
      {error !== null && services === undefined ? (
        <ErrorState compact error={error} onRetry={onRetry} />
      ) : shown.length === 0 ? (
        <p className={classes.none}>No service handled requests in this window.</p>
      ) : (
        <DataTable
          label="Services, the worst first"
          rows={shown}
          rowKey={({ service }) => service}
          onRowClick={({ service }) =>
            void navigate({ to: '/w/$ws/$project/services/$service', params: { ...scope, service } })
          }
          columns={[
            {
              id: 'state',
              header: 'State',
              width: 100,
              cell: ({ judgement: { tone, why } }) => <StateLabel label={LABELS[tone]} tone={tone} title={why} />,
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
            { id: 'rate', header: 'Rate', numeric: true, width: 90, cell: (service) => rate(service.rate) },
            {
              id: 'errors',
              header: 'Errors',
              numeric: true,
              width: 130,
              cell: ({ errors, errorsBefore }) => (
                <Moved text={formatPercent(errors)} moved={movedText(errors, errorsBefore, 'share')} />
              ),
            },
            {
              id: 'p99',
              header: 'p99',
              numeric: true,
              width: 130,
              cell: ({ p99, p99Before }) => (
                <Moved text={formatDuration(p99)} moved={movedText(p99, p99Before, 'ratio')} />
              ),
            },
          ]}
        />
      )}
    </HomePanel>
  );
}

function Moved({ text, moved }: { text: string; moved: string | undefined }) {
  return (
    <>
      {moved !== undefined && (
        <span className={classes.moved} data-up={moved.startsWith('▲') || undefined}>
          {moved}
        </span>
      )}{' '}
      {text}
    </>
  );
}
