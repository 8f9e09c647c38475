import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/mantine.ts';
import classes from './rows-fieldset.module.css';

const MOST_ROWS = 20;

/** Rows under a legend, with a button that adds one and what is wrong with them. */
export function RowsFieldset({
  legend,
  rows,
  add,
  onAdd,
  error,
  children,
}: {
  legend: string;
  /** How many there are. */
  rows: number;
  /** The words on the button. */
  add: string;
  onAdd: () => void;
  error: string | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset className={classes.rows}>
      <legend>{legend}</legend>
      {children}
      <div>
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} />}
          disabled={rows >= MOST_ROWS}
          onClick={onAdd}
        >
          {add}
        </Button>
      </div>
      {error !== undefined && (
        <div className={classes.problem} role="alert">
          {error}
        </div>
      )}
    </fieldset>
  );
}
