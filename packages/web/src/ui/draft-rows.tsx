import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ActionIcon, Button, Stack } from './mantine.ts';

/** Rows of a form under a heading: each can be removed down to the last, and a button adds another. */
export function DraftRows<Row extends { readonly uid: string }>({
  title,
  one,
  className,
  rows,
  onChange,
  newRow,
  fields,
}: {
  title: string;
  /** What one row is: `step`. */
  one: string;
  className: string | undefined;
  rows: readonly Row[];
  onChange: (rows: Row[]) => void;
  newRow: () => Row;
  fields: (row: Row, index: number, edit: (change: Partial<Row>) => void) => ReactNode;
}) {
  return (
    <>
      <h3>{title}</h3>
      <Stack gap="xs" mt="xs">
        {rows.map((row, index) => (
          <div className={className} key={row.uid}>
            {fields(row, index, (change) =>
              onChange(rows.map((other) => (other.uid === row.uid ? { ...other, ...change } : other))),
            )}
            <ActionIcon
              aria-label={`Remove ${one} ${index + 1}`}
              disabled={rows.length === 1}
              onClick={() => onChange(rows.filter(({ uid }) => uid !== row.uid))}
            >
              <IconTrash size={15} stroke={1.6} />
            </ActionIcon>
          </div>
        ))}
      </Stack>
      <Button
        variant="subtle"
        size="xs"
        mt="xs"
        leftSection={<IconPlus size={14} />}
        onClick={() => onChange([...rows, newRow()])}
      >
        {`Add ${one}`}
      </Button>
    </>
  );
}
