import { describe, expect, it } from 'vitest';
import { samplesOf } from './sample-rules.ts';
import { type InstanceState, noState, type RuleState, type Semantics, step } from './step-rules.ts';

const sampleMs = 15_000;
const everyMs = 30_000;
/** A series without a sample for that long has no value any more. */
const lookbackMs = 300_000;

interface Case {
  readonly rule: string;
  readonly above: number;
  readonly forMs: number;
  /** Values, and how many samples have each of them. */
  readonly samples: readonly (readonly [value: number, count: number])[];
  /** The sample from which on the alert is expected in a state. */
  readonly expected: readonly (readonly [sample: number, state: InstanceState])[];
}

/** The first samples of most cases: below the threshold up to the eighth, two minutes after the start. */
const quiet = [
  [3, 1],
  [5, 3],
  [9, 4],
] as const;

/**
 * The samples and the expected states of the test cases of alert_generator/cases (https://github.com/prometheus/compliance at 7b834ea,
 * Apache-2.0, The Prometheus Authors), in our form: a sample each 15 s, an evaluation each 30 s. As there, a state may come up to one evaluation late. Its
 * rule about the series ALERTS has no equal here, and when alerts are sent again is what notifications are tested for.
 */
const cases: readonly Case[] = [
  {
    rule: 'PendingAndFiringAndResolved_SimpleAlert',
    above: 10,
    forMs: 24 * sampleMs,
    samples: [...quiet, [11, 13], [15, 32], [19, 16], [9, 20], [15, 45], [8, 16]],
    expected: [
      [8, 'pending'],
      [32, 'firing'],
      [69, 'resolved'],
      [89, 'pending'],
      [113, 'firing'],
      [134, 'resolved'],
    ],
  },
  {
    rule: 'PendingAndResolved_AlwaysInactive_PendingAlert',
    above: 10,
    forMs: 12 * sampleMs,
    samples: [...quiet, [11, 11], [9, 1]],
    expected: [
      [8, 'pending'],
      [19, 'inactive'],
    ],
  },
  {
    rule: 'PendingAndResolved_AlwaysInactive_InactiveAlert',
    above: 99,
    forMs: 12 * sampleMs,
    samples: [...quiet, [11, 11], [9, 1]],
    expected: [],
  },
  {
    rule: 'ZeroFor_SmallFor_ZeroFor',
    above: 10,
    forMs: 0,
    samples: [...quiet, [15, 13], [9, 72], [11, 13], [9, 1]],
    expected: [
      [8, 'firing'],
      [21, 'resolved'],
      [93, 'firing'],
      [106, 'resolved'],
    ],
  },
  {
    rule: 'ZeroFor_SmallFor_SmallFor',
    above: 13,
    forMs: everyMs / 2,
    samples: [...quiet, [15, 13], [9, 72], [11, 13], [9, 1]],
    expected: [
      [8, 'pending'],
      // With the second evaluation and not before.
      [10, 'firing'],
      [21, 'resolved'],
    ],
  },
  {
    rule: 'NewAlerts_OrderCheck_Rule1, variant one',
    above: 10,
    forMs: 12 * sampleMs,
    samples: [
      [1, 8],
      [11, 65],
      [9, 21],
    ],
    expected: [
      [8, 'pending'],
      [20, 'firing'],
      [73, 'resolved'],
    ],
  },
  {
    rule: 'NewAlerts_OrderCheck_Rule1, variant two',
    above: 10,
    forMs: 12 * sampleMs,
    samples: [
      [1, 32],
      [11, 33],
      [9, 21],
    ],
    expected: [
      [32, 'pending'],
      [44, 'firing'],
      [65, 'resolved'],
    ],
  },
];

describe('an alert rule moves as in the compliance tests of Prometheus', () => {
  it.each(cases.map((one) => [one.rule, one] as const))('%s', (_rule, { above, forMs, samples, expected }) => {
    const values = samples.flatMap(([value, count]) => Array.from({ length: count }, () => value));
    const semantics: Semantics = {
      everyMs,
      forMs,
      keepFiringForMs: 0,
      noData: 'ok',
      missingSeries: 'resolve',
      missingIsFalse: false,
      onError: 'keep',
    };
    const moved: { readonly at: number; readonly to: InstanceState }[] = [];
    let state: RuleState = noState;
    for (let at = 0; at <= (values.length + 40) * sampleMs; at += everyMs) {
      const last = Math.min(Math.floor(at / sampleMs), values.length - 1);
      const value = values[last];
      const isStale = at - last * sampleMs > lookbackMs;
      const rows = value === undefined || isStale ? [] : [{ identity: 'a', labels: {}, value }];
      const found = samplesOf({ kind: 'threshold', op: '>', threshold: above }, rows, {});
      const stepped = step(semantics, { labels: {} }, state, {
        at,
        outcome: 'answered',
        samples: found,
        delayed: false,
      });
      state = stepped.state;
      moved.push(...stepped.transitions.map(({ to }) => ({ at, to })));
    }
    expect(moved.map(({ to }) => to)).toEqual(expected.map(([, to]) => to));
    for (const [i, [sample]] of expected.entries()) {
      expect(moved[i]?.at).toBeGreaterThanOrEqual(sample * sampleMs);
      expect(moved[i]?.at).toBeLessThanOrEqual(sample * sampleMs + everyMs);
    }
  });
});
