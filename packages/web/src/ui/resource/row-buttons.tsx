import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { Column } from '../data-table.tsx';
import { ActionIcon } from '../mantine.ts';

interface RowButton {
  /** Names the row, such as `Delete the rule`. */
  label: string;
  onClick: () => void;
}

export function EditButton({ label, onClick }: RowButton) {
  return (
    <ActionIcon aria-label={label} onClick={onClick}>
      <IconPencil size={15} stroke={1.6} />
    </ActionIcon>
  );
}

export function DeleteButton({ label, onClick }: RowButton) {
  return (
    <ActionIcon aria-label={label} onClick={onClick}>
      <IconTrash size={15} stroke={1.6} />
    </ActionIcon>
  );
}

/** The last column of a table: edit and delete. `may` says which rows have these buttons. */
export function editAndDelete<Row extends { name: string }>(options: {
  may: (row: Row) => boolean;
  onEdit: (row: Row) => void;
  onDelete: (row: Row) => void;
}): Column<Row> {
  const { may, onEdit, onDelete } = options;
  return {
    width: 90,
    buttons: (row) =>
      may(row) && (
        <>
          <EditButton label={`Edit ${row.name}`} onClick={() => onEdit(row)} />
          <DeleteButton label={`Delete ${row.name}`} onClick={() => onDelete(row)} />
        </>
      ),
  };
}
