import type { Diagnostic as EditorDiagnostic } from '@codemirror/lint';
import { ApiError, type RouteResponse, type validateQuery } from '@fanion/contract';

export type OqlDiagnostic = RouteResponse<typeof validateQuery>['diagnostics'][number];

const SEVERITY = { error: 'error', warning: 'warning', info: 'info', hint: 'info' } as const;

/**
 * Diagnostics of the API as the editor takes them. Offsets are UTF-16 on both sides; they are cut to the text, and an
 * empty span (at the end of the query) is widened by one so that it can be seen. A suggestion becomes a button.
 */
export function toEditorDiagnostics(diagnostics: readonly OqlDiagnostic[], length: number): EditorDiagnostic[] {
  return diagnostics.map(({ code, severity, message, span, suggestion }) => {
    const to = Math.min(Math.max(span.end, span.start), length);
    const from = Math.min(span.start, to === span.start ? Math.max(0, to - 1) : to);
    return {
      from,
      to,
      severity: SEVERITY[severity],
      source: code,
      message,
      ...(suggestion && {
        actions: [
          {
            name: suggestion.text,
            apply: (view) => {
              const { start, end, text } = suggestion.edit;
              if (end <= view.state.doc.length) view.dispatch({ changes: { from: start, to: end, insert: text } });
            },
          },
        ],
      }),
    };
  });
}

/** The diagnostics that an answer to an invalid query carries in its `details`. */
export function diagnosticsOf(error: unknown): OqlDiagnostic[] {
  if (!(error instanceof ApiError) || error.status !== 422) return [];
  return (error.details ?? []).filter(
    (detail): detail is typeof detail & OqlDiagnostic => 'span' in detail && 'severity' in detail,
  );
}
