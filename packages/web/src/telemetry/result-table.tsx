import { useMemo, useState } from 'react';
import { useScope } from '../app/session.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { formatExact } from '../ui/format/index.ts';
import { AppLink } from '../ui/link.tsx';
import { Timestamp } from '../ui/timestamp.tsx';
import type { Result } from './oql.ts';
import { RecordDrawer } from './record-drawer.tsx';
import { formatCell, isNumeric, type ResultColumn } from './results.ts';

interface Row {
  index: number;
  cells: readonly unknown[];
}

const ROW_HEIGHT = 32;
/** A taller table scrolls inside and renders only visible rows. */
const MAX_HEIGHT = 640;
const CHARACTER = 7.7;
/** Up to this total width one column takes the remaining space; wider tables scroll sideways. */
const ROOMY = 1000;

/** A query's rows as a dense table; a click opens a row with all its values in full. */
export function ResultTable({ result, label }: { result: Result; label: string }) {
  const [opened, setOpened] = useState<Row | null>(null);
  const rows = useMemo(() => result.rows.map((cells, index) => ({ index, cells })), [result.rows]);
  const columns = useMemo(() => tableColumns(result), [result]);
  const height = Math.min(MAX_HEIGHT, (rows.length + 1) * ROW_HEIGHT + 2);
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(row.index)}
        onRowClick={setOpened}
        selectedKey={opened ? String(opened.index) : undefined}
        height={height}
      />
      <RecordDrawer columns={result.columns} cells={opened?.cells ?? null} onClose={() => setOpened(null)} />
    </>
  );
}

function tableColumns(result: Result): Column<Row>[] {
  const widths = result.columns.map((column, index) => columnWidth(column, index, result.rows));
  const texts = widths.filter((_, index) => !isNumeric(result.columns[index]?.type ?? ''));
  const roomy = widths.reduce((sum, width) => sum + width, 0) < ROOMY;
  const elastic = roomy ? widths.indexOf(Math.max(...texts)) : -1;
  return result.columns.map((column, index) => ({
    id: `${index}-${column.name}`,
    header: column.name,
    numeric: isNumeric(column.type),
    ...(index !== elastic && { width: widths[index] ?? 120 }),
    sortBy: (row) => sortValue(row.cells[index], column.type),
    cell: (row) => <Cell column={column} value={row.cells[index]} />,
  }));
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

function Cell({ column, value }: { column: ResultColumn; value: unknown }) {
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
  const text = formatCell(value, column.type);
  if (column.name.endsWith('_id')) return <span className="mono">{text}</span>;
  const exact =
    isNumeric(column.type) && (typeof value === 'number' || typeof value === 'string') ? formatExact(value) : text;
  return <span title={exact}>{text}</span>;
}
