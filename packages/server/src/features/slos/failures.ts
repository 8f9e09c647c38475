import { Failure } from '../../platform/fail.ts';

/** What the owner of an SLO or a recording rule reads about a query that failed. */
export function failureText(error: unknown): string {
  return error instanceof Failure ? error.message : 'The query failed; the server log has more.';
}

/** Whether the same question may be answered a moment later. Unknown errors are not asked again: they would hold up others. */
export function isPassing(error: unknown): boolean {
  return error instanceof Failure && error.status >= 429;
}
