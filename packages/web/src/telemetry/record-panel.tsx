import { createContext, type ReactNode, useContext, useEffect, useId, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Docked, DockedPanel } from '../ui/docked-panel.tsx';
import { Panel } from '../ui/page.tsx';
import { useTimeZone } from '../ui/time/use-time-zone.ts';
import { AttributeTable } from './attribute-table.tsx';
import { formatCell, plainText, type ResultColumn } from './results.ts';
import type { ValueActions } from './value-actions.tsx';

/** Where rows of a result open, and what their values offer. */
export interface RecordView {
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
  view: { actions = {}, fieldOf = () => undefined },
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
  const dock = useShared(cells !== null, onClose);
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
  const panel = table && (
    <DockedPanel title="Row" onClose={onClose} onMove={onMove}>
      {table}
    </DockedPanel>
  );
  if (dock === undefined)
    return (
      <Docked panel={panel}>
        <Panel tight>{children}</Panel>
      </Docked>
    );
  return (
    <>
      {children}
      {panel && dock.slot && dock.isMine && createPortal(panel, dock.slot)}
    </>
  );
}

interface Dock {
  readonly slot: HTMLElement | null;
  /** The result whose row is shown. */
  readonly owner: string | null;
  readonly take: (owner: string) => void;
}
const DockContext = createContext<Dock | null>(null);

/** Docks the rows of all results within it to one panel beside them: opening a row of one closes that of another. */
export function RecordDock({ children }: { children: ReactNode }) {
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [owner, take] = useState<string | null>(null);
  const dock = useMemo(() => ({ slot, owner, take }), [slot, owner]);
  return (
    <DockContext value={dock}>
      <Docked panel={<div ref={setSlot} style={{ display: 'contents' }} />}>{children}</Docked>
    </DockContext>
  );
}

/** The dock that several results share; undefined if the result has a separate one. */
function useShared(isOpen: boolean, onClose: () => void) {
  const id = useId();
  const dock = useContext(DockContext);
  const { owner, take } = dock ?? {};
  const wasMine = useRef(false);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (isOpen) take?.(id);
  }, [isOpen, id, take]);
  useEffect(() => {
    if (wasMine.current && owner !== id) close.current();
    wasMine.current = owner === id;
  }, [owner, id]);
  return dock === null ? undefined : { slot: dock.slot, isMine: owner === id };
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
