import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Button } from '../mantine.ts';

/** The button of a list that opens the dialog in which an item is created. */
export function CreateButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button leftSection={<IconPlus size={15} />} onClick={onClick}>
      {children}
    </Button>
  );
}
