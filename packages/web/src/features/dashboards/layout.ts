import { type DashboardPanel, dashboardColumns } from '@fanion/contract';

export type Box = Pick<DashboardPanel, 'id' | 'x' | 'y' | 'w' | 'h'>;

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** A box moved or resized within the grid. */
export function within<T extends Box>(box: T, change: Partial<Pick<Box, 'x' | 'y' | 'w' | 'h'>>): T {
  const w = Math.min(dashboardColumns, Math.max(1, change.w ?? box.w));
  const x = Math.min(dashboardColumns - w, Math.max(0, change.x ?? box.x));
  return { ...box, x, y: Math.max(0, change.y ?? box.y), w, h: Math.min(100, Math.max(1, change.h ?? box.h)) };
}

/** Moves the other panels down until nothing overlaps; the panel `id` stays where it is. The order of panels stays. */
export function settled<T extends Box>(panels: readonly T[], id: string): T[] {
  const fixed = panels.find((panel) => panel.id === id);
  const placed: T[] = fixed === undefined ? [] : [fixed];
  for (const panel of inReadingOrder(panels)) {
    if (panel.id === id) continue;
    let y = panel.y;
    for (let next = lowest({ ...panel, y }, placed); next !== undefined; next = lowest({ ...panel, y }, placed))
      y = next;
    placed.push({ ...panel, y });
  }
  return panels.map((panel) => placed.find((one) => one.id === panel.id) ?? panel);
}

/** The row below everything that a box overlaps; undefined: it overlaps nothing. */
function lowest(box: Box, placed: readonly Box[]): number | undefined {
  const below = placed.filter((other) => overlap(box, other)).map((other) => other.y + other.h);
  return below.length === 0 ? undefined : Math.max(...below);
}

/** From top to bottom, and from left to right. */
export function inReadingOrder<T extends Box>(panels: readonly T[]): T[] {
  return panels.toSorted((a, b) => a.y - b.y || a.x - b.x);
}

/** The first row below all panels. */
export function bottom(panels: readonly Box[]): number {
  return panels.reduce((row, { y, h }) => Math.max(row, y + h), 0);
}

/** Panels without those of collapsed rows: what follows a row, up to the next one. What is below moves up. */
export function unfolded(panels: readonly DashboardPanel[]): DashboardPanel[] {
  const shown: DashboardPanel[] = [];
  let hiddenFrom: number | undefined;
  let up = 0;
  for (const panel of inReadingOrder(panels)) {
    if (panel.type === 'row') {
      if (hiddenFrom !== undefined) up += panel.y - hiddenFrom;
      hiddenFrom = panel.collapsed ? panel.y + panel.h : undefined;
    } else if (hiddenFrom !== undefined) continue;
    shown.push({ ...panel, y: panel.y - up });
  }
  return shown;
}

/** Numbers the repetitions of names, so that each stands for one panel: `Errors`, `Errors (2)`. */
export function uniqueNames(names: readonly string[]): string[] {
  return names.map((name, index) => {
    const earlier = names.slice(0, index).filter((one) => one === name).length;
    return earlier === 0 ? name : `${name} (${earlier + 1})`;
  });
}
