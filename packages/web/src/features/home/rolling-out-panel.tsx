import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ScopeLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { stateOf } from '../experiments/experiment-words.ts';
import { type Experiment, experimentsQuery } from '../experiments/queries.ts';
import { rampsQuery, releasesQuery } from '../releases/queries.ts';
import { mostUrgentFirst, ofRamp, ofRelease, progressText, type Rollout } from '../releases/rollouts.ts';
import classes from './home.module.css';
import { HomePanel, ROWS } from './home-panel.tsx';

type Running =
  | (Pick<Rollout, 'id' | 'flag' | 'environment' | 'state' | 'isPaused' | 'since'> & {
      readonly kind: Rollout['kind'];
      readonly what: string;
    })
  | {
      readonly kind: 'experiment';
      readonly id: string;
      readonly flag: string;
      readonly environment: string;
      readonly state: Rollout['state'];
      readonly isPaused: false;
      readonly what: string;
      readonly since: string;
    };

export interface RollingOut {
  /** Undefined while they load. */
  readonly rows: readonly Running[] | undefined;
  readonly error: unknown;
}

/** What runs now: ramps, guarded releases and experiments. */
export function useRollingOut(): RollingOut {
  const scope = useScope();
  const enabled = scope.project !== NO_PROJECT;
  const ramps = useQuery({ ...rampsQuery(scope), enabled });
  const releases = useQuery({ ...releasesQuery(scope), enabled });
  const experiments = useQuery({ ...experimentsQuery(scope), enabled });
  const error = ramps.error ?? releases.error ?? experiments.error;
  const rows = useMemo(() => {
    if (!enabled) return [];
    if (ramps.data === undefined || releases.data === undefined || experiments.data === undefined) return undefined;
    const rollouts = mostUrgentFirst([...ramps.data.map(ofRamp), ...releases.data.map(ofRelease)]);
    return [
      ...rollouts.filter(({ isActive }) => isActive).map((rollout) => ({ ...rollout, what: progressText(rollout) })),
      ...experiments.data.filter(({ state }) => state === 'running').map(ofExperiment),
    ];
  }, [enabled, ramps.data, releases.data, experiments.data]);
  return { rows, error };
}

function ofExperiment(experiment: Experiment): Running {
  const { id, flag, environment, name, started_at, created_at } = experiment;
  const since = started_at ?? created_at;
  return { kind: 'experiment', id, flag, environment, state: stateOf(experiment), isPaused: false, what: name, since };
}

/** What is rolled out or tried now, what waits for a person first. */
export function RollingOutPanel({ rollouts: { rows, error } }: { rollouts: RollingOut }) {
  const scope = useScope();
  const navigate = useNavigate();
  return (
    <HomePanel
      title="Ramps, guarded releases and experiments"
      isPending={rows === undefined && !error}
      more={<ScopeLink to="/w/$ws/$project/releases">All rollouts</ScopeLink>}
    >
      {error ? (
        <ErrorState compact error={error} />
      ) : rows === undefined || rows.length === 0 ? (
        <p className={classes.none}>Nothing is being rolled out.</p>
      ) : (
        <DataTable
          label="Ramps, guarded releases and experiments"
          rows={rows.slice(0, ROWS)}
          rowKey={({ id }) => id}
          onRowClick={({ kind, id, flag, environment }) =>
            void (kind === 'experiment'
              ? navigate({ to: '/w/$ws/$project/experiments/$id', params: { ...scope, id } })
              : navigate({
                  to: '/w/$ws/$project/flags/$key',
                  params: { ...scope, key: flag },
                  search: { env: environment, ...(kind === 'guarded release' && { tab: 'guarded' }) },
                }))
          }
          columns={[
            { id: 'state', header: 'State', width: 150, cell: ({ state }) => <StateLabel {...state} /> },
            {
              id: 'flag',
              header: 'Flag',
              cell: ({ flag, environment, kind }) => (
                <span className={classes.line}>
                  <span className="mono">{flag}</span>
                  <span className="dim">
                    {kind}, {environment}
                  </span>
                </span>
              ),
            },
            { id: 'what', header: 'Progress', width: 200, cell: ({ what }) => what },
            { id: 'since', header: 'Since', width: 90, ago: ({ since }) => since },
          ]}
        />
      )}
    </HomePanel>
  );
}
