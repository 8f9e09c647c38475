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
