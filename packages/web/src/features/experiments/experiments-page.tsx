import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { CreateLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { ListTable } from '../../ui/resource/list-table.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { CalculatorPanel } from './calculator-panel.tsx';
import { stateOf } from './experiment-words.ts';
import { type Experiment, experimentsQuery } from './queries.ts';

/** Experiments of the project, newest first, and the calculator. */
export function ExperimentsPage() {
  const scope = useScope();
  const { data, error, refetch } = useQuery({ ...experimentsQuery(scope), enabled: scope.project !== NO_PROJECT });
  const canWrite = useCan('experiments:write');
  const create = canWrite && <CreateLink to="/w/$ws/$project/experiments/new">Create experiment</CreateLink>;
  return (
    <Page title="Experiments" actions={create}>
      <Listed
        query={{ data, error, refetch }}
        empty={
          <EmptyState title="No experiments yet" action={create}>
            An experiment serves the variants of a flag to random parts of your users, and measures what that changes in
            your telemetry.
          </EmptyState>
        }
      >
        {(data) => <Experiments experiments={data} />}
      </Listed>
      <CalculatorPanel />
    </Page>
  );
}

function Experiments({ experiments }: { experiments: readonly Experiment[] }) {
  const scope = useScope();
  const page = ({ id }: Experiment) => linkOptions({ to: '/w/$ws/$project/experiments/$id', params: { ...scope, id } });
  return (
    <ListTable
      title="Newest first"
      label="Experiments"
      rows={experiments}
      rowKey={({ id }) => id}
      opens={page}
      columns={[
        { id: 'state', header: 'State', width: 120, cell: (experiment) => <StateLabel {...stateOf(experiment)} /> },
        {
          id: 'name',
          header: 'Experiment',
          sortBy: ({ name }) => name,
          cell: (experiment) => <AppLink {...page(experiment)}>{experiment.name}</AppLink>,
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
        { id: 'started', header: 'Started', width: 150, ago: ({ started_at }) => started_at, never: 'not yet' },
        { id: 'winner', header: 'Winner', width: 120, cell: ({ winner }) => winner ?? <span className="dim">–</span> },
      ]}
    />
  );
}
