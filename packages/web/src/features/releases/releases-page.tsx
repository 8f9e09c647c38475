import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { NO_PROJECT, useScope } from '../../app/session.ts';
import { EnvironmentPicker } from '../../app/telemetry-controls.tsx';
import { useEnvironment } from '../../app/time-range.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { useNow } from '../../ui/use-now.ts';
import { StateLabel } from '../alerts/alert-state.tsx';
import { rampsQuery, releasesQuery } from './queries.ts';
import { ReleaseActions } from './release-actions.tsx';
import classes from './releases.module.css';
import { guardsText, mostUrgentFirst, nextText, ofRamp, ofRelease, type Rollout } from './rollouts.ts';
import { Steps } from './steps.tsx';

/** Ramps and guarded releases of all flags: what runs, what waits for a person, and how the last ones ended. */
export function ReleasesPage() {
  const scope = useScope();
  const environment = useEnvironment();
  const { flag } = useSearch({ from: '/w/$ws/$project/releases' });
  const enabled = scope.project !== NO_PROJECT;
  const ramps = useQuery({ ...rampsQuery(scope), enabled });
  const releases = useQuery({ ...releasesQuery(scope), enabled });
  const error = ramps.error ?? releases.error;
  const all = mostUrgentFirst([...(ramps.data ?? []).map(ofRamp), ...(releases.data ?? []).map(ofRelease)]).filter(
    (one) =>
      (environment === undefined || one.environment === environment) && (flag === undefined || one.flag === flag),
  );
  const open = all.filter(({ endedAt }) => endedAt === null);
  const ended = all.filter(({ endedAt }) => endedAt !== null);
  const isPending = ramps.data === undefined || releases.data === undefined;
  return (
    <Page title="Ramps and guarded releases" actions={<EnvironmentPicker />}>
      {error ? (
        <ErrorState error={error} onRetry={() => void Promise.all([ramps.refetch(), releases.refetch()])} />
      ) : isPending ? (
        <Panel title="Running" tight>
          <TableSkeleton rows={5} />
        </Panel>
      ) : all.length === 0 ? (
        <EmptyState
          title="Nothing was rolled out yet"
          action={
            <ButtonLink to="/w/$ws/$project/flags" params={scope}>
              Open the flags
            </ButtonLink>
          }
        >
          A ramp serves a variant to more and more units by itself. A guarded release does so only while error rate,
          latency or your own metrics do not get worse, and rolls back otherwise. Start either on the page of a flag.
        </EmptyState>
      ) : (
        <>
          <Panel title="Running and planned" tight>
            {open.length === 0 ? (
              <p className={classes.none}>Nothing is being rolled out now.</p>
            ) : (
              <Rollouts label="Running and planned" rows={open} />
            )}
          </Panel>
          {ended.length > 0 && (
            <Panel title="Ended" tight>
              <Rollouts label="Ended" rows={ended} />
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

function Rollouts({ label, rows }: { label: string; rows: readonly Rollout[] }) {
  const scope = useScope();
  const navigate = useNavigate();
  const now = useNow(
    1_000,
    rows.some(({ nextAt }) => nextAt !== null),
  );
  const isOpen = rows.every(({ endedAt }) => endedAt === null);
  return (
    <DataTable
      label={label}
      rows={rows}
      rowKey={({ id }) => id}
      onRowClick={(row) => void navigate(linkOf(scope, row))}
      columns={[
        {
          id: 'state',
          header: 'State',
          width: 150,
          cell: ({ state, reason }) => <StateLabel {...state} title={reason ?? undefined} />,
        },
        {
          id: 'flag',
          header: 'Flag',
          cell: (row) => <FlagCell rollout={row} />,
        },
        { id: 'steps', header: 'Progress', width: 230, cell: (row) => <Steps rollout={row} now={now} /> },
        ...(isOpen
          ? [{ id: 'next', header: 'Next step', width: 130, cell: (row: Rollout) => nextText(row, now) }]
          : []),
        {
          id: 'guards',
          header: 'Guards',
          width: 150,
          cell: ({ guards }) =>
            guards.length === 0 ? <span className="dim">–</span> : <StateLabel {...guardsText(guards)} />,
        },
        {
          id: 'since',
          header: isOpen ? 'Since' : 'Ended',
          width: 120,
          cell: ({ since, endedAt, by }) => (
            <span className={classes.flag}>
              <Timestamp value={endedAt ?? since} ago />
              {by !== null && <span className="dim">{isOpen ? by : `started by ${by}`}</span>}
            </span>
          ),
        },
        ...(isOpen ? [{ width: 150, buttons: (row: Rollout) => <ReleaseActions rollout={row} /> }] : []),
      ]}
    />
  );
}

function linkOf(scope: ReturnType<typeof useScope>, { flag, environment, kind }: Rollout) {
  return {
    to: '/w/$ws/$project/flags/$key' as const,
    params: { ...scope, key: flag },
    search: { env: environment, ...(kind === 'guarded release' && { tab: 'guarded' }) },
  };
}

function FlagCell({ rollout }: { rollout: Rollout }) {
  const scope = useScope();
  return (
    <span className={classes.flag}>
      <AppLink className="mono" {...linkOf(scope, rollout)}>
        {rollout.flag}
      </AppLink>
      <span className="dim">
        {rollout.kind}, {rollout.environment}
      </span>
      {rollout.reason && <span className={classes.reason}>{rollout.reason}</span>}
    </span>
  );
}
