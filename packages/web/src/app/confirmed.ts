import type { QueryKey } from '@tanstack/react-query';
import { type ConfirmRequest, useConfirm } from '../ui/confirm.tsx';
import { toastDone, toastError } from '../ui/toast.ts';
import { queryClient } from './query-client.ts';

interface Step {
  run: () => Promise<unknown>;
  /** Reads again what the page shows, whether the step succeeded or not. */
  refresh: () => Promise<unknown>;
  /** Goes to another page: this one is of what is deleted. */
  leave?: () => Promise<void>;
  /** Of what is deleted, so that it is not read again. */
  queryKey?: QueryKey;
}

/** Does something if the user confirms it, and reports how it ended. */
export function useConfirmed() {
  const confirm = useConfirm();
  return async ({
    run,
    refresh,
    leave,
    queryKey,
    done,
    ...request
  }: Step & ConfirmRequest & { /** The message afterwards. */ done: string }) => {
    if (!(await confirm(request))) return;
    try {
      await run();
      await leave?.();
      toastDone(done);
      if (queryKey !== undefined) queryClient.removeQueries({ queryKey });
    } catch (error) {
      toastError(error);
    }
    await refresh();
  };
}

/** Deletes something if the user confirms it. */
export function useDelete() {
  const confirmed = useConfirmed();
  return ({
    name,
    ...step
  }: Step &
    Omit<ConfirmRequest, 'title'> & { /** What is deleted: `checkout`, `the channel On call`. */ name: string }) =>
    confirmed({
      ...step,
      title: `Delete ${name}?`,
      done: `${name.replace(/^the /, 'The ')} is deleted`,
      danger: true,
    });
}
