import type { Diagnostic } from '@fanion/oql';
import { type Failure, fail } from '../../fail.ts';

/** The error for a query that does not compile: its first error is the reason, and its details are all diagnostics. */
export function invalidQuery(diagnostics: readonly Diagnostic[]): Failure {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  return fail(
    'OQL_INVALID',
    { reason: first?.message ?? 'unknown' },
    { details: diagnostics.map((diagnostic) => ({ path: 'query', ...diagnostic })) },
  );
}
