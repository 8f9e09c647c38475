import type { ErrorName } from '@fanion/contract';
import type { Issue } from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';

/** Throws `error` if a check found issues: the first in its message, up to 50 in its details. */
export function refuse(error: ErrorName, issues: readonly Issue[]): void {
  const [first] = issues;
  if (first !== undefined)
    throw fail(
      error,
      { reason: `${first.path}: ${first.message}` },
      { details: issues.slice(0, 50).map(({ path, message }) => ({ path, message })) },
    );
}

/** "a, b and 3 more". */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
