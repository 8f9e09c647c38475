import type { ReactNode } from 'react';
import { Button, Group } from '../mantine.ts';

/** Reads the next page of a list, while there is one. */
export function More({
  of: { hasNextPage, isFetchingNextPage, fetchNextPage },
  children,
}: {
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  /** The words on the button: `Show older entries`. */
  children: ReactNode;
}) {
  if (!hasNextPage) return null;
  return (
    <Group justify="center">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {children}
      </Button>
    </Group>
  );
}
