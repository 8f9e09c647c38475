import type { Annotations } from '../annotations.ts';
import type { Position } from '../ast.ts';
import type { Column } from '../columns.ts';
import { metricOf } from '../label-sets.ts';
import type { RangeWindow } from '../ranges.ts';

/** What a function of ranges may use beside its range. */
export interface RangeContext {
  /** Length of the range in milliseconds. */
  readonly rangeMs: number;
  /** Above 0, nothing is extrapolated: ranges begin with the last sample before them. */
  readonly anchorMs: number;
  /** Scalar arguments by step, without the range. */
  readonly scalars: readonly Float64Array[];
  readonly notes: Annotations;
  /** Of the range argument. */
  readonly at: Position;
  /** Of all arguments. */
  readonly atArguments: Position;
}

/** Writes the value at the step of a window into a column, or nothing. It is called for windows with samples, in rising order, and may keep state. */
export type RangeFunction = (window: RangeWindow, column: Column) => void;

/** Called once for each series. */
export type RangeFunctionMaker = (context: RangeContext) => RangeFunction;

export function notMixed({ notes, at }: RangeContext, window: RangeWindow): boolean {
  if (window.floats === 0 || window.histograms === 0) return true;
  notes.mixedRange(metricOf(window.series.labels), at);
  return false;
}

/** Functions that only know floats ignore histograms, and say so where there are both. */
export function ignoreHistograms({ notes, at }: RangeContext, window: RangeWindow): void {
  if (window.histograms > 0) notes.ignoredHistograms(metricOf(window.series.labels), at);
}
