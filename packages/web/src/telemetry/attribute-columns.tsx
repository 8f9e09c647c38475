import type { Column } from '../ui/data-table.tsx';

/** The first columns of a table that compares attributes. */
export const ATTRIBUTE_COLUMNS: readonly Column<{ field: string; value: string }>[] = [
  { id: 'field', header: 'Attribute', width: 220, cell: ({ field }) => <span className="mono">{field}</span> },
  { id: 'value', header: 'Value', cell: ({ value }) => <span className="mono">{value}</span> },
];
