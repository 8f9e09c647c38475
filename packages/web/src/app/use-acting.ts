import { useState } from 'react';
import { toastError } from '../ui/toast.ts';

/** Runs the actions of buttons, shows their errors, and refreshes after each. `busy` is the action that runs. */
export function useActing<Name extends string>(refresh: () => Promise<unknown>) {
  const [busy, setBusy] = useState<Name | null>(null);
  const act = async (name: Name, work: () => Promise<unknown>) => {
    setBusy(name);
    try {
      await work();
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(null);
      await refresh();
    }
  };
  return { busy, act };
}
