import type { SloWindow } from '@fanion/contract';
import { addCounts, budgetOf, type Counts, ceilTo, floorTo, noCounts, type Range, windowAt } from '../budget/index.ts';

const minute = 60_000;
const stepsMs = [1, 5, 10, 15, 30, 60, 120, 360, 720, 1_440].map((minutes) => minutes * minute);
const mostSteps = 1_000;

/** The width of steps: at least that of the indicator, and so that there are at most 1,000. */
export function stepFor({ fromMs, toMs }: Range, indicatorStepMs: number): number {
  const step = stepsMs.find((ms) => ms >= indicatorStepMs && (toMs - fromMs) / ms <= mostSteps - 1);
  return step ?? ceilTo((toMs - fromMs) / (mostSteps - 1), 1_440 * minute);
}

/** The steps that a time series reads. Between `joined.fromMs` and `joined.toMs` only the sum matters. */
export interface Reading extends Range {
  readonly stepMs: number;
  readonly joined: Range;
  /** Where calendar windows begin, within the range that is shown: events of both sides do not share a step. */
  readonly boundaries: readonly number[];
}

/** Counts of a part of a step; `at` is its start in seconds, `period` the number of boundaries at or before it. */
export interface Step extends Counts {
  readonly at: number;
  readonly period: number;
}

export function readingOf(window: SloWindow, asked: Range, stepMs: number): { shown: Range; reading: Reading } {
  const shown = { fromMs: floorTo(asked.fromMs, stepMs), toMs: asked.toMs };
  if (window.kind === 'calendar') {
    const fromMs = windowAt(window, shown.fromMs).fromMs;
    const boundaries: number[] = [];
    for (
      let at = windowAt(window, shown.fromMs).endMs;
      at !== undefined && at < shown.toMs;
      at = windowAt(window, at).endMs
    )
      boundaries.push(at);
    return { shown, reading: { fromMs, toMs: shown.toMs, stepMs, joined: { fromMs, toMs: shown.fromMs }, boundaries } };
  }
  const { periodMs } = windowAt(window, shown.toMs);
  const fromMs = shown.fromMs - periodMs;
  const lastLeft = ceilTo(shown.toMs, stepMs) - periodMs;
  // Whole steps of the window's start leave it one by one; what lies between them and the shown steps stays in it.
  const joined = { fromMs: lastLeft, toMs: Math.max(lastLeft, shown.fromMs) };
  return { shown, reading: { fromMs, toMs: shown.toMs, stepMs, joined, boundaries: [] } };
}

export interface SeriesPoint extends Counts {
  readonly atMs: number;
  readonly budgetLeft: number | null;
}

/** The points of a time series: the budget of each is that of the window that ends with the step. */
export function pointsOf(
  window: SloWindow,
  objective: number,
  { shown, reading }: { shown: Range; reading: Reading },
  steps: readonly Step[],
): SeriesPoint[] {
  const { stepMs } = reading;
  const byStart = new Map<number, Step[]>();
  let sum = noCounts;
  for (const step of steps) {
    const at = step.at * 1_000;
    byStart.set(at, [...(byStart.get(at) ?? []), step]);
    if (at < shown.fromMs) sum = addCounts(sum, step);
  }
  const of = (at: number) => (byStart.get(at) ?? []).reduce<Counts>(addCounts, noCounts);
  const points: SeriesPoint[] = [];
  let period = 0;
  for (let at = shown.fromMs; at < shown.toMs; at += stepMs) {
    if (window.kind === 'rolling') {
      const left = of(at - windowAt(window, at).periodMs);
      sum = addCounts(addCounts(sum, of(at)), { good: -left.good, total: -left.total });
    } else {
      for (const step of (byStart.get(at) ?? []).toSorted((a, b) => a.period - b.period)) {
        if (step.period !== period) sum = noCounts;
        period = step.period;
        sum = addCounts(sum, step);
      }
      const now = reading.boundaries.filter((boundary) => boundary < at + stepMs).length;
      if (now !== period) sum = noCounts;
      period = now;
    }
    const { good, total } = of(at);
    points.push({ atMs: at, good, total, budgetLeft: budgetOf(sum, objective).left });
  }
  return points;
}
