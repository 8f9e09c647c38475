import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { fieldsQuery } from '../../telemetry/field-hints.ts';
import { ServiceFilter } from '../../telemetry/filter-bar.tsx';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords } from '../../telemetry/results.ts';
import { AppLink } from '../../ui/link.tsx';
import { Group, Select, TextInput } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { LabelBreakdown } from './label-breakdown.tsx';
import { MetricChart } from './metric-chart.tsx';
import { AGGREGATIONS, aggregationsOf, attributesQuery, kindQuery, type MetricKind } from './metric-query.ts';
import { MetricsGrid } from './metrics-grid.tsx';

const NONE = '*';

/** All metrics as small charts; or one of them: its values over time, its labels, and its exemplar traces. */
export function MetricsPage() {
  const search = useSearch({ from: '/w/$ws/$project/metrics' });
  const navigate = useNavigate();
  const scope = useScope();
  const set = (next: Partial<typeof search>) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) });
  const { metric } = search;
  if (metric !== undefined)
    return (
      <Page
        title="Metrics"
        crumbs={
          <AppLink to="/w/$ws/$project/metrics" params={scope} search={{ prefix: search.prefix }}>
            All metrics
          </AppLink>
        }
        actions={<TelemetryControls />}
      >
        <OneMetric metric={metric} search={search} onChange={set} />
      </Page>
    );
  return (
    <Page title="Metrics" actions={<TelemetryControls />}>
      <TextInput
        aria-label="Search metrics"
        placeholder="Search metrics"
        data-focus-search
        w={340}
        maw="100%"
        value={search.q ?? ''}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ to: '.', search: (old) => ({ ...old, q: value }), replace: true })
        }
      />
      <MetricsGrid
        prefix={search.prefix}
        search={search.q ?? ''}
        onPrefix={(prefix) => set({ prefix })}
        onOpen={(next) => set({ metric: next, q: undefined })}
      />
    </Page>
  );
}

interface MetricSearch {
  agg?: string | undefined;
  by?: string | undefined;
  service?: string | undefined;
  metric?: string | undefined;
}

function OneMetric({
  metric,
  search,
  onChange,
}: {
  metric: string;
  search: MetricSearch;
  onChange: (next: MetricSearch) => void;
}) {
  const about = useOql(kindQuery(metric));
  const of = useMemo(() => kindOf(about.data ? asRecords(about.data.result)[0] : undefined), [about.data]);
  const offered = of ? aggregationsOf(of) : [];
  const aggregation = offered.find((one) => one === search.agg) ?? offered[0];
  const labels = useLabels(metric);
  return (
    <>
      <Group gap="sm" data-focus-search>
        <MetricSelect metric={metric} onPick={(next) => onChange({ metric: next, agg: undefined, by: undefined })} />
        <Select
          aria-label="Aggregation"
          w={170}
          disabled={offered.length === 0}
          value={aggregation ?? null}
          data={offered.map((value) => ({ value, label: AGGREGATIONS[value] }))}
          onChange={(next) => onChange({ agg: next === offered[0] || next === null ? undefined : next })}
        />
        <ServiceFilter value={search.service} onChange={(service) => onChange({ service })} />
        <GroupBy labels={labels} value={search.by} onChange={(by) => onChange({ by })} />
      </Group>
      <Loaded query={about}>
        {() =>
          !of || !aggregation ? (
            <EmptyState title="No points in this window">Widen the time range, or pick another metric.</EmptyState>
          ) : (
            <>
              <MetricChart metric={metric} of={of} aggregation={aggregation} service={search.service} by={search.by} />
              <LabelBreakdown
                metric={metric}
                of={of}
                aggregation={aggregation}
                service={search.service}
                labels={labels.filter((label) => label !== search.by)}
                onPick={(by) => onChange({ by })}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function MetricSelect({ metric, onPick }: { metric: string; onPick: (metric: string) => void }) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const [typed, setTyped] = useState('');
  const scope = { ws, project, environment, range };
  const first = useQuery(fieldsQuery(scope, { source: 'metrics', field: 'metric' }));
  // The fifty most frequent metrics are loaded first; typing searches all of them.
  const found = useQuery({
    ...fieldsQuery(scope, { source: 'metrics', field: 'metric', search: typed }),
    enabled: typed !== '' && typed !== metric,
  });
  const names = useMemo(() => {
    const all = [...(first.data?.values ?? []), ...(found.data?.values ?? [])].map(({ value }) => value);
    return [...new Set([...all, metric])].sort();
  }, [first.data, found.data, metric]);
  return (
    <Select
      aria-label="Metric"
      placeholder="Pick a metric"
      w={340}
      searchable
      nothingFoundMessage="No matching metrics"
      value={metric}
      data={names}
      onSearchChange={setTyped}
      onChange={(next) => next !== null && onPick(next)}
    />
  );
}

function kindOf(row: Record<string, unknown> | undefined): MetricKind | undefined {
  return row && { kind: String(row.kind), unit: String(row.unit ?? ''), monotonic: row.monotonic === true };
}

/** The labels of a metric: the service, and the attributes of its newest points. */
function useLabels(metric: string): readonly string[] {
  const sample = useOql(attributesQuery(metric));
  return useMemo(() => {
    const found = new Set<string>();
    for (const [attributes] of sample.data?.result.rows ?? []) {
      if (typeof attributes === 'object' && attributes !== null)
        for (const name of Object.keys(attributes)) found.add(name);
    }
    return ['service.name', ...[...found].sort()];
  }, [sample.data]);
}

function GroupBy({
  labels,
  value,
  onChange,
}: {
  labels: readonly string[];
  value: string | undefined;
  onChange: (by: string | undefined) => void;
}) {
  return (
    <Select
      aria-label="Group by"
      w={220}
      searchable
      value={value ?? NONE}
      data={[
        { value: NONE, label: 'All series together' },
        ...[...new Set([...labels, ...(value === undefined ? [] : [value])])].map((name) => ({
          value: name,
          label: `by ${name}`,
        })),
      ]}
      onChange={(next) => onChange(next === NONE || next === null ? undefined : next)}
    />
  );
}
