import { changePoint } from '@fanion/stats';
import type { Onset } from './answer.ts';
import type { WhyInput } from './input.ts';

/** An onset is believed when a steady series would show one by chance in fewer cases than this. */
const onsetAlpha = 0.001;
/** The last moment at which a cause may have begun; wider than the interval that is shown, for it rules out suspects. */
const latestConfidence = 0.999;

export interface Periods {
  readonly onset: Onset | undefined;
  /** Of each item: 0 before the onset, 1 after it, 2 when it must have happened already. All 1 without an onset. */
  readonly period: Uint8Array;
  /** Causes begin no later, in milliseconds since 1970. */
  readonly latestMs: number;
  /** Time from the first item to the last, in milliseconds. */
  readonly spanMs: number;
}

/** Finds when the share of selected items rose. The order of the items does not matter. */
export function periodsOf({ items, defining }: WhyInput): Periods {
  const { count, timeMs, selected } = items;
  const order = Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => (timeMs[a] ?? 0) - (timeMs[b] ?? 0) || (selected[a] ?? 0) - (selected[b] ?? 0),
  );
  const timeAt = (rank: number) => timeMs[order[Math.min(count - 1, rank)] ?? 0] ?? 0;
  const spanMs = count === 0 ? 0 : timeAt(count - 1) - timeAt(0);
  const series = Uint8Array.from(order, (i) => selected[i] ?? 0);
  const found = defining.has('time') ? undefined : changePoint(series);
  if (found === undefined || found.pValue >= onsetAlpha || found.after <= found.before) {
    return { onset: undefined, period: new Uint8Array(count).fill(1), latestMs: Number.POSITIVE_INFINITY, spanMs };
  }
  const latest = changePoint(series, latestConfidence)?.interval[1] ?? found.interval[1];
  const atMs = timeAt(found.at);
  const latestMs = timeAt(latest);
  const period = new Uint8Array(count);
  for (let i = 0; i < count; i += 1) {
    const time = timeMs[i] ?? 0;
    period[i] = time < atMs ? 0 : time <= latestMs ? 1 : 2;
  }
  const onset = {
    atMs,
    fromMs: timeAt(found.interval[0]),
    toMs: timeAt(found.interval[1]),
    before: found.before,
    after: found.after,
  };
  return { onset, period, latestMs, spanMs };
}

/** How soon changes take effect, on average. */
const lagMs = 120_000;

/**
 * How much more likely an onset is just after this change than at any time: the density of an exponential delay with a mean of two
 * minutes, averaged over the interval of the onset, against the uniform density over the time of the items. At least 1, because a
 * change may take effect late.
 */
export function timeOdds(atMs: number, { onset, latestMs, spanMs }: Periods): number {
  if (onset === undefined || atMs > latestMs) return 1;
  const width = onset.toMs - onset.fromMs;
  const early = Math.max(0, onset.fromMs - atMs);
  return Math.max(1, (spanMs / (width + lagMs)) * Math.exp(-early / lagMs));
}
