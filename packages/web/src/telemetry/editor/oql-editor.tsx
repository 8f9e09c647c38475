import { closeCompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { closeHoverTooltips, drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import { oql } from '@fanion/oql/editor';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { styleNonce } from '../../ui/nonce.ts';
import type { FieldHints } from '../field-hints.ts';
import { colours, look } from './look.ts';
import { type Typed, takeOver } from './typed.ts';

export interface OqlEditorProps {
  /** What it is, for screen readers, where a page has several. */
  label?: string;
  /** A query of the kind that it takes, shown while it is empty. */
  example?: string;
  value: string;
  onChange: (value: string) => void;
  onRun: () => void;
  /** Known fields and values, for completion. */
  hints: FieldHints;
  /** What was typed before the editor was there. */
  typed?: RefObject<Typed | null>;
}

/** The OQL editor: highlighting, completion, diagnostics in place, ⌘/Ctrl-Enter to run. */
export function OqlEditor({
  label = 'OQL query',
  example = 'spans | where duration > 100ms | stats n=count() by service.name',
  value,
  onChange,
  onRun,
  hints,
  typed,
}: OqlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // The editor outlives renders, so it reads its current callbacks here.
  const current = useRef({ value, onChange, onRun, hints });
  current.current = { value, onChange, onRun, hints };

  useLayoutEffect(() => {
    if (!host.current) return;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({ doc: current.current.value, extensions: extensions({ label, example }, current) }),
    });
    view.current = editor;
    takeOver(editor, typed);
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [label, example, typed]);

  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={host} data-focus-search />;
}

function extensions(
  { label, example }: { label: string; example: string },
  current: { readonly current: Omit<OqlEditorProps, 'value' | 'label' | 'example'> },
): Extension {
  const run = (view: EditorView) => {
    // What the popups say is about the text before; they would cover the result.
    closeCompletion(view);
    view.dispatch({ effects: closeHoverTooltips });
    current.current.onRun();
    return true;
  };
  return [
    EditorView.cspNonce.of(styleNonce()),
    history(),
    drawSelection(),
    bracketMatching(),
    EditorView.lineWrapping,
    placeholder(example),
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
    oql({
      fields: (signal, prefix) => current.current.hints.fields(signal, prefix),
      values: (field, prefix) => current.current.hints.values(field, prefix),
    }),
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) current.current.onChange(update.state.doc.toString());
    }),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off' }),
    look,
    syntaxHighlighting(colours),
  ];
}
