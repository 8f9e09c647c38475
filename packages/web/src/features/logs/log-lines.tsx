import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useTimeRange } from '../../app/time-range.ts';
import { bucketWidth } from '../../telemetry/bucket-width.ts';
import { EmptyWindow } from '../../telemetry/empty-window.tsx';
import { type Result, useOql } from '../../telemetry/oql.ts';
import { recordEntries } from '../../telemetry/record-panel.tsx';
import { asRecords, resultCharts } from '../../telemetry/results.ts';
import { severityRank } from '../../telemetry/severity.ts';
import { type ValueActions, ValueArea } from '../../telemetry/value-actions.tsx';
import { Chart } from '../../ui/chart/chart.tsx';
import { DataTable, denseListHeight, listHeight, type MoveSelection } from '../../ui/data-table.tsx';
import { Docked, DockedPanel } from '../../ui/docked-panel.tsx';
import { countOf } from '../../ui/format/index.ts';
import { useComputedColorScheme, useMediaQuery } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { PHONE } from '../../ui/screen.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { absoluteRange, DEFAULT_RANGE, resolveRange } from '../../ui/time/time-range.ts';
import { lineId, lineTime } from './line-id.ts';
import { type Line, LogPanel, logColumns, useSeverityStripe, WRAPPED_ROW } from './log-detail.tsx';
import { volumeQuery } from './log-search.ts';
import { useLines } from './use-lines.ts';

/** Rows of a list that is as tall as the window lets it be. */
const FULL_LIST = 1000;

/** The lines of a time range, newest first, with their volume over time. */
export function LogLines({
  conditions,
  actions,
  fields,
  wraps,
}: {
  conditions: readonly string[];
  actions: ValueActions;
  /** Fields with a column of their own. */
  fields: readonly string[];
  /** Whether rows show up to three lines of a message. */
  wraps: boolean;
}) {
  const { log } = useSearch({ from: '/w/$ws/$project/logs' });
  const navigate = useNavigate();
  const scheme = useComputedColorScheme();
  const { range, zoomTo } = useTimeRange();
  const window = resolveRange(range, Date.now());
  const isNarrow = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const stripe = useSeverityStripe();
  const isTall = wraps || isNarrow;
  const columns = useMemo(
    () => logColumns({ isPhone: isNarrow, isDocked: log !== undefined, fields, wraps }),
    [isNarrow, log, fields, wraps],
  );
  const logs = useLines(conditions);
  const volume = useOql(volumeQuery(conditions, bucketWidth((window?.to ?? 1) - (window?.from ?? 0)).text), {
    keep: true,
  });
  const chart = useMemo(
    () => (volume.data ? resultCharts(volume.data.result, scheme)[0] : undefined),
    [volume.data, scheme],
  );
  const bars = useMemo(() => chart?.series.toSorted((a, b) => severityRank(b.label) - severityRank(a.label)), [chart]);
  const result = logs.data;
  const recordsOf = useRecords();
  const rows = useMemo(() => (result ? recordsOf(result) : []), [result, recordsOf]);
  const mover = useRef<MoveSelection | null>(null);
  // Only opening adds a history entry, so that Back leads to the page from which the first line was opened.
  const open = (id: string | undefined) =>
    void navigate({ to: '.', search: (old) => ({ ...old, log: id }), replace: id === undefined || log !== undefined });

  if (logs.isError && result === undefined)
    return <ErrorState error={logs.error} onRetry={() => void logs.refetch()} />;
  const overTime = chart && bars && chart.times.length > 0 && (
    <Panel>
      <Chart
        label="Log lines over time"
        kind="stack"
        times={chart.times}
        series={bars}
        window={volume.data?.window}
        height={88}
        totals
        onZoom={zoomTo}
      />
    </Panel>
  );
  // The lines must not move when the chart arrives.
  const room = volume.isPending && <Skeleton height={148} label="Counting lines" />;
  if (result === undefined)
    return (
      <>
        {overTime || room}
        <Skeleton height={listHeight(FULL_LIST, 330)} label="Searching the logs" />
      </>
    );
  const at = log === undefined ? -1 : rows.findIndex((row) => lineId(row) === log);
  const line = lineOf(result, at);
  return (
    <>
      {overTime || (rows.length > 0 && room)}
      {rows.length === 0 ? (
        <Docked
          panel={log !== undefined && <LineElsewhere id={log} actions={actions} onClose={() => open(undefined)} />}
        >
          <EmptyWindow title="No log lines found">
            Remove a word, lower the severity, or widen the time range.
          </EmptyWindow>
        </Docked>
      ) : (
        <Docked
          panel={
            log === undefined ? null : line === null ? (
              <LineElsewhere id={log} actions={actions} onClose={() => open(undefined)} />
            ) : (
              <LogPanel
                line={line}
                actions={actions}
                onClose={() => open(undefined)}
                onMove={(by) => mover.current?.(by)}
              />
            )
          }
        >
          {logs.isFetchNextPageError && (
            <ErrorState compact error={logs.error} onRetry={() => void logs.fetchNextPage()} />
          )}
          <Panel
            title={
              logs.hasNextPage || logs.isCrowded
                ? `The newest ${countOf(rows.length, 'line')}`
                : countOf(rows.length, 'line')
            }
            actions={
              <span className="dim" role="status">
                {logs.isFetchingNextPage
                  ? 'Loading older lines …'
                  : logs.hasNextPage
                    ? 'Scroll down for older lines'
                    : logs.isCrowded && 'More lines have the same time as the last one: narrow the search to see them'}
              </span>
            }
            tight
          >
            <ValueArea actions={actions}>
              <DataTable
                label="Log lines"
                rows={rows}
                rowKey={(_, index) => String(index)}
                onRowClick={(row) => open(lineId(row))}
                selectedKey={at === -1 ? undefined : String(at)}
                height={isTall ? listHeight(rows.length, 330, WRAPPED_ROW) : denseListHeight(rows.length, 330)}
                {...(isTall && { rowHeight: WRAPPED_ROW })}
                dense
                stripe={stripe}
                mover={mover}
                onEnd={() => {
                  if (logs.hasNextPage && !logs.isFetchingNextPage && !logs.isFetchNextPageError)
                    void logs.fetchNextPage();
                }}
                columns={columns}
              />
            </ValueArea>
          </Panel>
        </Docked>
      )}
    </>
  );
}

/** `asRecords` that remembers the record of each row: a list that grows makes only those of its new rows. */
function useRecords(): (result: Result) => Record<string, unknown>[] {
  const [known] = useState(() => new WeakMap<Result['rows'][number], Record<string, unknown>>());
  return useCallback(
    ({ columns, rows }) => {
      const names = columns.map(({ name }) => name);
      return rows.map((row) => {
        const record = known.get(row) ?? Object.fromEntries(names.map((name, at) => [name, row[at]]));
        known.set(row, record);
        return record;
      });
    },
    [known],
  );
}

/** A linked line that is not in the list because the time range has moved on: it is queried separately. */
function LineElsewhere({ id, actions, onClose }: { id: string; actions: ValueActions; onClose: () => void }) {
  const time = lineTime(id);
  const answer = useOql(time === null ? null : 'logs | limit 1000', {
    range: time === null ? DEFAULT_RANGE : absoluteRange(time, time + 1),
  });
  if (time !== null && answer.isPending) return null;
  const at = answer.data ? asRecords(answer.data.result).findIndex((row) => lineId(row) === id) : -1;
  const line = answer.data ? lineOf(answer.data.result, at) : null;
  if (line !== null) return <LogPanel line={line} onClose={onClose} actions={actions} />;
  return (
    <DockedPanel title="Log line" onClose={onClose}>
      {answer.isError ? (
        <ErrorState compact error={answer.error} />
      ) : (
        <EmptyState compact title="This line no longer exists">
          It may be older than the project’s retention, or the link may belong to another environment.
        </EmptyState>
      )}
    </DockedPanel>
  );
}

function lineOf(result: Result, at: number): Line | null {
  const row = asRecords({ ...result, rows: result.rows.slice(at, at + 1) })[0];
  return at === -1 || row === undefined ? null : { row, entries: recordEntries(result.columns, result.rows[at] ?? []) };
}
