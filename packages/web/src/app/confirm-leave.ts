import { useBlocker } from '@tanstack/react-router';
import { useConfirm } from '../ui/confirm.tsx';

/**
 * Asks before somebody leaves a page with unsaved changes.
 * @param what the changes are to: `the segment`
 */
export function useConfirmLeave(isEdited: boolean, what: string): void {
  const confirm = useConfirm();
  useBlocker({
    shouldBlockFn: async () =>
      isEdited &&
      !(await confirm({
        title: 'Leave without saving?',
        body: `Your changes to ${what} will be lost.`,
        action: 'Leave',
        danger: true,
      })),
    enableBeforeUnload: () => isEdited,
  });
}
