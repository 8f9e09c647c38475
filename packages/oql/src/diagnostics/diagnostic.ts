import type { Range } from '../syntax/ast.ts';
import { type Span, spanOf } from '../text/position.ts';
import { DIAGNOSTIC_CODES, type DiagnosticCode, type DiagnosticName } from './codes.ts';

export type Severity = 'error' | 'warning' | 'info';

/** A suggested correction; `edit` replaces [start, end) of the text. */
export interface Suggestion {
  readonly text: string;
  readonly edit: { readonly start: number; readonly end: number; readonly text: string };
}

/** A message about a query: what is wrong, where, and what was probably meant. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  /** The keyword of the stage that contains it. */
  readonly stage?: string;
  readonly suggestion?: Suggestion;
}

export interface Finding {
  readonly name: DiagnosticName;
  readonly message: string;
  readonly range: Range;
  readonly severity?: Severity;
  readonly stage?: string;
  readonly suggestion?: Suggestion;
}

/** Replaces the text of `range`. */
export function replaceWith(range: Range, text: string, label = text): Suggestion {
  return { text: label, edit: { start: range.start, end: range.end, text } };
}

/** Inserts `text` at an offset. */
export function insertAt(offset: number, text: string, label = `insert ${text.trim()}`): Suggestion {
  return { text: label, edit: { start: offset, end: offset, text } };
}

/** A finding with its code and its position in the text. */
export function toDiagnostic(text: string, finding: Finding): Diagnostic {
  const { name, message, range, severity = 'error', stage, suggestion } = finding;
  return {
    code: DIAGNOSTIC_CODES[name],
    severity,
    message,
    span: spanOf(text, range),
    ...(stage === undefined ? {} : { stage }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** The text with a suggestion applied. */
export function applySuggestion(text: string, { edit }: Suggestion): string {
  return text.slice(0, edit.start) + edit.text + text.slice(edit.end);
}
