import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { CalculatorPanel } from './calculator-panel.tsx';
import { stateOf } from './experiment-words.ts';
import { type Experiment, experimentsQuery } from './queries.ts';

/** Experiments of the project, newest first, and the calculator. */
export function ExperimentsPage() {
  const scope = useScope();
  const { data, error, refetch } = useQuery({ ...experimentsQuery(scope), enabled: scope.project !== NO_PROJECT });
  const canWrite = useCan('experiments:write');
  const create = canWrite && (
    <ButtonLink to="/w/$ws/$project/experiments/new" params={scope} leftSection={<IconPlus size={15} />}>
      Create experiment
    </ButtonLink>
  );
  return (
    <Page title="Experiments" actions={create}>
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : data.length === 0 ? (
        <EmptyState title="No experiments yet" action={create}>
          An experiment serves the variants of a flag to random parts of your users, and measures what that changes in
          your telemetry.
        </EmptyState>
      ) : (
        <Panel title="Newest first" tight>
          <Experiments experiments={data} />
        </Panel>
      )}
      <CalculatorPanel />
    </Page>
  );
}

function Experiments({ experiments }: { experiments: readonly Experiment[] }) {
  const scope = useScope();
  const navigate = useNavigate();
  return (
    <DataTable
      label="Experiments"
      rows={experiments}
      rowKey={({ id }) => id}
      onRowClick={({ id }) => void navigate({ to: '/w/$ws/$project/experiments/$id', params: { ...scope, id } })}
      columns={[
        { id: 'state', header: 'State', width: 120, cell: (experiment) => <StateLabel {...stateOf(experiment)} /> },
        {
          id: 'name',
          header: 'Experiment',
          sortBy: ({ name }) => name,
          cell: ({ id, name }) => (
            <AppLink to="/w/$ws/$project/experiments/$id" params={{ ...scope, id }}>
              {name}
            </AppLink>
          ),
        },
        {
          id: 'flag',
          header: 'Flag',
          width: 220,
          sortBy: ({ flag }) => flag,
          cell: ({ flag, environment }) => (
            <>
              {flag} <span className="dim">{environment}</span>
            </>
          ),
        },
        {
          id: 'started',
          header: 'Started',
          width: 150,
          cell: ({ started_at: at }) =>
            at === null ? <span className="dim">not yet</span> : <Timestamp value={at} ago />,
        },
        { id: 'winner', header: 'Winner', width: 120, cell: ({ winner }) => winner ?? <span className="dim">–</span> },
      ]}
    />
  );
}
