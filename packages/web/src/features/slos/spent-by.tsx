import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Select } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { WhyList } from '../why/why-list.tsx';
import { type Slo, type SpentBy, spentByQuery } from './queries.ts';
import { attainmentText, spentText } from './slo-words.ts';
import classes from './slos.module.css';

const PERIODS = [
  { value: 'now-1h', label: 'Last hour' },
  { value: 'now-6h', label: 'Last 6 hours' },
  { value: 'now-1d', label: 'Last day' },
  { value: 'now-3d', label: 'Last 3 days' },
  { value: 'now-7d', label: 'Last 7 days' },
];

/** What causes the bad events, their flag variants, and what would be without a variant. */
export function SpentByPanel({ slo }: { slo: Slo }) {
  const { ws } = useScope();
  const { since: asked } = useSearch({ from: '/w/$ws/$project/slos/$id' });
  const navigate = useNavigate();
  const since = PERIODS.find(({ value }) => value === asked)?.value ?? 'now-1d';
  const { data, error, refetch } = useQuery(spentByQuery(ws, slo.id, since));
  const spent = data?.spent_by;
  return (
    <Panel
      title="Who spent it"
      actions={
        <Select
          aria-label="Period"
          size="xs"
          w={140}
          data={PERIODS}
          value={since}
          onChange={(next) =>
            void navigate({
              to: '.',
              search: (old) => ({ ...old, since: next === 'now-1d' || next === null ? undefined : next }),
              replace: true,
            })
          }
        />
      }
    >
      {error ? (
        <ErrorState compact error={error} onRetry={() => void refetch()} />
      ) : spent === undefined || spent === null ? (
        <Loading label="Comparing bad events with good ones" />
      ) : spent.error !== null ? (
        <span className="dim">It cannot be told: {spent.error}</span>
      ) : spent.total === spent.good ? (
        <span className="dim">
          {spent.total === 0 ? 'There were no events in this time.' : 'No event failed in this time.'}
        </span>
      ) : (
        <div className={classes.stack}>
          <span>
            {countOf(spent.total - spent.good, 'bad event')} of {countOf(spent.total, 'event')} spent{' '}
            <b>{spentText(spent.good / spent.total, slo.objective)}</b> of the budget of this time.
          </span>
          <WhyList
            why={spent.why}
            project={slo.project}
            environment={slo.environment ?? undefined}
            comment={`SLO: ${slo.name}`}
          />
          <Flags spent={spent} objective={slo.objective} />
        </div>
      )}
    </Panel>
  );
}

function Flags({ spent, objective }: { spent: SpentBy; objective: number }) {
  const flags = spent.flags.filter(({ good, total }) => total > good);
  const [worst] = flags;
  return (
    <section className={classes.stack} aria-label="Flag variants">
      <h3>Flag variants</h3>
      {worst === undefined ? (
        <span className="dim">No trace of a bad event saw a flag.</span>
      ) : (
        <>
          <Counterfactual spent={spent} worst={worst} objective={objective} />
          <DataTable
            label="Flag variants of bad events"
            rows={flags}
            rowKey={({ flag, variant }) => `${flag} ${variant}`}
            columns={[
              {
                id: 'variant',
                header: 'Variant',
                cell: (row) => <VariantName {...row} />,
              },
              { id: 'bad', header: 'Bad', numeric: true, cell: ({ good, total }) => formatNumber(total - good) },
              { id: 'total', header: 'Events', numeric: true, cell: ({ total }) => formatNumber(total) },
              {
                id: 'attainment',
                header: 'Attained',
                numeric: true,
                cell: ({ attainment }) => attainmentText(attainment, objective),
              },
              {
                id: 'spent',
                header: 'Budget spent',
                numeric: true,
                sortBy: ({ budget_spent }) => budget_spent ?? 0,
                cell: ({ budget_spent }) => formatPercent(budget_spent),
              },
              {
                id: 'all',
                header: 'If all saw it',
                numeric: true,
                cell: ({ attainment_if_all }) => attainmentText(attainment_if_all, objective),
              },
              {
                id: 'without',
                header: 'Without it',
                numeric: true,
                cell: ({ attainment_without }) => attainmentText(attainment_without, objective),
              },
            ]}
          />
        </>
      )}
    </section>
  );
}

function VariantName({ flag, variant }: Pick<SpentBy['flags'][number], 'flag' | 'variant'>) {
  const scope = useScope();
  return (
    <span className="mono">
      <AppLink to="/w/$ws/$project/flags/$key" params={{ ...scope, key: flag }}>
        {flag}
      </AppLink>{' '}
      = {variant}
    </span>
  );
}

/** What the worst variant cost, in a sentence. */
function Counterfactual({
  spent,
  worst: { flag, variant, attainment_without },
  objective,
}: {
  spent: SpentBy;
  worst: SpentBy['flags'][number];
  objective: number;
}) {
  const attained = spent.good / spent.total;
  // A variant that does no harm has no place in a sentence about harm.
  if (attainment_without === null || attainment_without <= attained) return null;
  return (
    <p className={classes.prose}>
      Without{' '}
      <span className="mono">
        {flag} = {variant}
      </span>
      , this time would have spent <b>{spentText(attainment_without, objective)}</b> of its budget instead of{' '}
      {spentText(attained, objective)}.
    </p>
  );
}
