import { startCompletion } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import type { RefObject } from 'react';

/** What a plain field leaves to the editor that takes its place. */
export interface Typed {
  /** Absent if nobody changed it. */
  readonly text?: string;
  readonly hasFocus: boolean;
}

/** Takes the focus of the plain field, and completes what was typed there. */
export function takeOver(editor: EditorView, typed: RefObject<Typed | null> | undefined): void {
  if (typed?.current?.hasFocus) {
    editor.dispatch({ selection: { anchor: editor.state.doc.length } });
    editor.focus();
    if (typed.current.text !== undefined) startCompletion(editor);
  }
  if (typed) typed.current = null;
}
