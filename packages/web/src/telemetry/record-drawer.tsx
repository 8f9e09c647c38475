import { Drawer } from '../ui/mantine.ts';
import { AttributeTable } from './attribute-table.tsx';
import { formatCell, plainText, type ResultColumn } from './results.ts';

/** One row of a result with every value in full; maps are expanded. Null keeps it closed. */
export function RecordDrawer({
  columns,
  cells,
  onClose,
}: {
  columns: readonly ResultColumn[];
  cells: readonly unknown[] | null;
  onClose: () => void;
}) {
  return (
    <Drawer opened={cells !== null} onClose={onClose} position="right" size={560} title="Row">
      {cells && <AttributeTable label="Values of the row" attributes={recordEntries(columns, cells)} />}
    </Drawer>
  );
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
