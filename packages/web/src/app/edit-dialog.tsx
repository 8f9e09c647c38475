import type { ReactNode } from 'react';
import { Modal } from '../ui/mantine.ts';
import { DraftOf } from './draft-of.tsx';

/** The row of a list that is changed, or `new` for one that is created; null while the dialog is closed. */
export type Edited<Row> = Row | 'new' | null;

interface Props<Row> {
  editing: Edited<Row>;
  /** What a row is: `channel`. */
  what: string;
  size?: number;
  onClose: () => void;
  /** The form; null if the row is new. */
  children: (row: Row | null) => ReactNode;
}

/** The dialog in which a row of a list is created or changed. */
export function EditDialog<Row>({ editing, what, size, onClose, children }: Props<Row>) {
  return (
    <Modal
      opened={editing !== null}
      onClose={onClose}
      title={`${editing === 'new' ? 'Create' : 'Edit'} ${what}`}
      {...(size !== undefined && { size })}
    >
      {editing !== null && children(editing === 'new' ? null : editing)}
    </Modal>
  );
}

/** The same for rows with versions: when somebody else saves the row meanwhile, the form says so, see `DraftOf`. */
export function EditSavedDialog<Row extends { readonly id: string; readonly version: number }>({
  rows = [],
  children,
  ...dialog
}: Props<Row> & {
  /** The list as it is saved now. */
  rows: readonly Row[] | undefined;
}) {
  return (
    <EditDialog {...dialog}>
      {(row) =>
        row === null ? (
          children(null)
        ) : (
          <DraftOf document={rows.find(({ id }) => id === row.id) ?? row}>{children}</DraftOf>
        )
      }
    </EditDialog>
  );
}
