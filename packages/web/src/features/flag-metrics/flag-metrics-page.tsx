import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { CreateLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { Page } from '../../ui/page.tsx';
import { ListTable, Named, Search, useFound } from '../../ui/resource/list-table.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { metricsQuery } from '../judging/queries.ts';
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
      actions={canChange && canQuery && <CreateLink to="/w/$ws/$project/flag-metrics/new">Create metric</CreateLink>}
    >
      <p className="dim">
        A metric turns telemetry into one number for each variant of a flag. Experiments and guarded releases compare
        variants by it.
      </p>
      <Loaded query={{ data, error, refetch }}>{(data) => <Metrics metrics={data} />}</Loaded>
    </Page>
  );
}

function Metrics({ metrics }: { metrics: readonly Metric[] }) {
  const scope = useScope();
  const shown = useFound(metrics, ({ name, key, source, description }) => `${name} ${key} ${source} ${description}`);
  const page = ({ id }: Metric) => linkOptions({ to: '/w/$ws/$project/flag-metrics/$id', params: { ...scope, id } });
  return (
    <ListTable
      title="Metrics of this project"
      label="Metrics"
      actions={<Search label="Search metrics" placeholder="Search by name or query" size="xs" w={220} />}
      rows={shown.toSorted((a, b) => Number(a.built_in) - Number(b.built_in))}
      rowKey={({ id }) => id}
      opens={page}
      columns={[
        {
          id: 'name',
          header: 'Metric',
          sortBy: ({ name }) => name,
          cell: (metric) => (
            <Named page={page(metric)} name={metric.name}>
              <span className="truncate" title={metric.description || metric.source}>
                {metric.description || <span className="mono">{metric.source}</span>}
              </span>
            </Named>
          ),
        },
        { id: 'kind', header: 'Measures', width: 220, cell: ({ kind }) => KINDS[kind].label },
        { id: 'unit', header: 'Joins', width: 140, cell: (metric) => unitText(metric) },
        { id: 'direction', header: 'Good is', width: 120, cell: (metric) => directionText(metric) },
        { id: 'guardrail', header: 'Guardrail', width: 90, cell: ({ guardrail }) => (guardrail ? 'yes' : '') },
        { id: 'origin', header: 'From', width: 90, cell: ({ built_in }) => (built_in ? 'built in' : 'you') },
      ]}
    />
  );
}
