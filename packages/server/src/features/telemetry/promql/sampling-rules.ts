import type { SampleWindow } from './condition-store.ts';

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

/** 15 seconds, or longer where the window would have too many steps. */
export function stepOf({ start, end }: SampleWindow): number {
  const steps = Math.ceil((end - start) / mostSteps / finestStepMs);
  return Math.max(1, steps) * finestStepMs;
}

/** The ends of the steps that are in a window. */
export function stepsIn({ start, end }: SampleWindow, step: number): number[] {
  const first = (Math.floor(start / step) + 1) * step;
  return Array.from({ length: Math.max(0, Math.floor((end - first) / step) + 1) }, (_, at) => first + at * step);
}

/** The samples of a window. */
export function samplingOf(window: SampleWindow): Sampling {
  const step = stepOf(window);
  return { window, step, times: stepsIn(window, step) };
}

/** One sample at the end of a window, for lists of the series that have any. */
export function oneSample(window: SampleWindow): Sampling {
  return { window, step: Math.max(1, window.end - window.start), times: [window.end] };
}
