import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScope } from '../../app/session.ts';
import { ATTRIBUTE_COLUMNS } from '../../telemetry/attribute-columns.tsx';
import { fieldsQuery } from '../../telemetry/field-hints.ts';
import { oqlQuery } from '../../telemetry/oql.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { formatPercent } from '../../ui/format/index.ts';
import { Stack } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { FlameGraph } from '../profiles/flame-graph.tsx';
import { profileFormat } from '../profiles/profile-units.ts';
import { armsDiffQuery } from '../profiles/queries.ts';
import { armContrast, contrastRows, windowOf } from './links.ts';
import type { Experiment } from './queries.ts';
import { VariantSelect } from './variant-select.tsx';

/** The query finds more; beyond these, most differ by chance. */
const MOST_ATTRIBUTES = 8;

/** How requests of a variant differ from those of the control: by their attributes, and by the code that they run. */
export function ArmsPanel({ experiment }: { experiment: Experiment }) {
  const others = experiment.variants.filter(({ variant }) => variant !== experiment.control);
  const [variant, setVariant] = useState(others[0]?.variant ?? '');
  return (
    <Panel
      title={`What ${variant} changes in requests`}
      actions={<VariantSelect label="Variant to compare" variants={others} value={variant} onChange={setVariant} />}
    >
      <Stack gap="md">
        <Attributes experiment={experiment} variant={variant} />
        <Code experiment={experiment} variant={variant} />
      </Stack>
    </Panel>
  );
}

interface Arms {
  experiment: Experiment;
  variant: string;
}

/** The place and time in which the experiment ran. */
function usePlace({ environment, ...times }: Experiment) {
  const { ws, project } = useScope();
  const { from = 'now-1h', to } = windowOf(times);
  return { ws, project, environment, range: { from, to } };
}

function Attributes({ experiment, variant }: Arms) {
  const place = usePlace(experiment);
  const { data, error, refetch } = useQuery({
    ...oqlQuery({ ...place, query: armContrast(experiment, variant), limit: undefined }),
    staleTime: 300_000,
  });
  if (error) return <ErrorState compact error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Comparing the requests of both variants" />;
  const rows = contrastRows(data.result).slice(0, MOST_ATTRIBUTES);
  return (
    <section aria-label="Attributes that differ">
      <h3>Attributes</h3>
      {rows.length === 0 ? (
        <span className="dim">
          No attribute of a request is more frequent with one of them, or no request has a trace that saw the flag.
        </span>
      ) : (
        <>
          <DataTable
            label="Attributes that differ"
            rows={rows}
            rowKey={({ field, value }) => `${field} ${value}`}
            columns={[
              ...ATTRIBUTE_COLUMNS,
              {
                id: 'variant',
                header: variant,
                width: 110,
                numeric: true,
                cell: ({ selected }) => formatPercent(selected),
              },
              {
                id: 'control',
                header: experiment.control,
                width: 110,
                numeric: true,
                cell: ({ rest }) => formatPercent(rest),
              },
            ]}
          />
          <p className="dim">The share of the requests with each value. Among many values, some differ by chance.</p>
        </>
      )}
    </section>
  );
}

function Code({ experiment, variant }: Arms) {
  const place = usePlace(experiment);
  const { flag, control } = experiment;
  const types = useQuery(fieldsQuery(place, { source: 'profiles', field: 'profile_type' }));
  const known = types.data?.values.map(({ value }) => value) ?? [];
  const type = known.find((value) => value.startsWith('cpu')) ?? known[0];
  const diff = useQuery({
    ...armsDiffQuery({ ...place, type: type ?? '', flag, variant, control }),
    enabled: type !== undefined,
    staleTime: 300_000,
  });
  const error = types.error ?? diff.error;
  if (error) return <ErrorState compact error={error} />;
  if (types.data === undefined || (type !== undefined && diff.data === undefined))
    return <Loading label="Comparing the profiles of both variants" />;
  if (diff.data === undefined || diff.data.nodes.length === 0)
    return (
      <section aria-label="Code">
        <h3>Code</h3>
        <span className="dim">
          There are no profiles of these requests. A profiler that supports traces adds the trace to each sample; then
          the code that each variant runs is compared here.
        </span>
      </section>
    );
  const { nodes, total, base_total: base, unit } = diff.data;
  const format = profileFormat(unit);
  return (
    <section aria-label="Code">
      <h3>Code</h3>
      <FlameGraph
        label={`Difference of ${type}: ${variant} ${format(total)}, ${control} ${format(base)}`}
        nodes={nodes}
        total={total}
        baseTotal={base}
        format={format}
        search=""
      />
      <p className="dim">
        {type}: {format(total)} in traces with {variant}, {format(base)} with {control}. Red takes a larger share with{' '}
        {variant}, blue a smaller one.
      </p>
    </section>
  );
}
