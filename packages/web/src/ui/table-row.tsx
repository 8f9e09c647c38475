import type { KeyboardEvent } from 'react';
import classes from './data-table.module.css';
import { moveInTable } from './row-stops.ts';
import type { DataTableProps, Table } from './table-columns.tsx';

export function TableRow<Row>({
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
