import { ApiError, type Dashboard, type DashboardModel, replaceDashboard } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { queryClient } from '../../app/query-client.ts';
import { useDraftState, useTakeSaved } from '../../ui/draft-state.ts';
import { useHotkeys } from '../../ui/mantine.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { canRedo, canUndo, changed, currentOf, historyOf, modelOf, redone, undone } from './draft.ts';
import { dashboardQuery, keepDashboard, keepWarnings, warningsQuery } from './queries.ts';

/** A dashboard that is being edited. */
export interface Draft {
  readonly model: DashboardModel;
  readonly isDirty: boolean;
  readonly edit: (change: (model: DashboardModel) => DashboardModel) => void;
  /** Undefined: there is nothing to undo. */
  readonly undo: (() => void) | undefined;
  readonly redo: (() => void) | undefined;
  readonly discard: () => void;
  readonly save: () => Promise<void>;
  readonly saving: boolean;
  /** Somebody else saved since this dashboard was loaded. */
  readonly conflict: ApiError | null;
  /** What the saved dashboard will not show. */
  readonly warnings: readonly string[];
  /** Drops the changes for what is saved. */
  readonly reload: () => Promise<void>;
}

function useUndoKeys(isEditing: boolean, undo: () => void, redo: () => void): void {
  useHotkeys(
    isEditing
      ? [
          ['mod+Z', undo],
          ['mod+shift+Z', redo],
        ]
      : [],
  );
}

/** The changes to a dashboard until they are saved. Asks before they are lost. */
export function useDraft(ws: string, dashboard: Dashboard, isEditing: boolean): Draft {
  const [history, setHistory] = useState(() => historyOf(modelOf(dashboard)));
  const [conflict, setConflict] = useState<ApiError | null>(null);
  const [saving, setSaving] = useState(false);
  const take = useTakeSaved();
  const { data: warnings = [] } = useQuery(warningsQuery(dashboard.id));
  const model = currentOf(history);
  const isDirty = canUndo(history);
  useDraftState(saving ? 'saving' : conflict !== null ? 'refused' : isDirty ? 'edited' : 'untouched');
  const undo = () => setHistory(undone);
  const redo = () => setHistory(redone);
  useUndoKeys(isEditing, undo, redo);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      !saving &&
      current.pathname !== next.pathname &&
      !window.confirm('Leave without saving the dashboard?'),
    enableBeforeUnload: () => isDirty,
  });
  return {
    model,
    isDirty,
    edit: (change) => setHistory((old) => changed(old, change(currentOf(old)))),
    undo: isDirty ? undo : undefined,
    redo: canRedo(history) ? redo : undefined,
    discard: () => setHistory(historyOf(modelOf(dashboard))),
    save: async () => {
      setSaving(true);
      try {
        const { data, meta } = await call(replaceDashboard, {
          params: { ws, id: dashboard.id },
          body: { ...model, version: dashboard.version },
        });
        toastDone(data.version === dashboard.version ? 'Nothing changed' : `Saved as version ${data.version}`);
        keepWarnings(data.id, meta.warnings);
        await keepDashboard(ws, data);
        setHistory(historyOf(modelOf(data)));
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) setConflict(error);
        else toastError(error);
      }
      setSaving(false);
    },
    saving,
    conflict,
    warnings,
    reload: async () => {
      await queryClient.invalidateQueries({ queryKey: dashboardQuery(ws, dashboard.id).queryKey });
      setConflict(null);
      take?.();
    },
  };
}
