import type { QueryKey } from '@tanstack/react-query';
import { type ConfirmRequest, useConfirm } from '../ui/confirm.tsx';
import { toastDone, toastError } from '../ui/toast.ts';
import { queryClient } from './query-client.ts';

interface Deletion extends Pick<ConfirmRequest, 'body' | 'action' | 'typed'> {
  name: string;
  remove: () => Promise<unknown>;
  /** Goes to another page: this one is of what is deleted. */
  leave: () => Promise<void>;
  queryKey: QueryKey;
  refresh: () => Promise<unknown>;
}

/** Deletes what a page shows, if the user confirms it, and leaves the page. */
export function useDelete() {
  const confirm = useConfirm();
  return async ({ name, remove, leave, queryKey, refresh, ...request }: Deletion) => {
    if (!(await confirm({ ...request, title: `Delete ${name}?`, danger: true }))) return;
    try {
      await remove();
    } catch (error) {
      toastError(error);
      return;
    }
    await leave();
    toastDone(`${name} is deleted`);
    queryClient.removeQueries({ queryKey });
    await refresh();
  };
}
