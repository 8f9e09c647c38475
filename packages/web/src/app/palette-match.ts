/**
 * Ranks a text against typed words. All words must appear. Earlier and word-initial matches rank higher.
 * Returns null for no match; smaller is better.
 */
export function matchScore(text: string, typed: string): number | null {
  const haystack = text.toLowerCase();
  let score = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = haystack.indexOf(word);
    if (at === -1) return null;
    const atWordStart = at === 0 || /[^a-z0-9]/.test(haystack.charAt(at - 1));
    score += at + (atWordStart ? 0 : 40);
  }
  return score + haystack.length / 100;
}

/** The best matches first, at most `limit`; the original order while the input is empty. */
export function rank<T extends { label: string; group: string }>(items: readonly T[], typed: string, limit = 40): T[] {
  if (typed.trim() === '') return items.slice(0, limit);
  return items
    .map((item) => ({ item, score: matchScore(item.label, typed) ?? matchScore(`${item.label} ${item.group}`, typed) }))
    .filter((entry): entry is { item: T; score: number } => entry.score !== null)
    .sort((a, b) => a.score - b.score)
    .slice(0, limit)
    .map((entry) => entry.item);
}

/** What a text can be without looking for its name anywhere. */
export type Direct =
  | { readonly kind: 'trace'; readonly traceId: string }
  | { readonly kind: 'query'; readonly query: string };

/** A source of OQL and a stage. Words without a stage may also be names of pages and flags. */
const QUERY = /^((logs|spans|traces|events|links|profiles|exemplars)|(metrics?|flags)\s+\S+)\s*\|\s*\S/;
/** The W3C `traceparent` header (https://www.w3.org/TR/trace-context/#traceparent-header), as logs and headers have it. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACE_ID = /^[0-9a-f]{32}$/;

/** Recognizes a pasted trace id (also with hyphens, as a UUID, or inside a `traceparent` header), and an OQL query. */
export function directly(typed: string): Direct | undefined {
  const text = typed.trim();
  const lower = text.toLowerCase();
  const traceId = TRACEPARENT.exec(lower)?.[1] ?? lower.replaceAll('-', '');
  if (TRACE_ID.test(traceId) && !/^0+$/.test(traceId)) return { kind: 'trace', traceId };
  return QUERY.test(text) ? { kind: 'query', query: text } : undefined;
}
