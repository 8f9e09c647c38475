import { completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, placeholder as placeholderText } from '@codemirror/view';
import { oql } from '@fanion/oql/editor';
import { IconSearch } from '@tabler/icons-react';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { styleNonce } from '../../ui/nonce.ts';
import { type FieldHints, useFieldHints } from '../field-hints.ts';
import classes from './condition-editor.module.css';
import { look } from './look.ts';
import { type Typed, takeOver } from './typed.ts';

interface Props {
  label: string;
  placeholder: string;
  source: 'spans' | 'logs';
  value: string;
  onChange: (value: string) => void;
  /** What was typed before the editor was there. */
  typed?: RefObject<Typed | null>;
}

/**
 * A one-line editor for an OQL condition, with completion of fields and values. It applies on Enter or blur, so that
 * typing runs no queries. Enter accepts a suggestion only after the user selects one with the arrow keys.
 */
export function ConditionEditor({ label, placeholder, source, value, onChange, typed }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const hints = useFieldHints(source);
  const current = useRef({ value, onChange, hints });
  current.current = { value, onChange, hints };

  useLayoutEffect(() => {
    if (!host.current) return;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: typed?.current?.text ?? current.current.value,
        extensions: extensionsOf({ label, placeholder, source, current }),
      }),
    });
    view.current = editor;
    takeOver(editor, typed);
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [label, placeholder, source, typed]);

  const shown = useRef(value);
  useEffect(() => {
    const editor = view.current;
    // What was typed before the editor was there is not applied yet.
    if (shown.current === value) return;
    shown.current = value;
    if (editor && editor.state.doc.toString() !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return (
    <div className={classes.field} data-focus-search>
      <IconSearch size={14} className={classes.icon} aria-hidden />
      <div ref={host} className={classes.host} />
    </div>
  );
}

/** @param current what the editor reads when something happens: it outlives renders */
function extensionsOf({
  label,
  placeholder,
  source,
  current,
}: Pick<Props, 'label' | 'placeholder' | 'source'> & {
  current: RefObject<Pick<Props, 'value' | 'onChange'> & { hints: FieldHints }>;
}) {
  const commit = (editor: EditorView) => {
    const text = editor.state.doc.toString().trim();
    if (text !== current.current.value) current.current.onChange(text);
    return true;
  };
  return [
    EditorView.cspNonce.of(styleNonce()),
    history(),
    placeholderText(placeholder),
    // Joins several pasted lines into one.
    EditorState.transactionFilter.of((transaction) =>
      transaction.newDoc.lines > 1
        ? [transaction, { changes: lineBreaks(transaction.newDoc.toString()), sequential: true }]
        : transaction,
    ),
    oql({
      lint: false,
      before: `${source} | where `,
      selectOnOpen: false,
      fields: (signal, prefix) => current.current.hints.fields(signal, prefix),
      values: (field, prefix) => current.current.hints.values(field, prefix),
    }),
    Prec.high(keymap.of(completionKeymap)),
    keymap.of([{ key: 'Enter', run: commit }, ...defaultKeymap, ...historyKeymap]),
    EditorView.domEventHandlers({ blur: (_, editor) => void commit(editor) }),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-multiline': 'false',
      spellcheck: 'false',
      autocapitalize: 'off',
    }),
    line,
    look,
  ];
}

const line = EditorView.theme({
  '&': { fontSize: '12px' },
  '.cm-content': { minHeight: '0', padding: '5px 0', lineHeight: '18px' },
  '.cm-line': { padding: '0' },
  '.cm-scroller': { overflowX: 'auto', scrollbarWidth: 'none' },
});

function lineBreaks(text: string): { from: number; to: number; insert: string }[] {
  return [...text.matchAll(/\n/g)].map(({ index }) => ({ from: index, to: index + 1, insert: ' ' }));
}
