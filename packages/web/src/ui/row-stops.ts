import { type RefObject, useLayoutEffect } from 'react';

const CONTROLS = 'a[href], button:not([data-roving])';

/**
 * Makes one tab stop of the rows of a table: the row with `data-stop` if it takes the focus, else its first control. The arrow
 * keys lead to the others. Rows with fields keep all stops, because fields need the arrow keys.
 */
export function useRowStops(body: RefObject<HTMLTableSectionElement | null>): void {
  useLayoutEffect(() => {
    const table = body.current;
    if (table === null || table.querySelector('input, select, textarea') !== null) return;
    for (const row of table.rows) {
      const stop = row.dataset.stop === '' ? placesOf(row)[0] : undefined;
      for (const control of controlsOf(row)) control.tabIndex = control === stop ? 0 : -1;
    }
  });
}

function controlsOf(row: HTMLTableRowElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(CONTROLS)];
}

/** What takes the focus in a row. */
function placesOf(row: HTMLTableRowElement): HTMLElement[] {
  return row.hasAttribute('tabindex') ? [row, ...controlsOf(row)] : controlsOf(row);
}

const MOVES: Readonly<Record<string, { readonly rows: -1 | 0 | 1; readonly places: -1 | 0 | 1 }>> = {
  ArrowDown: { rows: 1, places: 0 },
  ArrowUp: { rows: -1, places: 0 },
  ArrowRight: { rows: 0, places: 1 },
  ArrowLeft: { rows: 0, places: -1 },
};

/** Moves the focus to another row, or within a row. Returns by how many rows it moved; undefined if it did not move. */
export function moveInTable(event: {
  readonly key: string;
  readonly target: EventTarget;
  readonly currentTarget: HTMLTableRowElement;
  preventDefault(): void;
}): -1 | 0 | 1 | undefined {
  const { key, target, currentTarget: row } = event;
  const move = MOVES[key];
  const from = target instanceof HTMLElement ? placesOf(row).indexOf(target) : -1;
  if (move === undefined || from === -1) return undefined;
  const next = move.rows === 0 ? row : move.rows === 1 ? row.nextElementSibling : row.previousElementSibling;
  if (!(next instanceof HTMLTableRowElement)) return undefined;
  const places = placesOf(next);
  const to = move.rows === 0 ? places[from + move.places] : (places[from] ?? places.at(-1));
  if (to === undefined) return undefined;
  event.preventDefault();
  to.focus();
  return move.rows;
}
