import { type ReactNode, useRef } from 'react';
import { DataTable, type DataTableProps, type MoveSelection } from '../data-table.tsx';
import { Docked, DockedPanel } from '../docked-panel.tsx';
import { Panel } from '../page.tsx';

/** A table whose rows open in a docked panel. */
export function DockedTable<Row>({
  opened,
  onClose,
  children,
  ...table
}: Omit<DataTableProps<Row>, 'mover'> & {
  /** The panel of the open row. */
  opened: { readonly title: string; readonly detail: ReactNode } | undefined;
  onClose: () => void;
  /** Below the table. */
  children: ReactNode;
}) {
  const mover = useRef<MoveSelection | null>(null);
  return (
    <Docked
      panel={
        opened && (
          <DockedPanel title={opened.title} onClose={onClose} onMove={(by) => mover.current?.(by)}>
            {opened.detail}
          </DockedPanel>
        )
      }
    >
      <Panel tight>
        <DataTable {...table} mover={mover} />
      </Panel>
      {children}
    </Docked>
  );
}
