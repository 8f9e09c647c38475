import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { ConditionInput } from '../../telemetry/condition-input.tsx';
import { ConditionEditor } from '../../telemetry/editor/condition-editor.tsx';
import { ServiceFilter } from '../../telemetry/filter-bar.tsx';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords, resultCharts } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { WidenRange } from '../../telemetry/widen-range.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { DataTable, listHeight } from '../../ui/data-table.tsx';
import { countOf, formatDuration } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Group, SegmentedControl, useComputedColorScheme } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { HeatView } from './heat-view.tsx';
import { LIMIT, searchConditions, tracesQuery, volumeQuery } from './trace-search.ts';
import classes from './waterfall.module.css';

/** Finds traces by service, outcome, duration or any OQL condition on their spans. */
export function TracesPage() {
  const scope = useScope();
  const search = useSearch({ from: '/w/$ws/$project/traces' });
  const navigate = useNavigate();
  const scheme = useComputedColorScheme();
  const { range, zoomTo } = useTimeRange();
  const window = resolveRange(range, Date.now());
  const conditions = searchConditions(search);
  const heat = search.view === 'heat';
  const traces = useOql(heat ? null : tracesQuery(conditions), { limit: LIMIT, keep: true });
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0)).text;
  const volume = useOql(heat ? null : volumeQuery(conditions, bucket), { keep: true });
  const charts = useMemo(() => (volume.data ? resultCharts(volume.data.result, scheme) : []), [volume.data, scheme]);
  const rows = traces.data ? asRecords(traces.data.result) : [];
  const set = (next: Partial<typeof search>) => void navigate({ to: '.', search: (old) => ({ ...old, ...next }) });
  const more = traces.data?.truncated === true || rows.length === LIMIT;
  const longest = Math.max(1, ...rows.map((row) => Number(row.duration ?? 0)));

  return (
    <Page title="Traces" actions={<TelemetryControls />}>
      <Group gap="sm">
        <SegmentedControl
          aria-label="View"
          size="xs"
          value={search.view === 'heat' ? 'heat' : 'list'}
          onChange={(next) => set({ view: next === 'heat' ? 'heat' : undefined, box: undefined })}
          data={[
            { value: 'list', label: 'List' },
            { value: 'heat', label: 'Heat map' },
          ]}
        />
        <ServiceFilter value={search.service} onChange={(service) => set({ service })} />
        <SegmentedControl
          aria-label="Outcome"
          size="xs"
          value={search.status === 'error' ? 'error' : 'any'}
          onChange={(next) => set({ status: next === 'error' ? 'error' : undefined })}
          data={[
            { value: 'any', label: 'All' },
            { value: 'error', label: 'Errors' },
          ]}
        />
        <ConditionInput
          label="At least this long"
          placeholder="min. 100ms"
          width={130}
          value={search.min ?? ''}
          onChange={(min) => set({ min })}
        />
        <ConditionEditor
          label="Condition on spans in OQL"
          placeholder={'http.route == "/cart" and http.response.status_code >= 500'}
          source="spans"
          value={search.q ?? ''}
          onChange={(q) => set({ q })}
        />
      </Group>
      {heat ? (
        <HeatView conditions={conditions} />
      ) : traces.isError ? (
        <ErrorState error={traces.error} onRetry={() => void traces.refetch()} />
      ) : traces.isPending ? (
        <Loading label="Searching for traces" />
      ) : (
        <>
          {charts[0] && charts[0].times.length > 0 && (
            <Panel title="Matches over time">
              <Chart
                label="Matches over time"
                times={charts[0].times}
                series={charts[0].series}
                window={volume.data?.window}
                kind="bars"
                height={120}
                legend={false}
                onZoom={zoomTo}
              />
            </Panel>
          )}
          {rows.length === 0 ? (
            <EmptyState title="No traces found" action={<WidenRange />}>
              Remove a condition, or widen the time range.
            </EmptyState>
          ) : (
            <Panel
              title={more ? `The newest ${countOf(rows.length, 'trace')}` : countOf(rows.length, 'trace')}
              actions={more && <span className="dim">Narrow the search or the time range to see others</span>}
              tight
            >
              <DataTable
                label="Traces"
                rows={rows}
                rowKey={(row, index) => `${row.trace_id}-${index}`}
                onRowClick={(row) =>
                  void navigate({
                    to: '/w/$ws/$project/traces/$traceId',
                    params: { ...scope, traceId: String(row.trace_id) },
                  })
                }
                height={listHeight(rows.length, 400)}
                columns={[
                  {
                    id: 'time',
                    header: 'Started',
                    width: 200,
                    sortBy: (row) => String(row.time),
                    cell: (row) => <Timestamp value={String(row.time)} milliseconds recent />,
                  },
                  {
                    id: 'service',
                    header: 'Service',
                    width: 180,
                    sortBy: (row) => String(row['service.name']),
                    cell: (row) => <ServiceName name={String(row['service.name'] ?? '')} />,
                  },
                  {
                    id: 'name',
                    header: 'Operation',
                    cell: (row) => (
                      <AppLink
                        to="/w/$ws/$project/traces/$traceId"
                        params={{ ...scope, traceId: String(row.trace_id) }}
                      >
                        {String(row.name)}
                      </AppLink>
                    ),
                  },
                  {
                    id: 'status',
                    header: 'Status',
                    width: 90,
                    sortBy: (row) => String(row.status),
                    cell: (row) => (
                      <span className={row.status === 'error' ? classes.error : 'dim'}>{String(row.status)}</span>
                    ),
                  },
                  {
                    id: 'duration',
                    header: 'Duration',
                    numeric: true,
                    width: 100,
                    sortBy: (row) => Number(row.duration),
                    cell: (row) => formatDuration(Number(row.duration)),
                  },
                  {
                    id: 'bar',
                    header: <span className="visually-hidden">Duration compared with the longest</span>,
                    width: 160,
                    cell: (row) => (
                      <DurationBar share={Number(row.duration) / longest} error={row.status === 'error'} />
                    ),
                  },
                  {
                    id: 'trace',
                    header: 'Trace',
                    width: 110,
                    cell: (row) => (
                      <span className="mono dim" title={String(row.trace_id)}>
                        {String(row.trace_id).slice(0, 8)}…
                      </span>
                    ),
                  },
                ]}
              />
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

function DurationBar({ share, error }: { share: number; error: boolean }) {
  return (
    <span
      aria-hidden
      style={{
        display: 'block',
        height: 8,
        width: `${Math.max(1, share * 100)}%`,
        borderRadius: 2,
        background: error ? 'var(--f-error)' : 'var(--f-accent-fill)',
        opacity: 0.75,
      }}
    />
  );
}
