/** A scraped counter, in seconds relative to the end of the queried range. */
export interface CounterCase {
  readonly name: string;
  /** A staleness marker means that the target reported the end of the series. */
  readonly samples: readonly (readonly [seconds: number, value: number | 'stale'])[];
}

/** `n` samples from `first`. */
function every(step: number, first: number, n: number, value: (i: number) => number): [number, number][] {
  return Array.from({ length: n }, (_, i) => [first + i * step, value(i)]);
}

/** The queried range: the five minutes up to second 0, and up to a second without a scrape. */
export const OVER_SECONDS = 300;
export const ENDS = [0, -37, 60, 120, 270] as const;

/** Counters that exercise each of Prometheus' rules. */
export const COUNTERS: readonly CounterCase[] = [
  { name: 'steady', samples: every(15, -900, 81, (i) => 1000 + i * 3) },
  { name: 'not_between_scrapes', samples: every(15, -893, 81, (i) => 1000 + i * 3) },
  // A sample at the start of the range is not in it, one at its end is.
  { name: 'on_both_ends', samples: every(300, -600, 4, (i) => i * i * 10) },
  { name: 'twice_on_the_minute', samples: every(60, -600, 16, (i) => i ** 3) },
  { name: 'reset', samples: every(15, -600, 60, (i) => (i < 31 ? 500 + i * 2 : (i - 31) * 2)) },
  { name: 'reset_to_more_than_nothing', samples: every(15, -600, 60, (i) => (i < 29 ? i * 7 : 40 + (i - 29) * 7)) },
  { name: 'resets_again_and_again', samples: every(20, -600, 45, (i) => (i % 4) * 5 + 1) },
  // Small compared with its growth, so the counter is assumed to have begun there.
  { name: 'born_from_zero', samples: every(15, -140, 30, (i) => 2 + i * 30) },
  { name: 'born_of_a_size', samples: every(15, -140, 30, (i) => 5000 + i * 30) },
  { name: 'near_to_zero', samples: every(30, -280, 19, (i) => 1 + i * 50) },
  { name: 'idle', samples: every(15, -600, 60, () => 42) },
  { name: 'nothing_counted', samples: every(15, -100, 24, () => 0) },
  { name: 'ended_silently', samples: every(15, -600, 33, (i) => i * 4) },
  { name: 'ended_with_a_marker', samples: [...every(15, -600, 33, (i) => i * 4), [-105, 'stale']] },
  {
    name: 'away_and_back',
    samples: [...every(15, -600, 25, (i) => i * 4), [-225, 'stale'], ...every(15, -120, 27, (i) => 100 + i * 4)],
  },
  {
    name: 'back_from_zero',
    samples: [...every(15, -600, 25, (i) => 50 + i * 4), [-225, 'stale'], ...every(15, -120, 27, (i) => i * 4)],
  },
  { name: 'once', samples: [[-100, 7]] },
  {
    name: 'once_and_a_marker',
    samples: [
      [-100, 7],
      [-85, 'stale'],
    ],
  },
  {
    name: 'twice',
    samples: [
      [-200, 7],
      [-100, 17],
    ],
  },
  {
    name: 'twice_at_the_end',
    samples: [
      [-20, 70],
      [-10, 80],
    ],
  },
  // 1.1 times the average distance from an end is far, a little less is near.
  {
    name: 'far_from_both_ends',
    samples: [
      [-250, 900],
      [-200, 910],
      [-150, 920],
    ],
  },
  {
    name: 'threshold_at_start',
    samples: [
      [-190, 900],
      [-90, 910],
      [10, 920],
    ],
  },
  {
    name: 'threshold_at_end',
    samples: [
      [-310, 900],
      [-210, 910],
      [-110, 920],
    ],
  },
  {
    name: 'scrapes_of_all_lengths',
    samples: [
      [-299, 3],
      [-290, 4],
      [-220, 40],
      [-219, 41],
      [-100, 90],
      [-3, 91],
      [55, 300],
    ],
  },
  { name: 'fractions', samples: every(15, -600, 60, (i) => i * 0.1) },
];
