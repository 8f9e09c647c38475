import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import type { Column } from '../../ui/data-table.tsx';
import { ActionIcon, Button } from '../../ui/mantine.ts';
import classes from './settings.module.css';

/** The main action of a settings page: creates a new item. */
export function NewButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus size={15} />} onClick={onClick}>
      {label}
    </Button>
  );
}

/** The last column of a settings table: edit and delete. `may` says which rows have these buttons. */
export function editAndDelete<Row extends { name: string }>(options: {
  may: (row: Row) => boolean;
  onEdit: (row: Row) => void;
  onDelete: (row: Row) => void;
}): Column<Row> {
  const { may, onEdit, onDelete } = options;
  return {
    id: 'actions',
    header: <span className="visually-hidden">Actions</span>,
    width: 90,
    cell: (row) =>
      may(row) && (
        <span className={classes.rowActions}>
          <ActionIcon aria-label={`Edit ${row.name}`} onClick={() => onEdit(row)}>
            <IconPencil size={15} stroke={1.6} />
          </ActionIcon>
          <ActionIcon aria-label={`Delete ${row.name}`} onClick={() => onDelete(row)}>
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        </span>
      ),
  };
}
