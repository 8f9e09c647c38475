import { Notice } from '../../ui/states.tsx';
import { diagnosticsOf } from './diagnostics.ts';

/** Where a query of a form is wrong, if that is what the error says. */
export function DiagnosticNotices({ error }: { error: unknown }) {
  return diagnosticsOf(error).map(({ code, message, span }) => (
    <Notice kind="error" key={`${code}-${span.start}`}>
      Line {span.line}, column {span.column}: {message} <span className="mono dim">{code}</span>
    </Notice>
  ));
}
