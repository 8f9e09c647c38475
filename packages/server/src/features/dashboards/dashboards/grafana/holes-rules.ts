/** A place on the grid of a dashboard. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const overlap = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/**
 * Panels without the holes that lost ones leave: a neighbor of the same height gets the width of a lost panel, and what is
 * below an empty place moves up, as in Grafana. The order of panels stays. Panels that overlap, as those of collapsed rows do, stay where
 * they are.
 */
export function withoutHoles<T extends Box>(kept: readonly T[], lost: readonly Box[]): readonly T[] {
  if (lost.length === 0 || kept.some((one, at) => kept.some((other, later) => later > at && overlap(one, other))))
    return kept;
  let panels = [...kept];
  for (const hole of lost) {
    const isBeside = ({ y, h }: Box) => y === hole.y && h === hole.h;
    const at = panels.findIndex((one) => isBeside(one) && (one.x + one.w === hole.x || one.x === hole.x + hole.w));
    panels = panels.map((one, index) =>
      index === at ? { ...one, x: Math.min(one.x, hole.x), w: one.w + hole.w } : one,
    );
  }
  const moved = new Map<T, T>();
  for (const panel of panels.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    // Below the lowest of the panels above it.
    const above = [...moved.values()].filter(({ x, w }) => x < panel.x + panel.w && panel.x < x + w);
    moved.set(panel, { ...panel, y: Math.max(0, ...above.map(({ y, h }) => y + h)) });
  }
  return panels.map((panel) => moved.get(panel) ?? panel);
}
