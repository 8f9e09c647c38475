import { DataTable } from '../ui/data-table.tsx';
import { formatPercent } from '../ui/format/index.ts';
import { ATTRIBUTE_COLUMNS } from './attribute-columns.tsx';

interface FailingAttribute {
  readonly field: string;
  readonly value: string;
  /** Shares of the rows that have the value. */
  readonly failing: number;
  readonly others: number;
}

/** The attributes that are more frequent among failing rows. */
export function FailingAttributes({ rows }: { rows: readonly FailingAttribute[] }) {
  if (rows.length === 0) return <span className="dim">No attribute is more frequent among the failing rows.</span>;
  return (
    <DataTable
      label="Attributes of failing rows"
      rows={rows}
      rowKey={({ field, value }) => `${field} ${value}`}
      columns={[
        ...ATTRIBUTE_COLUMNS,
        {
          id: 'failing',
          header: 'Failing rows',
          width: 110,
          numeric: true,
          cell: ({ failing }) => formatPercent(failing),
        },
        { id: 'others', header: 'Others', width: 90, numeric: true, cell: ({ others }) => formatPercent(others) },
      ]}
    />
  );
}
