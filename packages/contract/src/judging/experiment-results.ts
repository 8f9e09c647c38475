import { z } from 'zod';
import { Count, Id, Time } from '../primitives.ts';
import { ExperimentState, ExperimentVariant } from './experiment-definition.ts';
import { Interval, SampleRatio } from './primitives.ts';

/** A difference of the variant minus the control, in units of the metric. */
const Difference = z.object({
  difference: z.number().nullable().meta({ description: 'null where an arm has no units' }),
  interval: Interval,
  p_value: z.number().nullable(),
});
export const VariantResult = z.object({
  variant: z.string(),
  n: z.number().meta({ description: 'units' }),
  mean: z.number().nullable().meta({ description: 'per unit; null without units' }),
  absolute: Difference.nullable().meta({ description: 'the scale on which is decided; null for the control' }),
  lift: z
    .number()
    .nullable()
    .meta({ description: 'the difference as a fraction of the mean of the control, for display' }),
  lift_interval: Interval,
  p_value_adjusted: z.number().nullable().meta({ description: 'for the number of goals and variants' }),
  chance_to_win: z.number().nullable().meta({ description: 'of the Bayesian engine' }),
  risk: z.number().nullable().meta({ description: 'expected loss if the variant is chosen, in units of the metric' }),
  significant: z.boolean(),
  verdict: z.enum(['control', 'better', 'worse', 'no_difference_yet', 'too_few_data', 'unreliable']),
  reason: z.string().nullable().meta({ description: 'why there is no verdict' }),
  power: z
    .number()
    .nullable()
    .meta({ description: 'the chance to find the smallest effect of interest with these data' }),
  days_left: z.number().nullable().meta({ description: 'until that chance is 80 %, at the traffic so far' }),
});
export const MetricResult = z.object({
  metric: z.string().meta({ description: 'id' }),
  key: z.string(),
  name: z.string(),
  kind: z.string(),
  direction: z.enum(['up_is_good', 'down_is_good']),
  role: z.enum(['goal', 'secondary', 'guardrail']),
  error: z.string().nullable().meta({ description: 'why the metric has no numbers' }),
  variants: z.array(VariantResult),
});
export const ExperimentResults = z.object({
  experiment: Id,
  state: ExperimentState,
  from: Time,
  to: Time,
  snapshot_at: Time,
  frozen: z.boolean().meta({ description: 'the snapshot that was taken when the experiment stopped' }),
  reliable: z.boolean().meta({ description: 'false: read `health` before any number' }),
  health: z.object({
    sample_ratio: SampleRatio,
    exposures: z.number().meta({ description: 'units that saw one variant' }),
    crossed_units: z.number().meta({ description: 'units that saw several variants; they are left out' }),
    crossed_share: z.number(),
    untracked_units: z.number().meta({ description: 'units that saw the flag outside of the experiment' }),
    evaluations: z.number().meta({ description: 'of the flag in the environment, with or without a unit' }),
    ahead: z.number().meta({ description: 'units whose exposure is in the future: the clock of the client is wrong' }),
    before_start: z
      .number()
      .meta({ description: 'units in a split of the flag in the 24 hours before the start: they do not count for it' }),
    phases: z
      .array(
        z.object({
          from: Time,
          to: Time.nullable(),
          variants: z.array(ExperimentVariant),
          share: z.number(),
          reason: z.string(),
          sample_ratio: SampleRatio,
        }),
      )
      .meta({ description: 'units by the phase of their first exposure' }),
    warnings: z.array(z.string()),
  }),
  metrics: z.array(MetricResult),
});
/** Results of parts of the units. They were not planned, so a difference is a hint for another experiment. */
export const ExperimentDimension = z.object({
  expression: z.string(),
  exploratory: z.literal(true),
  note: z.string(),
  values: z
    .array(
      z.object({
        value: z.string().nullable().meta({ description: 'null: the first evaluation has no value' }),
        is_other: z.boolean().meta({ description: 'all values beside those with the most units' }),
        units: z.number(),
        metrics: z.array(MetricResult),
      }),
    )
    .meta({ description: 'those with the most units first' }),
});
export const ExperimentAnswer = ExperimentResults.extend({
  dimension: ExperimentDimension.nullable().meta({ description: 'null unless `dimension` is asked for' }),
});
export const ExperimentNovelty = z.object({
  metric: z.string().meta({ description: 'key' }),
  exploratory: z.literal(true),
  note: z.string(),
  days: z
    .array(
      z.object({
        day: Count.meta({ description: 'whole days since the exposure of a unit' }),
        variants: z.array(
          z.object({
            variant: z.string(),
            n: z.number().meta({ description: 'units that have had the whole day' }),
            mean: z.number().nullable(),
            difference: z.number().nullable(),
            interval: Interval,
          }),
        ),
      }),
    )
    .meta({ description: 'at most 30' }),
});
/** Whether the effect of a variant depends on the arm that units have in another experiment. */
export const ExperimentInteraction = z.object({
  experiment: z.object({ id: Id, key: z.string(), name: z.string(), flag: z.string() }),
  metric: z.object({ key: z.string(), name: z.string() }),
  units: z.number().meta({ description: 'that both experiments measure' }),
  effects: z.array(
    z.object({
      variant: z.string(),
      other_variant: z.string(),
      n: z.number(),
      difference: z.number().nullable(),
      interval: Interval,
    }),
  ),
  p_value: z.number().nullable().meta({ description: 'that the effects are equal; null with too few units' }),
  p_value_adjusted: z.number().nullable().meta({ description: 'for the number of rows' }),
  significant: z.boolean(),
});
export const ExperimentPoint = z.object({
  time: Time.meta({ description: 'the day, at 0:00 UTC; its numbers are those from the start to its end' }),
  metric: z.string().meta({ description: 'id' }),
  variant: z.string(),
  n: z.number(),
  mean: z.number().nullable(),
  difference: z.number().nullable(),
  interval: Interval,
});

/** Of the calculator: units per arm, and how long they take. */
export const SamplePlan = z.object({ per_arm: z.number(), total: z.number(), days: z.number().nullable() });
export const Calculation = z.object({
  per_arm: z.number().meta({ description: 'of the fixed test, or of the sequential one if `sequential` is true' }),
  total: z.number(),
  days: z.number().nullable().meta({ description: 'null without `daily`' }),
  fixed: SamplePlan,
  sequential: SamplePlan,
  baseline: z.number(),
  stddev: z.number(),
  effect: z.number(),
  daily: z.number().nullable(),
  measured_days: z.number().nullable().meta({
    description:
      'days of own telemetry that `baseline` and `daily` were measured in, at most 14; null without `metric`',
  }),
  power_at_days: z
    .array(z.object({ days: z.number(), fixed: z.number(), sequential: z.number() }))
    .meta({ description: 'the power by day, with the daily units' }),
});

export type ExperimentResults = z.output<typeof ExperimentResults>;
export type ExperimentPoint = z.output<typeof ExperimentPoint>;
export type MetricResult = z.output<typeof MetricResult>;
export type VariantResult = z.output<typeof VariantResult>;
export type ExperimentDimension = z.output<typeof ExperimentDimension>;
export type ExperimentNovelty = z.output<typeof ExperimentNovelty>;
export type ExperimentInteraction = z.output<typeof ExperimentInteraction>;
