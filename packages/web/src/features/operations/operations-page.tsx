import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf, formatBytes, formatDuration, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './operations.module.css';
import { operationsQuery, type State } from './queries.ts';
import { SelfTelemetry } from './self-telemetry.tsx';

const refreshMs = 10_000;
const seconds = (value: number) => formatDuration(value * 1e9);

/** What is wrong with the server and what mends it, then the state of its parts. */
export function OperationsPage() {
  const { ws } = useScope();
  const query = useQuery({ ...operationsQuery(ws), refetchInterval: refreshMs });
  return (
    <Page title="Operations" actions={<TelemetryControls />} subtitle="The state of this Fanion server">
      <Loaded query={query} label="Loading the state of the server">
        {({ operations }) =>
          operations === null ? (
            <EmptyState title="Shown in another workspace">
              The state of the server is shown in the workspace of its operators: the oldest one, or that of the project
              in FANION_SELF_TELEMETRY_PROJECT.
            </EmptyState>
          ) : (
            <Operations state={operations} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Operations({ state }: { state: State }) {
  return (
    <>
      <Problems problems={state.problems} />
      <Facts state={state} />
      <Servers servers={state.servers} />
      {state.late_jobs.length > 0 && <LateJobs jobs={state.late_jobs} />}
      {state.ingest.refused.length > 0 && <Refused refused={state.ingest.refused} />}
      <SelfTelemetry state={state.self_telemetry} />
    </>
  );
}

function Problems({ problems }: Pick<State, 'problems'>) {
  if (problems.length === 0) return <Notice kind="ok">Nothing is wrong.</Notice>;
  return problems.map(({ severity, what, mend }) => (
    <Notice key={what} kind={severity === 'critical' ? 'error' : 'warning'}>
      <strong>{what}</strong> {mend}
    </Notice>
  ));
}

/** The figures of the server that answers. */
function Facts({ state }: { state: State }) {
  const { ingest, alerts, notifications, backups, certificate_expires_at: expires, stores } = state;
  return (
    <dl className={classes.facts} aria-label="Figures">
      {stores.map(({ name, status }) => (
        <Fact key={name} name={storeNames[name]} value={status} />
      ))}
      <Fact name="In the log" value={`${formatBytes(ingest.log_bytes)} of ${formatBytes(ingest.log_max_bytes)}`} />
      <Fact
        name="Oldest in the log"
        value={ingest.log_age_seconds === 0 ? 'all is stored' : seconds(ingest.log_age_seconds)}
      />
      <Fact name="An insert takes" value={ingest.insert_seconds === null ? '–' : seconds(ingest.insert_seconds)} />
      <Fact
        name="Free disk"
        value={`${formatBytes(ingest.disk_free_bytes)} (${formatPercent(ingest.disk_free_ratio)})`}
      />
      <Fact
        name="Alert evaluations"
        value={
          alerts.lag_seconds === null
            ? 'none yet'
            : `${formatNumber(alerts.evaluated)}, ${seconds(alerts.lag_seconds)} after their time`
        }
      />
      <Fact
        name="Notifications"
        value={`${formatNumber(notifications.delivered)} delivered, ${formatNumber(notifications.given_up)} given up`}
      />
      <Fact
        name="Last backup"
        value={
          backups.last_success_at !== null ? (
            <Timestamp value={backups.last_success_at} ago />
          ) : backups.scheduled ? (
            'none yet'
          ) : (
            'not scheduled here'
          )
        }
      />
      <Fact name="Certificate expires" value={expires === null ? 'plain HTTP' : <Timestamp value={expires} />} />
    </dl>
  );
}

const storeNames: Readonly<Record<State['stores'][number]['name'], string>> = {
  control_plane: 'Control plane',
  telemetry_store: 'Telemetry store',
  write_ahead_log: 'Write-ahead log',
  clock: 'Clock',
};

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Servers({ servers }: Pick<State, 'servers'>) {
  return (
    <Panel title="Servers" tight>
      <DataTable
        label="Servers"
        rows={servers}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'id',
            header: 'Server',
            cell: ({ id, answers }) => (
              <>
                <span className="mono">{id}</span>
                {answers && <span className="dim"> answers this page</span>}
              </>
            ),
          },
          { id: 'roles', header: 'Roles', width: 220, cell: ({ roles }) => roles.join(', ') },
          { id: 'version', header: 'Version', width: 110, cell: ({ version }) => version },
          { id: 'started', header: 'Started', width: 130, ago: ({ started_at }) => started_at },
          {
            id: 'heard',
            header: 'Heard of',
            width: 130,
            cell: ({ silent_seconds }) => `${seconds(silent_seconds)} ago`,
          },
        ]}
      />
    </Panel>
  );
}

function LateJobs({ jobs }: { jobs: State['late_jobs'] }) {
  return (
    <Panel title="Background jobs that are late or fail" tight>
      <DataTable
        label="Late jobs"
        rows={jobs}
        rowKey={({ name }) => name}
        columns={[
          { id: 'name', header: 'Job', cell: ({ name }) => name },
          { id: 'late', header: 'Late by', width: 120, cell: ({ late_seconds }) => seconds(late_seconds) },
          { id: 'failures', header: 'Failures', width: 110, number: ({ failures }) => failures },
          { id: 'error', header: 'Last error', cell: ({ error }) => error ?? '–' },
        ]}
      />
    </Panel>
  );
}

function Refused({ refused }: { refused: State['ingest']['refused'] }) {
  return (
    <Panel title="Not accepted since the server started" tight>
      <DataTable
        label="Not accepted"
        rows={refused}
        rowKey={({ signal, kind, reason }) => `${signal} ${kind} ${reason}`}
        columns={[
          { id: 'signal', header: 'Signal', width: 120, cell: ({ signal }) => signal },
          { id: 'kind', header: 'What happened', width: 160, cell: ({ kind }) => kind },
          { id: 'reason', header: 'Reason', cell: ({ reason }) => reason },
          {
            id: 'count',
            header: 'Count',
            numeric: true,
            width: 130,
            sortBy: ({ count }) => count,
            cell: ({ count, kind }) => countOf(count, kind === 'refused' ? 'request' : 'item'),
          },
        ]}
      />
    </Panel>
  );
}
