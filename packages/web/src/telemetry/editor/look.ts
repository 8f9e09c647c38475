import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
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

/** What all OQL editors share: their theme, and a field that is known to take the focus, since its box scrolls. */
export const look = [theme, EditorView.contentAttributes.of({ tabindex: '0' })];

/** The syntax colors. */
export const colours = HighlightStyle.define([
  { tag: tags.definitionKeyword, color: 'var(--f-code-keyword)', fontWeight: '600' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--f-code-keyword)' },
  { tag: [tags.operator, tags.punctuation, tags.separator, tags.controlOperator], color: 'var(--f-dim)' },
  { tag: tags.string, color: 'var(--f-code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.unit], color: 'var(--f-code-number)' },
  { tag: tags.comment, color: 'var(--f-code-comment)', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: 'var(--f-code-function)' },
  { tag: tags.invalid, color: 'var(--f-error)' },
]);
