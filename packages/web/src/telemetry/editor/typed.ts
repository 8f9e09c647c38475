import { startCompletion } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import type { RefObject } from 'react';

/** What a plain field leaves to the editor that takes its place. */
export interface Typed {
  readonly field: HTMLInputElement | HTMLTextAreaElement;
  /** Absent if nobody changed it. */
  readonly text?: string;
  readonly hasFocus: boolean;
}

/**
 * Takes the focus of the plain field, and completes what was typed there. Called in the layout effect that follows the removal of
 * the field: a key that is pressed in between would be lost.
 */
export function takeOver(editor: EditorView, typed: RefObject<Typed | null> | undefined): void {
  if (!typed?.current) return;
  const { field, text, hasFocus } = typed.current;
  typed.current = null;
  // A dialog that was opened from the field gives the focus back to it.
  field.focus = () => editor.focus();
  if (!hasFocus) return;
  const end = editor.state.doc.length;
  const within = (position: number | null) => Math.min(position ?? end, end);
  editor.dispatch({ selection: { anchor: within(field.selectionStart), head: within(field.selectionEnd) } });
  editor.focus();
  if (text !== undefined) startCompletion(editor);
}
