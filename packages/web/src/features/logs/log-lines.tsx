import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { useOql } from '../../telemetry/oql.ts';
import { recordEntries } from '../../telemetry/record-drawer.tsx';
import { asRecords, resultCharts } from '../../telemetry/results.ts';
import { severityRank } from '../../telemetry/severity.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { resolveRange } from '../../ui/time/time-range.ts';
import { LOG_COLUMNS, LogDrawer } from './log-detail.tsx';
import { LIMIT, logsQuery, volumeQuery } from './log-search.ts';

/** The lines of a window, newest first, with their volume over time. */
export function LogLines({ conditions }: { conditions: readonly string[] }) {
  const { log } = useSearch({ from: '/w/$ws/$project/logs' });
  const navigate = useNavigate();
  const scheme = useComputedColorScheme();
  const { range, zoomTo } = useTimeRange();
  const window = resolveRange(range, Date.now());
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
  const open = (index: string | undefined) => void navigate({ to: '.', search: (old) => ({ ...old, log: index }) });

  if (logs.isError) return <ErrorState error={logs.error} onRetry={() => void logs.refetch()} />;
  if (logs.isPending) return <Loading label="Searching the logs" />;
  const opened = log === undefined ? undefined : rows[Number(log)];
  return (
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
            onRowClick={(row) => open(String(rows.indexOf(row)))}
            selectedKey={log}
            height={Math.min(720, (rows.length + 1) * 32 + 2)}
            columns={LOG_COLUMNS}
          />
        </Panel>
      )}
      <LogDrawer
        onClose={() => open(undefined)}
        line={
          opened
            ? {
                row: opened,
                entries: recordEntries(logs.data.result.columns, logs.data.result.rows[Number(log)] ?? []),
              }
            : null
        }
      />
    </>
  );
}
