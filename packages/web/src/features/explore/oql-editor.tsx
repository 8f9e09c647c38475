import { completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import { oql } from '@fanion/oql/editor';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../../ui/nonce.ts';

const look = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'transparent', color: 'var(--f-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': {
    fontFamily: 'var(--f-mono)',
    lineHeight: '1.6',
    padding: '8px 0',
    caretColor: 'var(--f-text)',
    minHeight: '58px',
  },
  '.cm-line': { padding: '0 12px' },
  '.cm-cursor': { borderLeftColor: 'var(--f-text)', borderLeftWidth: '1.5px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--f-accent-fill) 30%, transparent)',
  },
  '.cm-placeholder': { color: 'var(--f-dim)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--f-accent-fill) 25%, transparent)',
    outline: 'none',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--f-panel)',
    border: '1px solid var(--f-border-strong)',
    borderRadius: '6px',
    color: 'var(--f-text)',
    overflow: 'hidden',
    zIndex: '40',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--f-mono)', fontSize: '12px', maxHeight: '260px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--f-selected)',
    color: 'var(--f-text)',
  },
  '.cm-completionDetail': { color: 'var(--f-dim)', fontStyle: 'normal', marginLeft: '12px' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--f-accent)' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '360px', fontSize: '12px' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'inherit' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--f-error)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--f-warning)' },
  '.cm-diagnosticAction': {
    backgroundColor: 'var(--f-accent-soft)',
    color: 'var(--f-accent)',
    padding: '2px 8px',
    borderRadius: '4px',
    fontSize: '12px',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--f-error)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--f-warning)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-info': {
    backgroundImage: 'none',
    textDecoration: 'underline dotted var(--f-dim)',
    textUnderlineOffset: '3px',
  },
});

const colours = HighlightStyle.define([
  { tag: tags.definitionKeyword, color: 'var(--f-code-keyword)', fontWeight: '600' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--f-code-keyword)' },
  { tag: [tags.operator, tags.punctuation, tags.separator, tags.controlOperator], color: 'var(--f-dim)' },
  { tag: tags.string, color: 'var(--f-code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.unit], color: 'var(--f-code-number)' },
  { tag: tags.comment, color: 'var(--f-code-comment)', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: 'var(--f-code-function)' },
  { tag: tags.invalid, color: 'var(--f-error)' },
]);

export interface OqlEditorProps {
  value: string;
  onChange: (value: string) => void;
  onRun: () => void;
  /** The values that a field has been seen with, for completion. */
  values: (field: string, prefix: string) => Promise<readonly string[]>;
}

/** The OQL editor: highlighting, completion, diagnostics in place, ⌘/Ctrl-Enter to run. */
export function OqlEditor({ value, onChange, onRun, values }: OqlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // The editor outlives renders; its callbacks are read through this at the time they are called.
  const current = useRef({ value, onChange, onRun, values });
  current.current = { value, onChange, onRun, values };

  useEffect(() => {
    if (!host.current) return;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({ doc: current.current.value, extensions: extensions(current) }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={host} data-focus-search />;
}

function extensions(current: { readonly current: Omit<OqlEditorProps, 'value'> }): Extension {
  const run = () => {
    current.current.onRun();
    return true;
  };
  return [
    EditorView.cspNonce.of(styleNonce()),
    history(),
    drawSelection(),
    bracketMatching(),
    EditorView.lineWrapping,
    placeholder('spans | where duration > 100ms | stats n=count() by service.name'),
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
    oql({ values: (field, prefix) => current.current.values(field, prefix) }),
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) current.current.onChange(update.state.doc.toString());
    }),
    EditorView.contentAttributes.of({ 'aria-label': 'OQL query', spellcheck: 'false', autocapitalize: 'off' }),
    look,
    syntaxHighlighting(colours),
  ];
}
