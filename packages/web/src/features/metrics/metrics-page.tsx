import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { fieldsQuery } from '../../telemetry/field-hints.ts';
import { ServiceFilter } from '../../telemetry/filter-bar.tsx';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords } from '../../telemetry/results.ts';
import { Group, Select } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { MetricChart } from './metric-chart.tsx';
import { AGGREGATIONS, aggregationsOf, attributesQuery, kindQuery, type MetricKind } from './metric-query.ts';

const NONE = '*';

/** One metric: its values over time, its attributes, and its exemplar traces. */
export function MetricsPage() {
  const search = useSearch({ from: '/w/$ws/$project/metrics' });
  const navigate = useNavigate();
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const [typed, setTyped] = useState('');
  const scope = { ws, project, environment, range };
  const first = useQuery(fieldsQuery(scope, { source: 'metrics', field: 'metric' }));
  // The fifty most frequent metrics are loaded first; typing searches all of them.
  const found = useQuery({
    ...fieldsQuery(scope, { source: 'metrics', field: 'metric', search: typed }),
    enabled: typed !== '' && typed !== search.metric,
  });
  const names = useMemo(() => {
    const all = [...(first.data?.values ?? []), ...(found.data?.values ?? [])].map(({ value }) => value);
    return [...new Set([...all, ...(search.metric === undefined ? [] : [search.metric])])].sort();
  }, [first.data, found.data, search.metric]);
  const metric = search.metric ?? first.data?.values[0]?.value;
  const set = (next: Partial<typeof search>) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) });
  const about = useOql(metric === undefined ? null : kindQuery(metric));
  const of = useMemo(() => kindOf(about.data ? asRecords(about.data.result)[0] : undefined), [about.data]);
  const offered = of ? aggregationsOf(of) : [];
  const aggregation = offered.find((one) => one === search.agg) ?? offered[0];

  return (
    <Page title="Metrics" actions={<TelemetryControls />}>
      <Group gap="sm" data-focus-search>
        <Select
          aria-label="Metric"
          placeholder="Pick a metric"
          w={340}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching metrics"
          value={metric ?? null}
          data={names}
          onSearchChange={setTyped}
          onChange={(next) => next !== null && set({ metric: next, agg: undefined, by: undefined })}
        />
        <Select
          aria-label="Aggregation"
          w={170}
          allowDeselect={false}
          disabled={offered.length === 0}
          value={aggregation ?? null}
          data={offered.map((value) => ({ value, label: AGGREGATIONS[value] }))}
          onChange={(next) => set({ agg: next === offered[0] || next === null ? undefined : next })}
        />
        <ServiceFilter value={search.service} onChange={(service) => set({ service })} />
        <GroupBy metric={metric} value={search.by} onChange={(by) => set({ by })} />
      </Group>
      {first.isError ? (
        <ErrorState error={first.error} onRetry={() => void first.refetch()} />
      ) : first.isPending ? (
        <Loading label="Looking for metrics" />
      ) : metric === undefined ? (
        <EmptyWindow title="No metrics in this window">
          Send metrics over OTLP or Prometheus remote write, or widen the time range.
        </EmptyWindow>
      ) : about.isError ? (
        <ErrorState error={about.error} onRetry={() => void about.refetch()} />
      ) : about.isPending ? (
        <Loading />
      ) : !of || !aggregation ? (
        <EmptyState title="No points in this window">Widen the time range, or pick another metric.</EmptyState>
      ) : (
        <MetricChart metric={metric} of={of} aggregation={aggregation} service={search.service} by={search.by} />
      )}
    </Page>
  );
}

function kindOf(row: Record<string, unknown> | undefined): MetricKind | undefined {
  return row && { kind: String(row.kind), unit: String(row.unit ?? ''), monotonic: row.monotonic === true };
}

function GroupBy({
  metric,
  value,
  onChange,
}: {
  metric: string | undefined;
  value: string | undefined;
  onChange: (by: string | undefined) => void;
}) {
  const sample = useOql(metric === undefined ? null : attributesQuery(metric));
  const names = useMemo(() => {
    const found = new Set<string>();
    for (const [attributes] of sample.data?.result.rows ?? []) {
      if (typeof attributes === 'object' && attributes !== null)
        for (const name of Object.keys(attributes)) found.add(name);
    }
    return ['service.name', ...[...found].sort()];
  }, [sample.data]);
  return (
    <Select
      aria-label="Group by"
      w={220}
      searchable
      allowDeselect={false}
      value={value ?? NONE}
      data={[
        { value: NONE, label: 'All series together' },
        ...[...new Set([...names, ...(value === undefined ? [] : [value])])].map((name) => ({
          value: name,
          label: `by ${name}`,
        })),
      ]}
      onChange={(next) => onChange(next === NONE || next === null ? undefined : next)}
    />
  );
}
