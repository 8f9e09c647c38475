import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { TelemetryControls } from '../../app/telemetry-controls.tsx';
import { useTimeRange } from '../../app/time-range.ts';
import { AttributeTable } from '../../telemetry/attribute-table.tsx';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { ConditionEditor } from '../../telemetry/editor/condition-editor.tsx';
import { ServiceFilter } from '../../telemetry/filter-bar.tsx';
import { useOql } from '../../telemetry/oql.ts';
import { recordEntries } from '../../telemetry/record-drawer.tsx';
import { asRecords, plainText, resultCharts } from '../../telemetry/results.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { severityRank } from '../../telemetry/severity.ts';
import { Severity } from '../../telemetry/severity-label.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Drawer, Group, Select, Stack, useComputedColorScheme } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { Timestamp } from '../../ui/timestamp.tsx';
import { LIMIT, logsQuery, SEVERITIES, searchConditions, volumeQuery } from './log-search.ts';

const ANY = '*';

/** Log lines, newest first, with their volume over time. */
export function LogsPage() {
  const search = useSearch({ from: '/w/$ws/$project/logs' });
  const navigate = useNavigate();
  const scheme = useComputedColorScheme();
  const { range, zoomTo } = useTimeRange();
  const window = resolveRange(range, Date.now());
  const conditions = searchConditions(search);
  const logs = useOql(logsQuery(conditions), { limit: LIMIT, keep: true });
  const volume = useOql(volumeQuery(conditions, bucketWidth((window?.to ?? 1) - (window?.from ?? 0)).text), {
    keep: true,
  });
  const chart = useMemo(
    () => (volume.data ? resultCharts(volume.data.result, scheme)[0] : undefined),
    [volume.data, scheme],
  );
  const bars = useMemo(() => chart?.series.toSorted((a, b) => severityRank(b.label) - severityRank(a.label)), [chart]);
  const rows = useMemo(() => (logs.data ? asRecords(logs.data.result) : []), [logs.data]);
  const opened = search.log === undefined ? undefined : rows[Number(search.log)];
  const set = (next: Partial<typeof search>) =>
    void navigate({ to: '.', search: (old) => ({ ...old, log: undefined, ...next }) });

  return (
    <Page title="Logs" actions={<TelemetryControls />}>
      <Group gap="sm" data-focus-search>
        <ServiceFilter value={search.service} onChange={(service) => set({ service })} />
        <Select
          aria-label="Severity"
          w={150}
          allowDeselect={false}
          value={search.severity ?? ANY}
          data={[
            { value: ANY, label: 'Any severity' },
            ...SEVERITIES.map((value) => ({ value, label: value === 'fatal' ? 'fatal' : `${value} and above` })),
          ]}
          onChange={(next) => set({ severity: next === ANY || next === null ? undefined : next })}
        />
        <ConditionEditor
          label="Words in the body, or a condition in OQL"
          placeholder={'payment timeout, or: order.id == "o-17"'}
          source="logs"
          value={search.q ?? ''}
          onChange={(q) => set({ q })}
        />
      </Group>
      {logs.isError ? (
        <ErrorState error={logs.error} onRetry={() => void logs.refetch()} />
      ) : logs.isPending ? (
        <Loading label="Searching the logs" />
      ) : (
        <>
          {chart && bars && chart.times.length > 0 && (
            <Panel title="Lines over time">
              <Chart
                label="Log lines over time"
                kind="stack"
                times={chart.times}
                series={bars}
                window={volume.data?.window}
                height={130}
                onZoom={zoomTo}
              />
            </Panel>
          )}
          {(logs.data.truncated || rows.length === LIMIT) && (
            <Notice kind="info">
              The newest {countOf(rows.length, 'line')} are listed; narrow the search or the time range for others.
            </Notice>
          )}
          {rows.length === 0 ? (
            <EmptyState title="No log lines found">
              Take a word out, lower the severity, or widen the time range.
            </EmptyState>
          ) : (
            <Panel tight>
              <DataTable
                label="Log lines"
                rows={rows}
                rowKey={(_, index) => String(index)}
                onRowClick={(row) => set({ log: String(rows.indexOf(row)) })}
                selectedKey={search.log}
                height={Math.min(720, (rows.length + 1) * 32 + 2)}
                columns={[
                  {
                    id: 'time',
                    header: 'Time',
                    width: 200,
                    cell: (row) => <Timestamp value={plainText(row.time)} milliseconds recent />,
                  },
                  { id: 'severity', header: 'Severity', width: 90, cell: (row) => <Severity value={row.severity} /> },
                  {
                    id: 'service',
                    header: 'Service',
                    width: 160,
                    cell: (row) => <ServiceName name={plainText(row['service.name'])} />,
                  },
                  { id: 'body', header: 'Body', cell: (row) => <Body row={row} /> },
                ]}
              />
            </Panel>
          )}
        </>
      )}
      <Drawer opened={opened !== undefined} onClose={() => set({})} position="right" size={600} title="Log line">
        {opened && logs.data && (
          <LogDetail
            row={opened}
            entries={recordEntries(logs.data.result.columns, logs.data.result.rows[Number(search.log)] ?? [])}
          />
        )}
      </Drawer>
    </Page>
  );
}

/** The body; what has none (an event) is told by its attributes. */
function Body({ row }: { row: Record<string, unknown> }) {
  if (typeof row.body === 'string' && row.body !== '') return <span className="mono">{row.body}</span>;
  const attributes =
    typeof row.attributes === 'object' && row.attributes !== null ? Object.entries(row.attributes) : [];
  return <span className="mono dim">{attributes.map(([key, value]) => `${key}=${plainText(value)}`).join(' ')}</span>;
}

function LogDetail({ row, entries }: { row: Record<string, unknown>; entries: [string, string][] }) {
  const scope = useScope();
  const traceId = typeof row.trace_id === 'string' ? row.trace_id : '';
  const span = typeof row.span_id === 'string' && row.span_id !== '' ? row.span_id : undefined;
  return (
    <Stack gap="md">
      <Group gap="md">
        <Severity value={row.severity} />
        <Timestamp value={plainText(row.time)} milliseconds />
        <ServiceName name={plainText(row['service.name'])} />
        {traceId !== '' && (
          <AppLink to="/w/$ws/$project/traces/$traceId" params={{ ...scope, traceId }} search={{ span }}>
            Open its trace
          </AppLink>
        )}
      </Group>
      <AttributeTable label="Fields of the line" attributes={entries} />
    </Stack>
  );
}
