/** The moments at which an expression is evaluated, in milliseconds since 1970. */
export interface Grid {
  readonly first: number;
  /** Not 0, also if there is only one step. */
  readonly step: number;
  readonly count: number;
}

export function timeOf({ first, step }: Grid, index: number): number {
  return first + index * step;
}

export function lastOf(grid: Grid): number {
  return timeOf(grid, grid.count - 1);
}

/** The grid of a sub-query that covers `(first - range, last]`: multiples of its step, whatever the steps around it. */
export function subqueryGrid(
  { first, last }: { readonly first: number; readonly last: number },
  rangeMs: number,
  step: number,
): Grid {
  const begin = step * (Math.floor((first - rangeMs) / step) + 1);
  return { first: begin, step, count: Math.max(0, Math.floor((last - begin) / step) + 1) };
}
