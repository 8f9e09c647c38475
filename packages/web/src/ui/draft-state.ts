import { createContext, use, useEffect, useId } from 'react';

/**
 * What an editor holds. While it is `saving`, a newer version may be its own; after `refused`, it says itself that somebody else
 * saved first.
 */
export type DraftState = 'untouched' | 'edited' | 'saving' | 'refused';

interface DraftPlace {
  /** @param form that reports: dialogs of the page do too */
  readonly report: (form: string, state: DraftState) => void;
  /** Replaces the draft with the document as it is saved now. */
  readonly take: () => void;
}

/** Around the editor of a document: see `DraftOf`. */
export const DraftContext = createContext<DraftPlace | null>(null);

/** Reports to the surrounding `DraftOf` whether an editor has unsaved changes. */
export function useDraftState(state: DraftState): void {
  const form = useId();
  const report = use(DraftContext)?.report;
  useEffect(() => {
    report?.(form, state);
    return () => report?.(form, 'untouched');
  }, [report, form, state]);
}

/** Null outside of `DraftOf`. */
export function useTakeSaved(): (() => void) | null {
  return use(DraftContext)?.take ?? null;
}
