import { getTelemetryStatus } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useFiring } from '../../alerting/use-firing.ts';
import { routeQuery } from '../../api/queries.ts';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useTimeRange } from '../../app/time-range.ts';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords } from '../../telemetry/results.ts';
import { ButtonLink } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { BudgetsPanel, useBudgets } from './budgets-panel.tsx';
import { FiringPanel } from './firing-panel.tsx';
import { healthNowQuery, readHealthNow, worstFirst } from './health.ts';
import classes from './home.module.css';
import { DeploysPanel, FlagChangesPanel } from './recent-panels.tsx';
import { RollingOutPanel, useRollingOut } from './rolling-out-panel.tsx';
import { ServicesPanel } from './services-panel.tsx';
import { Tiles } from './tiles.tsx';

/** Where people land: what is wrong now, what changes now, and what changed lately. */
export function HomePage() {
  const { project } = useScope();
  const enabled = project !== NO_PROJECT;
  const canQuery = useCan('telemetry:query');
  const { range } = useTimeRange();
  const window = resolveRange(range, Date.now());
  // The window is asked for as it stands in the URL, so a rounded length keeps one query.
  const health = useOql(enabled && canQuery && window ? healthNowQuery(window.to - window.from) : null, { keep: true });
  const services = useMemo(
    () => (health.data === undefined ? undefined : worstFirst(readHealthNow(asRecords(health.data.result)))),
    [health.data],
  );
  const firing = useFiring();
  const budgets = useBudgets();
  const rollouts = useRollingOut();
  return (
    <Page title="Home" actions={<TelemetryControls />}>
      <NothingYet />
      <Tiles services={services} firing={firing} budgets={budgets} rollouts={rollouts} />
      <div className={classes.grid}>
        <ServicesPanel services={services} error={health.error} onRetry={() => void health.refetch()} />
        <FiringPanel firing={firing} />
        <RollingOutPanel rollouts={rollouts} />
        <BudgetsPanel budgets={budgets} />
        <FlagChangesPanel />
        <DeploysPanel />
      </div>
    </Page>
  );
}

/** Leads to the first steps while the project has no telemetry. */
function NothingYet() {
  const scope = useScope();
  const { data } = useQuery({
    ...routeQuery(getTelemetryStatus, { params: { ws: scope.ws, p: scope.project } }),
    enabled: scope.project !== NO_PROJECT,
  });
  if (data === undefined || data.arrived) return null;
  return (
    <Notice kind="info">
      <span className={classes.next}>
        This project has no telemetry yet.
        <ButtonLink size="xs" to="/w/$ws/$project/first-steps" params={scope}>
          Send the first telemetry
        </ButtonLink>
      </span>
    </Notice>
  );
}
