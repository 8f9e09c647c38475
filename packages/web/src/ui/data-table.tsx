import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import {
  type Dispatch,
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
import { useRoving } from './roving.ts';
import { useRowStops } from './row-stops.ts';
import { type CellColumn, cellColumn, type DataTableProps, type Table } from './table-columns.tsx';
import { TableRow } from './table-row.tsx';
import { useVirtualRows } from './virtual-rows.ts';

export type { Column, DataTableProps, MoveSelection } from './table-columns.tsx';

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
