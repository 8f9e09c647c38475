import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import {
  type Dispatch,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type SetStateAction,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import classes from './data-table.module.css';
import { formatNumber } from './format/index.ts';
import { useRoving } from './roving.ts';
import { moveInTable, useRowStops } from './row-stops.ts';
import { Timestamp } from './timestamp.tsx';
import { useVirtualRows } from './virtual-rows.ts';

interface ColumnBase {
  id: string;
  header: ReactNode;
  /** Width in pixels; required for all columns but one of a virtualized table. */
  width?: number;
}

interface CellColumn<Row> extends ColumnBase {
  cell: (row: Row) => ReactNode;
  /** Right-aligned, tabular. */
  numeric?: boolean;
  /** Adds a sort button to the column. */
  sortBy?: (row: Row) => string | number | bigint;
  /** Draws a bar behind the cell, as a share of its width from 0 to 1. */
  bar?: (row: Row) => number | undefined;
}

/** How long ago something happened, and what stands there if it has not. The table can be sorted by it. */
interface TimeColumn<Row> extends ColumnBase {
  ago: (row: Row) => string | null | undefined;
  never?: string;
}

/** A number by which the table can be sorted. */
interface NumberColumn<Row> extends ColumnBase {
  number: (row: Row) => number;
  format?: (value: number) => ReactNode;
}

/** Buttons at the end of a row. */
interface ButtonColumn<Row> extends Pick<ColumnBase, 'width'> {
  buttons: (row: Row) => ReactNode;
}

export type Column<Row> = CellColumn<Row> | TimeColumn<Row> | NumberColumn<Row> | ButtonColumn<Row>;

function cellColumn<Row>(column: Column<Row>): CellColumn<Row> {
  if ('ago' in column) {
    const { ago, never = '–', ...base } = column;
    const cell = (row: Row) => {
      const at = ago(row);
      return at ? <Timestamp value={at} ago /> : <span className="dim">{never}</span>;
    };
    return { ...base, cell, sortBy: (row) => ago(row) ?? '' };
  }
  if ('number' in column) {
    const { number, format = formatNumber, ...base } = column;
    return { ...base, numeric: true, cell: (row) => format(number(row)), sortBy: number };
  }
  if ('buttons' in column) {
    const { buttons, ...base } = column;
    return {
      ...base,
      id: 'actions',
      header: <span className="visually-hidden">Actions</span>,
      cell: (row) => <span className={classes.buttons}>{buttons(row)}</span>,
    };
  }
  return column;
}

/** Opens the row after (1) or before (-1) the selected one, in the order of the table. */
export type MoveSelection = (by: 1 | -1) => void;

export interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  onRowClick?: (row: Row) => void;
  /** Called with the row under the pointer, and with undefined when the pointer leaves it. */
  onRowHover?: (row: Row | undefined) => void;
  /** What a key does while a row that can be clicked has the focus: `{ s: silence }`. */
  rowShortcuts?: Readonly<Record<string, (row: Row) => void>>;
  selectedKey?: string | undefined;
  /** Fixed height in pixels (or any CSS length): the table scrolls inside and renders only visible rows. */
  height?: number | string;
  /** 22 px rows for lists in which people look for one line among hundreds. */
  dense?: boolean;
  /** Height in pixels of the rows of a table that scrolls inside, whose cells then wrap; by default one line. */
  rowHeight?: number;
  /** The color of a 3 px stripe at the start of a row. */
  stripe?: (row: Row) => string | undefined;
  /** Rows that stand out, and those around them. */
  emphasis?: (row: Row) => 'marked' | 'muted' | undefined;
  /** Called while the last rows of a table that scrolls inside are in view: at first, and with each new function. */
  onEnd?: () => void;
  /** Columns are as wide as their content, so that numbers stand beside their names; the rest of the width stays empty. */
  fit?: boolean;
  /**
   * Gets the function that moves the selection, for a panel that shows the selected row. While a row is selected, the arrow
   * keys also open the row that they move to.
   */
  mover?: RefObject<MoveSelection | null>;
  /** Whether a table that scrolls inside shows the same rows again when somebody comes back to this address. */
  keepsPosition?: boolean;
}

const ROW_HEIGHT = 32;
const DENSE_ROW_HEIGHT = 22;

/**
 * The height of a table that scrolls inside: that of its rows, limited by the window minus the space `above` it
 * (pixels), so that only one thing scrolls.
 */
export function listHeight(rows: number, above: number, rowHeight = ROW_HEIGHT): string {
  return `min(${rows * rowHeight + ROW_HEIGHT + 2}px, max(360px, calc(100dvh - ${above}px)))`;
}

/** The same for a dense table. */
export function denseListHeight(rows: number, above: number): string {
  return listHeight(rows, above, DENSE_ROW_HEIGHT);
}

type Sort = { readonly id: string; readonly descending: boolean } | null;

/** The table of every list: 32 px rows, sticky header, sorting by header, rows that open by click or Enter. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns: given, rows, rowKey, selectedKey, height, dense = false, fit = false, onEnd } = props;
  const { rowHeight = dense ? DENSE_ROW_HEIGHT : ROW_HEIGHT } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  useKeptPosition(scroller, props.keepsPosition ? label : undefined, rows.length > 0);
  const columns = useMemo(() => given.map(cellColumn), [given]);
  const [focused, setFocused] = useState<string>();
  const [sort, setSort] = useState<Sort>(null);
  const sorted = useMemo(() => sortRows(rows, columns, sort), [rows, columns, sort]);
  const virtual = height !== undefined;
  const view = useVirtualRows(scroller, sorted.length, rowHeight, ROW_HEIGHT);
  const { start, end, before, after } = virtual ? view : { start: 0, end: sorted.length, before: 0, after: 0 };
  const isAtEnd = virtual && sorted.length > 0 && end === sorted.length;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  const table = { ...props, columns, rows: sorted, rowHeight };
  useMover(table, scroller);
  // One row is in the tab order: that which had the focus, else the selected one, else the first.
  const rendered = sorted.slice(start, end).map((row, i) => rowKey(row, start + i));
  const stop = [focused, selectedKey, rendered[0]].find((key) => key !== undefined && rendered.includes(key));
  useRowStops(body);
  const span = columns.length + (fit ? 1 : 0);
  return (
    <div
      ref={scroller}
      className={classes.scroll}
      style={virtual ? { height } : undefined}
      {...(virtual && { tabIndex: 0, role: 'group', 'aria-label': label })}
    >
      <table
        className={`${classes.table} ${virtual ? `${classes.fixed} ${classes.nowrap}` : classes.cards} ${dense ? classes.dense : ''} ${fit ? classes.fit : ''}`}
        aria-label={label}
        aria-rowcount={sorted.length + 1}
        style={virtual ? { minWidth: leastWidth(columns) } : undefined}
      >
        <Widths {...table} />
        <Head columns={columns} sort={sort} onSort={setSort} fit={fit} />
        <tbody ref={body}>
          {before > 0 && <Spacer height={before} span={span} />}
          {sorted.slice(start, end).map((row, i) => {
            const key = rowKey(row, start + i);
            const onFocus = () => setFocused(key);
            const place = { index: start + i, id: key, isStop: key === stop };
            return <TableRow key={key} table={table} row={row} {...place} onFocus={onFocus} />;
          })}
          {after > 0 && <Spacer height={after} span={span} />}
        </tbody>
      </table>
    </div>
  );
}

/** A table as it is shown: its rows in order. */
type Table<Row> = Omit<DataTableProps<Row>, 'columns'> & { columns: readonly CellColumn<Row>[]; rowHeight: number };

function useMover<Row>(
  { mover, rows, rowKey, selectedKey, onRowClick, rowHeight }: Table<Row>,
  scroller: RefObject<HTMLElement | null>,
): void {
  useImperativeHandle(mover, () => (by) => {
    const at = rows.findIndex((row, index) => rowKey(row, index) === selectedKey);
    const row = at === -1 ? undefined : rows[at + by];
    if (row === undefined || !onRowClick) return;
    if (scroller.current) bringIntoView(scroller.current, (at + by) * rowHeight, rowHeight);
    onRowClick(row);
  });
}

function Widths<Row>({ columns, fit, height }: Pick<Table<Row>, 'columns' | 'fit' | 'height'>) {
  return (
    <colgroup>
      {columns.map(({ id, width }) => (
        <col key={id} style={width === undefined ? undefined : { width }} />
      ))}
      {fit && <col style={height === undefined ? { width: '100%' } : undefined} />}
    </colgroup>
  );
}

/** The headers, of which those of sortable columns are buttons. */
function Head<Row>({
  columns,
  sort,
  onSort,
  fit,
}: Pick<Table<Row>, 'columns'> & { sort: Sort; onSort: Dispatch<SetStateAction<Sort>>; fit: boolean }) {
  const sortable = columns.filter(({ sortBy }) => sortBy !== undefined).map(({ id }) => id);
  const headers = useRoving(sortable, 'horizontal');
  const toggle = ({ id, numeric }: CellColumn<Row>) =>
    onSort((old) => ({ id, descending: old?.id === id ? !old.descending : numeric === true }));
  return (
    <thead>
      <tr {...headers.group}>
        {columns.map((column) => {
          const active = sort?.id === column.id;
          return (
            <th
              key={column.id}
              scope="col"
              className={column.numeric ? classes.number : undefined}
              {...(active && { 'aria-sort': sort.descending ? 'descending' : 'ascending' })}
            >
              {column.sortBy ? (
                <button
                  type="button"
                  className={classes.sort}
                  {...headers.item(column.id)}
                  data-active={active || undefined}
                  onClick={() => toggle(column)}
                >
                  {column.header}
                  {active && (sort.descending ? <IconChevronDown size={13} /> : <IconChevronUp size={13} />)}
                </button>
              ) : (
                column.header
              )}
            </th>
          );
        })}
        {fit && <td aria-hidden className={classes.filler} />}
      </tr>
    </thead>
  );
}

function TableRow<Row>({
  table,
  row,
  index,
  id,
  isStop,
  onFocus,
}: {
  table: Table<Row>;
  row: Row;
  /** Its place among all rows. */
  index: number;
  id: string;
  /** It is the row in the tab order. */
  isStop: boolean;
  onFocus: () => void;
}) {
  const { columns, rows, onRowClick, onRowHover, selectedKey, mover, height, fit } = table;
  const virtual = height !== undefined;
  const colour = table.stripe?.(row);
  return (
    <tr
      className={`${classes.row} ${onRowClick ? classes.clickable : ''}`}
      data-selected={id === selectedKey || undefined}
      data-stop={isStop ? '' : undefined}
      data-emphasis={table.emphasis?.(row)}
      style={{
        ...(colour !== undefined && { boxShadow: `inset 3px 0 ${colour}` }),
        ...(virtual && { height: table.rowHeight }),
      }}
      aria-rowindex={virtual ? index + 2 : undefined}
      {...(onRowHover && { onPointerEnter: () => onRowHover(row), onPointerLeave: () => onRowHover(undefined) })}
      onFocus={onFocus}
      onKeyDown={(event) => {
        if (onRowClick && event.target === event.currentTarget) onRowKey(event, row, onRowClick, table.rowShortcuts);
        const moved = moveInTable(event);
        const next = moved ? rows[index + moved] : undefined;
        if (mover !== undefined && selectedKey !== undefined && next !== undefined) onRowClick?.(next);
      }}
      {...(onRowClick && { tabIndex: isStop ? 0 : -1, onClick: () => onRowClick(row) })}
    >
      {columns.map((column) => (
        <td
          key={column.id}
          className={column.numeric ? classes.number : undefined}
          data-label={typeof column.header === 'string' ? column.header : undefined}
        >
          {column.bar && <Bar share={column.bar(row)} />}
          {column.cell(row)}
        </td>
      ))}
      {fit && <td />}
    </tr>
  );
}

/** A bar along the lower edge of a cell. */
function Bar({ share }: { share: number | undefined }) {
  if (share === undefined || !(share > 0)) return null;
  return <span aria-hidden className={classes.bar} style={{ width: `calc((100% - 24px) * ${Math.min(1, share)})` }} />;
}

/** Scrolls a table inside until a row is below the sticky header and above the lower edge. Pixels. */
function bringIntoView(scroller: HTMLElement, top: number, rowHeight: number): void {
  const room = scroller.clientHeight - ROW_HEIGHT - rowHeight;
  if (scroller.scrollTop > top) scroller.scrollTop = top;
  else if (scroller.scrollTop < top - room) scroller.scrollTop = top - room;
}

/** How far tables were scrolled, by address and label; for as long as the application is open. */
const positions = new Map<string, number>();

function useKeptPosition(element: RefObject<HTMLElement | null>, label: string | undefined, hasRows: boolean): void {
  useLayoutEffect(() => {
    const target = element.current;
    if (label === undefined || target === null || !hasRows) return;
    const key = `${window.location.pathname}${window.location.search} ${label}`;
    target.scrollTop = positions.get(key) ?? 0;
    const remember = () => positions.set(key, target.scrollTop);
    target.addEventListener('scroll', remember, { passive: true });
    return () => target.removeEventListener('scroll', remember);
  }, [element, label, hasRows]);
}

/** Below this width in pixels the flexible column would be invisible, so the table scrolls sideways. */
const ELASTIC = 220;

function leastWidth(columns: readonly { width?: number }[]): number {
  return columns.reduce((sum, { width = ELASTIC }) => sum + width, 0);
}

function Spacer({ height, span }: { height: number; span: number }) {
  return (
    <tr aria-hidden className={classes.spacer}>
      <td colSpan={span} style={{ height }} />
    </tr>
  );
}

/** Enter opens a row, and other keys do what the table has for them. */
function onRowKey<Row>(
  event: KeyboardEvent<HTMLTableRowElement>,
  row: Row,
  open: (row: Row) => void,
  shortcuts: DataTableProps<Row>['rowShortcuts'] = {},
): void {
  const shortcut = event.ctrlKey || event.metaKey || event.altKey ? undefined : shortcuts[event.key];
  if (event.key === 'Enter') {
    event.preventDefault();
    open(row);
  } else if (shortcut !== undefined) {
    // The same key may do something for the page; and a field that gets the focus must not get the key.
    event.preventDefault();
    event.stopPropagation();
    shortcut(row);
  }
}

function sortRows<Row>(rows: readonly Row[], columns: readonly CellColumn<Row>[], sort: Sort): readonly Row[] {
  const by = columns.find((column) => column.id === sort?.id)?.sortBy;
  if (!by || !sort) return rows;
  const direction = sort.descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)];
    if (typeof x === 'string' && typeof y === 'string')
      return direction * x.localeCompare(y, undefined, { numeric: true });
    return direction * (x < y ? -1 : x > y ? 1 : 0);
  });
}
