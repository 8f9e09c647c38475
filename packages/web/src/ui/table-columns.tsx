import type { ReactNode, RefObject } from 'react';
import classes from './data-table.module.css';
import { formatNumber } from './format/index.ts';
import { Timestamp } from './timestamp.tsx';

interface ColumnBase {
  id: string;
  header: ReactNode;
  /** Width in pixels; required for all columns but one of a virtualized table. */
  width?: number;
}

export interface CellColumn<Row> extends ColumnBase {
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

export function cellColumn<Row>(column: Column<Row>): CellColumn<Row> {
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

/** A table as it is shown: its rows in order. */
export type Table<Row> = Omit<DataTableProps<Row>, 'columns'> & {
  columns: readonly CellColumn<Row>[];
  rowHeight: number;
};
