import { useMemo, useRef, useState } from 'react';
import { useScope } from '../app/session.ts';
import { type Column, DataTable, type MoveSelection } from '../ui/data-table.tsx';
import { formatExact } from '../ui/format/index.ts';
import { AppLink } from '../ui/link.tsx';
import { UnstyledButton } from '../ui/mantine.ts';
import { Timestamp } from '../ui/timestamp.tsx';
import type { Result } from './oql.ts';
import { isComparable, type RecordView, WithRecord } from './record-panel.tsx';
import classes from './result-table.module.css';
import { formatCell, isNumeric, plainText, type ResultColumn } from './results.ts';
import { ServiceName } from './service-name.tsx';
import { Value, type ValueActions, ValueArea } from './value-actions.tsx';

interface Row {
  index: number;
  cells: readonly unknown[];
}

const ROW_HEIGHT = 32;
/** A taller table scrolls inside and renders only visible rows. */
const MAX_HEIGHT = 640;
const CHARACTER = 7.7;

export interface ResultTableView extends RecordView {
  /** Columns that are shares of 1, shown as percentages. */
  ratios?: ReadonlySet<string> | undefined;
  /** Columns whose values are buttons that filter by them. */
  filtersOnClick?: boolean;
  /** Whether the column `match` says which rows are matches; the others are their context. */
  showsContext?: boolean;
}

const NO_VIEW: ResultTableView = {};

/**
 * A query's rows as a dense table, as wide as its content. A click on a row opens it with all its values in full. Numbers of a
 * column have bars if none is negative.
 */
export function ResultTable({
  result,
  label,
  view = NO_VIEW,
}: {
  result: Result;
  label: string;
  view?: ResultTableView;
}) {
  const [opened, setOpened] = useState<Row | null>(null);
  const mover = useRef<MoveSelection | null>(null);
  const rows = useMemo(() => result.rows.map((cells, index) => ({ index, cells })), [result.rows]);
  const columns = useMemo(() => tableColumns(result, view), [result, view]);
  const match = view.showsContext === true ? result.columns.findIndex(isMatch) : -1;
  const height = Math.min(MAX_HEIGHT, (rows.length + 1) * ROW_HEIGHT + 2);
  return (
    <WithRecord
      columns={result.columns}
      cells={opened?.cells ?? null}
      onClose={() => setOpened(null)}
      onMove={(by) => mover.current?.(by)}
      view={view}
    >
      <ValueArea actions={view.actions ?? NO_ACTIONS}>
        <DataTable
          label={label}
          columns={columns}
          rows={rows}
          rowKey={(row) => String(row.index)}
          onRowClick={setOpened}
          selectedKey={opened ? String(opened.index) : undefined}
          mover={mover}
          height={height}
          {...(match !== -1 && { emphasis: (row: Row) => (row.cells[match] === true ? 'marked' : 'muted') })}
          fit
        />
      </ValueArea>
    </WithRecord>
  );
}

const NO_ACTIONS: ValueActions = {};

const isMatch = ({ name, type }: ResultColumn) => name === 'match' && type === 'bool';

function tableColumns(result: Result, view: ResultTableView): Column<Row>[] {
  return result.columns.map((column, index) => {
    const type = column.type === 'float' && view.ratios?.has(column.name) ? 'ratio' : column.type;
    const largest = largestOf(result.rows, index, column.type);
    return {
      id: `${index}-${column.name}`,
      header: column.name,
      numeric: isNumeric(type),
      width: columnWidth({ ...column, type }, index, result.rows),
      sortBy: (row) => sortValue(row.cells[index], column.type),
      ...(largest !== undefined && { bar: (row) => Number(row.cells[index]) / largest }),
      cell: (row) => <Cell column={column} type={type} value={row.cells[index]} view={view} />,
    };
  });
}

/** The largest number of a column; undefined where bars would mean nothing. */
function largestOf(rows: Result['rows'], index: number, type: string): number | undefined {
  if (!isNumeric(type) || rows.length < 2) return undefined;
  let largest = 0;
  for (const row of rows) {
    const value = Number(row[index] ?? 0);
    if (value < 0) return undefined;
    if (Number.isFinite(value)) largest = Math.max(largest, value);
  }
  return largest > 0 ? largest : undefined;
}

/** Width in pixels for the header and the first rows, within limits. */
function columnWidth(column: ResultColumn, index: number, rows: readonly (readonly unknown[])[]): number {
  let longest = column.name.length;
  for (const row of rows.slice(0, 100)) longest = Math.max(longest, formatCell(row[index], column.type).length);
  return Math.round(Math.min(360, Math.max(64, longest * CHARACTER + 28)));
}

function sortValue(value: unknown, type: string): string | number | bigint {
  if (value === null || value === undefined) return isNumeric(type) ? Number.NEGATIVE_INFINITY : '';
  if (type === 'int' || type === 'duration' || type === 'bytes') {
    if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
    return Number(value);
  }
  return typeof value === 'number' ? value : formatCell(value, 'string');
}

function Cell({
  column,
  type,
  value,
  view,
}: {
  column: ResultColumn;
  /** How the value is shown. */
  type: string;
  value: unknown;
  view: ResultTableView;
}) {
  if (view.showsContext === true && isMatch(column)) return value === true ? 'match' : 'context';
  const field = isComparable(column) ? view.fieldOf?.(column.name) : undefined;
  const shown = <CellText column={{ ...column, type }} value={value} />;
  // Maps and lists are no values to compare with.
  if (field === undefined || (typeof value === 'object' && value !== null)) return shown;
  const picked = { field, value };
  const { filter } = view.actions ?? NO_ACTIONS;
  if (view.filtersOnClick !== true || filter === undefined) return <Value picked={picked}>{shown}</Value>;
  return (
    <Value picked={picked}>
      <UnstyledButton
        className={classes.pick}
        title={`Only ${field} ${plainText(value)}`}
        onClick={(event) => {
          event.stopPropagation();
          filter(picked, false);
        }}
      >
        {shown}
      </UnstyledButton>
    </Value>
  );
}

function CellText({ column, value }: { column: ResultColumn; value: unknown }) {
  const scope = useScope();
  if (value === null || value === undefined) return <span className="dim">–</span>;
  if (column.type === 'timestamp' && (typeof value === 'string' || typeof value === 'number'))
    return <Timestamp value={value} milliseconds />;
  const isTrace =
    (column.name === 'trace_id' || column.name.endsWith('.trace_id')) && typeof value === 'string' && value !== '';
  if (isTrace) {
    return (
      <AppLink
        className="mono"
        to="/w/$ws/$project/traces/$traceId"
        params={{ ...scope, traceId: value }}
        onClick={(event) => event.stopPropagation()}
      >
        {value}
      </AppLink>
    );
  }
  if (column.name === 'service.name' && typeof value === 'string') return <ServiceName name={value} />;
  const text = formatCell(value, column.type);
  if (column.name.endsWith('_id')) return <span className="mono">{text}</span>;
  const exact =
    isNumeric(column.type) && (typeof value === 'number' || typeof value === 'string') ? formatExact(value) : text;
  return <span title={exact}>{text}</span>;
}
