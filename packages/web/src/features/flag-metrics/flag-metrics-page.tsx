import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SearchBox } from '../../app/search-box.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink, ButtonLink } from '../../ui/link.tsx';

import { Page, Panel } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { metricsQuery } from '../judging/queries.ts';
import classes from './flag-metrics.module.css';
import { directionText, KINDS, unitText } from './metric-words.ts';
import type { Metric } from './queries.ts';

/** The metrics by which flags are judged: own ones first, then those that every project has. */
export function FlagMetricsPage() {
  const scope = useScope();
  const canChange = useCan('experiments:write');
  const canQuery = useCan('telemetry:query');
  const { data, error, refetch } = useQuery({
    ...metricsQuery(scope.ws, scope.project),
    enabled: scope.project !== NO_PROJECT,
  });
  return (
    <Page
      title="Flag metrics"
      actions={
        canChange &&
        canQuery && (
          <ButtonLink to="/w/$ws/$project/flag-metrics/new" params={scope} leftSection={<IconPlus size={15} />}>
            Create metric
          </ButtonLink>
        )
      }
    >
      <p className="dim">
        A metric turns telemetry into one number for each variant of a flag. Experiments and guarded releases compare
        variants by it.
      </p>
      {data === undefined ? (
        error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <Metrics metrics={data} />
      )}
    </Page>
  );
}

function Metrics({ metrics }: { metrics: readonly Metric[] }) {
  const scope = useScope();
  const { q = '' } = useSearch({ from: '/w/$ws/$project/flag-metrics' });
  const navigate = useNavigate();
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = metrics
    .filter(({ name, key, source, description }) => {
      const text = `${name} ${key} ${source} ${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .toSorted((a, b) => Number(a.built_in) - Number(b.built_in));
  return (
    <Panel
      title="Metrics of this project"
      tight
      actions={<SearchBox label="Search metrics" placeholder="Search by name or query" size="xs" w={220} value={q} />}
    >
      <DataTable
        label="Metrics"
        rows={shown}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => void navigate({ to: '/w/$ws/$project/flag-metrics/$id', params: { ...scope, id } })}
        columns={[
          {
            id: 'name',
            header: 'Metric',
            sortBy: ({ name }) => name,
            cell: ({ id, name, description, source }) => (
              <span className={classes.name}>
                <AppLink to="/w/$ws/$project/flag-metrics/$id" params={{ ...scope, id }}>
                  {name}
                </AppLink>
                <span className="dim truncate" title={description || source}>
                  {description || <span className="mono">{source}</span>}
                </span>
              </span>
            ),
          },
          { id: 'kind', header: 'Measures', width: 220, cell: ({ kind }) => KINDS[kind].label },
          { id: 'unit', header: 'Joins', width: 140, cell: (metric) => unitText(metric) },
          { id: 'direction', header: 'Good is', width: 120, cell: (metric) => directionText(metric) },
          { id: 'guardrail', header: 'Guardrail', width: 90, cell: ({ guardrail }) => (guardrail ? 'yes' : '') },
          { id: 'origin', header: 'From', width: 90, cell: ({ built_in }) => (built_in ? 'built in' : 'you') },
        ]}
      />
    </Panel>
  );
}
