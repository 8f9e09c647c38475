import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { CreateLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { Sparkline } from '../../telemetry/sparkline.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { formatPercent } from '../../ui/format/index.ts';
import { Button } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { ListTable, Named, QueryLine, Search, useFound } from '../../ui/resource/list-table.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { EmptyState, ErrorNotice } from '../../ui/states.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { type ListedSlo, slosQuery, standingsQuery } from './queries.ts';
import { BudgetLeft, SloState } from './slo-state.tsx';
import { attainmentText, burnText, indicatorText, leastBudgetFirst, objectiveText, windowText } from './slo-words.ts';
import classes from './slos.module.css';

/** All SLOs of the project, those with the least budget first. */
export function SlosPage() {
  const scope = useScope();
  const canWrite = useCan('dashboards:write');
  const canQuery = useCan('telemetry:query');
  const enabled = scope.project !== NO_PROJECT;
  const slos = useQuery({ ...slosQuery(scope.ws, scope.project), enabled });
  const standings = useQuery({ ...standingsQuery(scope.ws, scope.project), enabled: enabled && canQuery });
  const [importing, setImporting] = useState(false);
  const create = canWrite && <CreateLink to="/w/$ws/$project/slos/new">Create SLO</CreateLink>;
  const open = canWrite && (
    <Button variant="default" onClick={() => setImporting(true)}>
      Import OpenSLO
    </Button>
  );
  // The list is there before the figures are.
  const rows = useMemo(
    () => leastBudgetFirst<ListedSlo>(standings.data ?? (canQuery ? slos.data : withoutStanding(slos.data)) ?? []),
    [standings.data, slos.data, canQuery],
  );
  return (
    <Page
      title="SLOs"
      actions={
        <>
          {open}
          {create}
        </>
      }
    >
      <Listed
        query={slos}
        empty={
          <EmptyState title="No SLOs yet" action={create}>
            An SLO says which share of events must be good, such as 99.9% of requests without an error in 30 days. It
            shows how much may still fail, who spent the rest, and alerts while it is spent too fast. Past telemetry is
            counted at once.
          </EmptyState>
        }
      >
        {() => (
          <>
            <ErrorNotice error={standings.error} />
            <SloTable slos={rows} />
          </>
        )}
      </Listed>
      <ImportDialog opened={importing} onClose={() => setImporting(false)} />
    </Page>
  );
}

/** For people who may not query telemetry. */
function withoutStanding(slos: readonly ListedSlo[] | undefined): ListedSlo[] | undefined {
  return slos?.map((slo) => ({ ...slo, status: null }));
}

const COLUMNS: readonly Column<ListedSlo>[] = [
  { id: 'state', header: 'State', width: 140, cell: (slo) => <SloState slo={slo} status={slo.status} /> },
  {
    id: 'name',
    header: 'SLO',
    sortBy: ({ name }) => name,
    cell: (slo) => <Name slo={slo} />,
  },
  {
    id: 'objective',
    header: 'Objective',
    width: 110,
    sortBy: ({ objective }) => objective,
    cell: ({ objective, window }) => (
      <span className={classes.objective} title={windowText(window)}>
        {objectiveText(objective)}{' '}
        <span className="dim">{window.kind === 'rolling' ? window.period : window.unit}</span>
      </span>
    ),
  },
  {
    id: 'attainment',
    header: 'Attained',
    width: 90,
    numeric: true,
    sortBy: ({ status }) => status?.attainment ?? 2,
    cell: ({ status, objective }) => attainmentText(status?.attainment ?? null, objective),
  },
  {
    id: 'budget',
    header: 'Budget left',
    width: 170,
    sortBy: ({ status }) => status?.budget.left ?? Number.MAX_VALUE,
    cell: ({ status }) => (
      <span className={classes.budget}>
        <BudgetLeft left={status?.budget.left} />
      </span>
    ),
  },
  { id: 'fast', header: 'Burn 1h', width: 85, numeric: true, cell: (slo) => burnText(burnOf(slo, '1h')) },
  { id: 'slow', header: 'Burn 6h', width: 85, numeric: true, cell: (slo) => burnText(burnOf(slo, '6h')) },
  {
    id: 'trend',
    header: 'Trend',
    width: 115,
    cell: ({ name, status }) =>
      status && (
        <Sparkline
          width={90}
          values={status.trend}
          colour="var(--f-accent)"
          label={`Burn rate of ${name} over the window`}
        />
      ),
  },
  {
    id: 'alerts',
    header: 'Alerts',
    width: 90,
    cell: (slo) => <BurnAlerts slo={slo} />,
  },
];

const pageOf = (scope: ReturnType<typeof useScope>, { id }: ListedSlo) =>
  linkOptions({ to: '/w/$ws/$project/slos/$id', params: { ...scope, id } });

function Name({ slo }: { slo: ListedSlo }) {
  const scope = useScope();
  return (
    <Named page={pageOf(scope, slo)} name={slo.name}>
      <QueryLine>
        {slo.backfill.state === 'running'
          ? `counting the past: ${formatPercent(slo.backfill.progress)}`
          : indicatorText(slo.indicator)}
      </QueryLine>
    </Named>
  );
}

function SloTable({ slos }: { slos: readonly ListedSlo[] }) {
  const scope = useScope();
  return (
    <ListTable
      title="Least budget first"
      label="SLOs"
      actions={<Search label="Search SLOs" placeholder="Search by name or query" size="xs" w={220} />}
      rows={useFound(slos, ({ name, description, indicator }) => `${name} ${description} ${indicatorText(indicator)}`)}
      rowKey={({ id }) => id}
      opens={(slo) => pageOf(scope, slo)}
      columns={COLUMNS}
    />
  );
}

function burnOf({ status }: ListedSlo, window: string): number | null {
  return status?.burn.find((burn) => burn.window === window)?.rate ?? null;
}

function BurnAlerts({ slo: { burn_alerts, status } }: { slo: ListedSlo }) {
  if (!burn_alerts) return <span className="dim">off</span>;
  const firing = [...new Set(status?.alerts.filter((alert) => alert.firing).map(({ severity }) => severity))];
  return firing.length === 0 ? 'on' : <b>{firing.join(', ')}</b>;
}
