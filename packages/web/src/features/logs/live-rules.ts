/** The kept lines of a tail, newest first. */
export interface Lines<Row = Record<string, unknown>> {
  rows: readonly Row[];
  /** Number of all lines received, including dropped ones. */
  seen: number;
  dropped: number;
}

export const EMPTY_LINES: Lines = { rows: [], seen: 0, dropped: 0 };

/** Nobody scrolls back further than this in a tail; the search is for that. */
export const KEPT = 2000;

/** Prepends new lines, given oldest first. */
export function appendLines<Row>(lines: Lines<Row>, fresh: readonly Row[], dropped: number): Lines<Row> {
  return {
    rows: [...fresh.toReversed(), ...lines.rows].slice(0, KEPT),
    seen: lines.seen + fresh.length,
    dropped: lines.dropped + dropped,
  };
}
