/** Widths of docked panels in pixels. */
export const USUAL_WIDTH = 420;
export const LEAST_WIDTH = 300;
export const MOST_WIDTH = 900;
const STEP = 20;
const KEY = 'fanion-panel-width';

export function limitWidth(width: number): number {
  return Number.isFinite(width) ? Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width))) : USUAL_WIDTH;
}

/** The width after a key on the panel's left edge: left widens, Home resets. Undefined for other keys. */
export function widthByKey(key: string, width: number): number | undefined {
  if (key === 'ArrowLeft') return limitWidth(width + STEP);
  if (key === 'ArrowRight') return limitWidth(width - STEP);
  return key === 'Home' ? USUAL_WIDTH : undefined;
}

/** The width that the user chose last. */
export function keptWidth(): number {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === null ? USUAL_WIDTH : limitWidth(Number(kept));
  } catch {
    return USUAL_WIDTH;
  }
}

export function keepWidth(width: number): void {
  try {
    localStorage.setItem(KEY, String(width));
  } catch {
    // Without storage, the next panel has the usual width.
  }
}
