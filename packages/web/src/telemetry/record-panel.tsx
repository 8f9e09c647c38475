import type { ReactNode } from 'react';
import { Docked, DockedPanel } from '../ui/docked-panel.tsx';
import { Drawer } from '../ui/mantine.ts';
import { Panel } from '../ui/page.tsx';
import { useTimeZone } from '../ui/time/use-time-zone.ts';
import { AttributeTable } from './attribute-table.tsx';
import { formatCell, plainText, type ResultColumn } from './results.ts';
import type { ValueActions } from './value-actions.tsx';

/** Where rows of a result open, and what their values offer. */
export interface RecordView {
  /** Opens rows in a panel beside the result, instead of a drawer over the page. */
  docked?: boolean;
  actions?: ValueActions;
  /** The field of OQL that a column, or an entry of its map, shows. Others have no actions but copying. */
  fieldOf?: (name: string) => string | undefined;
}

/** The rows of a result, with the opened one in full: every value, maps expanded. */
export function WithRecord({
  columns,
  cells,
  onClose,
  onMove,
  view: { docked = false, actions = {}, fieldOf = () => undefined },
  children,
}: {
  columns: readonly ResultColumn[];
  /** Null while no row is open. */
  cells: readonly unknown[] | null;
  onClose: () => void;
  onMove: (by: 1 | -1) => void;
  view: RecordView;
  children: ReactNode;
}) {
  useTimeZone();
  const { filter, groupBy } = actions;
  const table = cells && (
    <AttributeTable
      label="Values of the row"
      attributes={recordEntries(columns, cells)}
      isField={(name) => fieldOf(name) !== undefined && isComparable(columns.find((column) => column.name === name))}
      onFilter={
        filter &&
        ((name, exclude) => filter({ field: fieldOf(name) ?? name, value: cellOf(columns, cells, name) }, exclude))
      }
      onGroupBy={groupBy && ((name) => groupBy(fieldOf(name) ?? name))}
    />
  );
  if (docked)
    return (
      <Docked
        panel={
          table && (
            <DockedPanel title="Row" onClose={onClose} onMove={onMove}>
              {table}
            </DockedPanel>
          )
        }
      >
        <Panel tight>{children}</Panel>
      </Docked>
    );
  return (
    <>
      {children}
      <Drawer opened={cells !== null} onClose={onClose} position="right" size={560} title="Row">
        {table}
      </Drawer>
    </>
  );
}

/** Whether people look for equal values of a column: not for equal times, durations or sums. */
export function isComparable(column: ResultColumn | undefined): boolean {
  return column === undefined || !['timestamp', 'duration', 'bytes', 'float'].includes(column.type);
}

/** The cells of a row by name; entries of a map are listed under their own names. */
export function recordEntries(columns: readonly ResultColumn[], cells: readonly unknown[]): [string, string][] {
  const entries: [string, string][] = [];
  columns.forEach((column, index) => {
    const value = cells[index];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) entries.push([`${column.name}.${key}`, plainText(inner)]);
    } else {
      const exact = column.type === 'timestamp' || column.type === 'duration';
      entries.push([column.name, exact ? formatCell(value, column.type) : plainText(value)]);
    }
  });
  return entries;
}

/** The value behind an entry, as the store returned it. */
function cellOf(columns: readonly ResultColumn[], cells: readonly unknown[], name: string): unknown {
  const own = columns.findIndex((column) => column.name === name);
  if (own !== -1) return cells[own];
  for (const [index, column] of columns.entries()) {
    const map = cells[index];
    if (!name.startsWith(`${column.name}.`) || typeof map !== 'object' || map === null) continue;
    return Object.entries(map).find(([key]) => key === name.slice(column.name.length + 1))?.[1];
  }
  return undefined;
}
