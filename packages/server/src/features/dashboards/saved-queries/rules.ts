/** How long a run stays in the history, and how many runs per workspace. */
export const keptMs = 30 * 86_400_000;
export const keptRuns = 10_000;

/** How a run ended. If the client disconnected, it was cancelled, whatever was thrown. */
export function outcomeOf(
  error: { readonly code: string } | undefined,
  failed: boolean,
  aborted: boolean,
): { status: 'ok' | 'failed' | 'cancelled'; error: string | null } {
  if (!failed) return { status: 'ok', error: null };
  if (aborted) return { status: 'cancelled', error: null };
  return { status: 'failed', error: error?.code ?? 'SVC-1000' };
}

/** Characters that PostgreSQL's text cannot hold: NUL, and halves of surrogate pairs. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

export function storable(text: string): string {
  return text.replace(unstorable, '\uFFFD');
}
