import { useNavigate, useSearch } from '@tanstack/react-router';
import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
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

/** The lines that the conditions find, as far as they are loaded, and the one that is open. */
function useList(conditions: readonly string[]) {
  const { log } = useSearch({ from: '/w/$ws/$project/logs' });
  const navigate = useNavigate();
  const logs = useLines(conditions);
  const recordsOf = useRecords();
  const rows = useMemo(() => (logs.data ? recordsOf(logs.data) : []), [logs.data, recordsOf]);
  const at = log === undefined ? -1 : rows.findIndex((row) => lineId(row) === log);
  // Only opening adds a history entry, so that Back leads to the page from which the first line was opened.
  const open = (id: string | undefined) =>
    void navigate({ to: '.', search: (old) => ({ ...old, log: id }), replace: id === undefined || log !== undefined });
  return { logs, rows, log, at, open };
}

/** The lines of a time range, newest first, with their volume over time. */
export function LogLines({
  conditions,
  actions,
  fields,
  wraps,
}: {
  conditions: readonly string[];
  actions: ValueActions;
  /** Fields that have a column. */
  fields: readonly string[];
  /** Whether rows show up to three lines of a message. */
  wraps: boolean;
}) {
  const volume = useVolume(conditions);
  const list = useList(conditions);
  const { logs, rows, log, open } = list;
  const mover = useRef<MoveSelection | null>(null);
  if (logs.isError && logs.data === undefined)
    return <ErrorState error={logs.error} onRetry={() => void logs.refetch()} />;
  if (logs.data === undefined)
    return (
      <>
        <Volume answer={volume} keepsRoom />
        <Skeleton height={listHeight(FULL_LIST, 330)} label="Searching the logs" />
      </>
    );
  const line = lineOf(logs.data, list.at);
  const close = () => open(undefined);
  return (
    <>
      <Volume answer={volume} keepsRoom={rows.length > 0} />
      <Docked
        panel={
          log === undefined ? null : line === null ? (
            <LineElsewhere id={log} actions={actions} onClose={close} />
          ) : (
            <LogPanel line={line} actions={actions} onClose={close} onMove={(by) => mover.current?.(by)} />
          )
        }
      >
        {rows.length === 0 ? (
          <EmptyWindow title="No log lines found">
            Remove a word, lower the severity, or widen the time range.
          </EmptyWindow>
        ) : (
          <>
            {logs.isFetchNextPageError && (
              <ErrorState compact error={logs.error} onRetry={() => void logs.fetchNextPage()} />
            )}
            <LineTable list={list} fields={fields} wraps={wraps} actions={actions} mover={mover} />
          </>
        )}
      </Docked>
    </>
  );
}

function useVolume(conditions: readonly string[]) {
  const { range } = useTimeRange();
  const window = resolveRange(range, Date.now());
  const bucket = bucketWidth((window?.to ?? 1) - (window?.from ?? 0));
  return useOql(volumeQuery(conditions, bucket.text), { keep: true });
}

/** How many lines there are over time. With `keepsRoom` the lines below do not move when the chart arrives. */
function Volume({ answer: { data, isPending }, keepsRoom }: { answer: ReturnType<typeof useOql>; keepsRoom: boolean }) {
  const scheme = useComputedColorScheme();
  const { zoomTo } = useTimeRange();
  const chart = useMemo(() => (data ? resultCharts(data.result, scheme)[0] : undefined), [data, scheme]);
  const bars = useMemo(() => chart?.series.toSorted((a, b) => severityRank(b.label) - severityRank(a.label)), [chart]);
  if (chart === undefined || bars === undefined || chart.times.length === 0)
    return keepsRoom && isPending ? <Skeleton height={148} label="Counting lines" /> : null;
  return (
    <Panel>
      <Chart
        label="Log lines over time"
        kind="stack"
        times={chart.times}
        series={bars}
        window={data?.window}
        height={88}
        totals
        onZoom={zoomTo}
      />
    </Panel>
  );
}

function LineTable({
  list: { logs, rows, log, at, open },
  fields,
  wraps,
  actions,
  mover,
}: {
  list: ReturnType<typeof useList>;
  fields: readonly string[];
  wraps: boolean;
  actions: ValueActions;
  mover: RefObject<MoveSelection | null>;
}) {
  const isNarrow = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const stripe = useSeverityStripe();
  const isTall = wraps || isNarrow;
  const columns = useMemo(
    () => logColumns({ isPhone: isNarrow, isDocked: log !== undefined, fields, wraps }),
    [isNarrow, log, fields, wraps],
  );
  return (
    <Panel
      title={
        logs.hasNextPage || logs.isCrowded ? `The newest ${countOf(rows.length, 'line')}` : countOf(rows.length, 'line')
      }
      actions={<OlderLines logs={logs} />}
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
            if (logs.hasNextPage && !logs.isFetchingNextPage && !logs.isFetchNextPageError) void logs.fetchNextPage();
          }}
          columns={columns}
        />
      </ValueArea>
    </Panel>
  );
}

/** Whether there are older lines, and how to get them. */
function OlderLines({ logs }: { logs: ReturnType<typeof useLines> }) {
  return (
    <span className="dim" role="status">
      {logs.isFetchingNextPage
        ? 'Loading older lines …'
        : logs.hasNextPage
          ? 'Scroll down for older lines'
          : logs.isCrowded && 'More lines have the same time as the last one: narrow the search to see them'}
    </span>
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
