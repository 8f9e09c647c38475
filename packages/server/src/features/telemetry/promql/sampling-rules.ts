import type { SampleWindow } from './time-rules.ts';

/** When a derived metric has samples. All times are Unix milliseconds. */
export interface Sampling {
  /** What the samples are about: later than `start`, up to `end`. */
  readonly window: SampleWindow;
  /** The time between samples. */
  readonly step: number;
  /** Multiples of the step. */
  readonly times: readonly number[];
}

const finestStepMs = 15_000;
const mostSteps = 1_500;
const shortRangeMs = 480_000;

/**
 * 15 seconds, or longer where the window would have too many steps, but not so long that a range has less than four samples.
 * @param range of the selector; without one, samples are as near as the look-back of Prometheus needs them
 */
export function stepOf({ start, end }: SampleWindow, range = shortRangeMs): number {
  const steps = Math.ceil((end - start) / mostSteps / finestStepMs);
  return Math.max(1, Math.min(steps, Math.floor(range / 4 / finestStepMs))) * finestStepMs;
}

/** The ends of the steps that are in a window. */
export function stepsIn({ start, end }: SampleWindow, step: number): number[] {
  const first = (Math.floor(start / step) + 1) * step;
  return Array.from({ length: Math.max(0, Math.floor((end - first) / step) + 1) }, (_, at) => first + at * step);
}

/** The samples of a window, for ranges of this length. */
export function samplingOf(window: SampleWindow, range?: number): Sampling {
  const step = stepOf(window, range);
  return { window, step, times: stepsIn(window, step) };
}

/** One sample at the end of a window, for lists of the series that have any. */
export function oneSample(window: SampleWindow): Sampling {
  return { window, step: Math.max(1, window.end - window.start), times: [window.end] };
}
