import type { Expression, TimeShift, VectorSelector } from './ast.ts';
import { type Grid, lastOf, subqueryGrid } from './grid.ts';
import { partsOf } from './selectors.ts';

/** What the whole query is about. */
export interface QueryTimes {
  readonly grid: Grid;
  readonly lookback: number;
  readonly subqueryStep: number;
  /** How long before a range `increase` may find the sample that it grows from. 0: within the range only, as in Prometheus. */
  readonly anchorMs: number;
}

/** Which samples a selector needs: later than `start`, up to `end`. */
export interface Window {
  readonly selector: VectorSelector;
  readonly start: number;
  readonly end: number;
}

/** The windows of all selectors of an expression. */
export function windowsOf(expression: Expression, times: QueryTimes, grid: Grid = times.grid): Window[] {
  switch (expression.kind) {
    case 'selector': {
      const { first, last } = shifted(expression.shift, grid, times.grid);
      const back = expression.rangeMs === undefined ? times.lookback : expression.rangeMs + times.anchorMs;
      return [{ selector: expression, start: first - back, end: last }];
    }
    case 'subquery': {
      const inner = subqueryGrid(
        shifted(expression.shift, grid, times.grid),
        expression.rangeMs,
        expression.stepMs ?? times.subqueryStep,
      );
      return inner.count === 0 ? [] : windowsOf(expression.of, times, inner);
    }
    default:
      return partsOf(expression).flatMap((part) => windowsOf(part, times, grid));
  }
}

/** The first and last moment that a selector or sub-query looks back from. */
export function shifted(shift: TimeShift, grid: Grid, query: Grid): { readonly first: number; readonly last: number } {
  return { first: momentOf(shift, grid.first, query), last: momentOf(shift, lastOf(grid), query) };
}

/** The moment that a selector looks back from at a time of evaluation. */
export function momentOf({ at, offsetMs }: TimeShift, time: number, query: Grid): number {
  const moment = at === 'start' ? query.first : at === 'end' ? lastOf(query) : (at ?? time);
  return moment - offsetMs;
}
