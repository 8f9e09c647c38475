/** How long a run of a query stays in the history, and how many of a workspace at most. */
export const keptMs = 30 * 86_400_000;
export const keptRuns = 10_000;

/** How a run ended: a client that went away cancelled it, whatever was thrown then. */
export function outcomeOf(
  error: { readonly code: string } | undefined,
  failed: boolean,
  aborted: boolean,
): { status: 'ok' | 'failed' | 'cancelled'; error: string | null } {
  if (!failed) return { status: 'ok', error: null };
  if (aborted) return { status: 'cancelled', error: null };
  return { status: 'failed', error: error?.code ?? 'SVC-1000' };
}

/** What PostgreSQL's text cannot hold: NUL, and halves of surrogate pairs. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

export function storable(text: string): string {
  return text.replace(unstorable, '\uFFFD');
}
