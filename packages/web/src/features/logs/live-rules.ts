/** What is kept of a tail: the newest lines first. */
export interface Lines<Row = Record<string, unknown>> {
  rows: readonly Row[];
  /** All that came, also those that have scrolled out. */
  seen: number;
  dropped: number;
}

export const EMPTY_LINES: Lines = { rows: [], seen: 0, dropped: 0 };

/** More than this nobody scrolls back in a tail; the search is for that. */
export const KEPT = 2000;

/** Puts lines that came in, oldest first, before those that are there. */
export function appendLines<Row>(lines: Lines<Row>, fresh: readonly Row[], dropped: number): Lines<Row> {
  return {
    rows: [...fresh.toReversed(), ...lines.rows].slice(0, KEPT),
    seen: lines.seen + fresh.length,
    dropped: lines.dropped + dropped,
  };
}
