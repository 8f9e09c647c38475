import type { getService, RouteResponse } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { FiringStrip } from '../../alerting/firing.tsx';
import { MakeAlert } from '../../alerting/make-alert.tsx';
import { MakeSlo } from '../../alerting/make-slo.tsx';
import { ofService, useFiring } from '../../alerting/use-firing.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { Annotations } from '../../telemetry/annotations.tsx';
import { useOql } from '../../telemetry/oql.ts';
import { serviceQuery } from '../../telemetry/services.ts';
import { AppLink } from '../../ui/link.tsx';
import { useOneStop } from '../../ui/one-stop.ts';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { AddButton } from '../dashboards/add-button.tsx';
import { ServiceCharts } from './service-charts.tsx';
import { ServiceDependencies, useDependencies } from './service-dependencies.tsx';
import { ServiceErrors } from './service-errors.tsx';
import { ServiceFlags } from './service-flags.tsx';
import { chartChoices, errorsQuery, failingQuery, operationsQuery, sloOf } from './service-health.ts';
import { ServiceOperations } from './service-operations.tsx';
import { ServiceSlos } from './service-slos.tsx';
import { ServiceVersions, useVersions } from './service-versions.tsx';
import { ServiceWhy } from './service-why.tsx';
import classes from './services.module.css';

/** One service: status, operations, errors, dependencies, deploys and flags. */
export function ServicePage() {
  const { ws } = useScope();
  const { service: name } = useParams({ from: '/w/$ws/$project/services/$service' });
  const service = useQuery(serviceQuery(ws, name));
  const firing = useFiring();
  const versions = useVersions(name);
  // Tables are as tall as what they list. Each row of the page is shown when what is above it has its height.
  const hasOperations = !useOql(operationsQuery(name), { keep: true }).isPending;
  const hasErrors = !useOql(errorsQuery(name), { keep: true }).isPending;
  const hasCalls = !useDependencies(name).isPending && hasErrors;
  return (
    <Page
      title={service.data?.display_name ?? name}
      crumbs={<ScopeLink to="/w/$ws/$project/services">Services</ScopeLink>}
      actions={
        <>
          <MakeAlert query={failingQuery(name)} />
          <MakeSlo of={sloOf(name)} />
          <AddButton choices={chartChoices(name)} />
          <TelemetryControls />
        </>
      }
    >
      {service.isError && service.data === undefined ? (
        <ErrorState error={service.error} onRetry={() => void service.refetch()} />
      ) : firing.isPending ? (
        <Skeleton height="calc(100dvh - 120px)" label="Loading the service" />
      ) : (
        <>
          <FiringStrip firing={{ ...firing, alerts: ofService(firing.alerts, name) }} />
          <Annotations service={name}>
            <ServiceCharts
              service={name}
              beside={
                <>
                  <Links name={name} service={service.data} />
                  <ServiceSlos service={name} />
                </>
              }
            />
          </Annotations>
          <ServiceOperations service={name} />
          {hasOperations && (
            <div className={classes.pair}>
              <ServiceErrors service={name} />
              <ServiceDependencies service={name} />
            </div>
          )}
          {hasOperations && hasCalls && (
            <div className={classes.pair}>
              <ServiceVersions answer={versions.data} />
              <ServiceFlags service={name} />
            </div>
          )}
          {hasOperations && hasCalls && <ServiceWhy service={name} />}
        </>
      )}
    </Page>
  );
}

/** Links to the service's traces and logs, and to its owners' runbook and repository. */
function Links({ name, service }: { name: string; service: RouteResponse<typeof getService> | undefined }) {
  const scope = useScope();
  const links = useOneStop<HTMLSpanElement>();
  return (
    <span ref={links} className={classes.links}>
      {service?.team && <span className="dim">{service.team}</span>}
      <AppLink to="/w/$ws/$project/traces" params={scope} search={{ service: name }}>
        Traces
      </AppLink>
      <AppLink to="/w/$ws/$project/logs" params={scope} search={{ service: name }}>
        Logs
      </AppLink>
      <AppLink to="/w/$ws/$project/metrics" params={scope} search={{ service: name }}>
        Metrics
      </AppLink>
      <AppLink to="/w/$ws/$project/profiles" params={scope} search={{ service: name }}>
        Profiles
      </AppLink>
      {service?.runbook_url && (
        <a href={service.runbook_url} rel="noreferrer noopener" target="_blank">
          Runbook
        </a>
      )}
      {service?.repository_url && (
        <a href={service.repository_url} rel="noreferrer noopener" target="_blank">
          Repository
        </a>
      )}
    </span>
  );
}
