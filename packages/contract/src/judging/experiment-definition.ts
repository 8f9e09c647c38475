import { z } from 'zod';
import { Clause } from '../flags/targeting.ts';
import { Count, Description, FlagKey, Id, Key, Name, Reference, Time, Version, Weight } from '../primitives.ts';
import type { MetricDefinition } from './metrics.ts';
import { MetricRef } from './primitives.ts';

export const ExperimentState = z.enum(['draft', 'running', 'stopped', 'archived']);

/** Out of 100000; the sum of all weights is checked by the server. */
export const ExperimentVariant = z.strictObject({ variant: FlagKey, weight: Weight });

export const ExperimentMetrics = z.strictObject({
  goals: z.array(MetricRef).max(20).default([]).meta({ description: 'the metrics that decide, corrected together' }),
  secondary: z.array(MetricRef).max(30).default([]),
  guardrails: z.array(MetricRef).max(20).default([]).meta({ description: 'metrics that must not get worse' }),
});

export const Analysis = z.strictObject({
  engine: z.enum(['frequentist', 'bayesian']).default('frequentist'),
  alpha: z.number().gt(0).max(0.5).default(0.05).meta({ description: '0.05: intervals of 95 %' }),
  sequential: z.boolean().default(true).meta({
    description: 'intervals that hold however often one looks; false: one look at a time that was planned before',
  }),
  cuped: z
    .boolean()
    .default(false)
    .meta({ description: 'uses what units did before their exposure to narrow intervals' }),
  cuped_days: z.number().int().min(1).max(60).default(14),
  correction: z.enum(['none', 'holm', 'benjamini_hochberg']).default('holm').meta({
    description: 'over the goals of all arms; only with several of them',
  }),
  minimal_effect: z.number().gt(0).max(10).default(0.05).meta({
    description: 'the smallest relative effect worth finding: `power` and `days_left` are about it',
  }),
  prior: z
    .strictObject({ mean: z.number(), variance: z.number().gt(0) })
    .nullable()
    .default(null)
    .meta({ description: 'of the relative lift, for the Bayesian engine; null: flat' }),
});

export const Audience = z.array(Clause).max(50).meta({
  description:
    'who takes part: contexts that match all clauses. The others get what the targeting says, and are not measured. Empty: everybody',
});

const Facts = {
  name: Name,
  hypothesis: Description.default(''),
  flag: FlagKey,
  environment: z
    .string()
    .min(1)
    .max(128)
    .meta({ description: 'key or id', examples: ['production'] }),
  control: FlagKey.meta({ description: 'the variant that the others are compared with' }),
  variants: z
    .array(ExperimentVariant)
    .min(2)
    .max(10)
    .meta({ description: 'with the control; the weights are shares of the audience, out of 100000 together' }),
  bucket_by: z.string().min(1).max(256).nullable().default(null),
  audience: Audience.default([]),
  layer: z.string().min(1).max(128).nullable().default(null).meta({
    description: 'a seed that experiments share, so that disjoint slices of it never meet in one unit',
  }),
  traffic: z
    .strictObject({
      share: z.number().int().min(1).max(100_000).default(100_000),
      start: z
        .number()
        .int()
        .min(0)
        .max(99_999)
        .default(0)
        .meta({ description: 'where its slice of the layer begins' }),
    })
    .default({ share: 100_000, start: 0 })
    .meta({
      description: 'the part of the units that takes part, out of 100000; the rest gets the control, untracked',
    }),
  metrics: ExperimentMetrics.default({ goals: [], secondary: [], guardrails: [] }),
  analysis: Analysis.prefault({}),
};
export const ExperimentDraft = z.strictObject({ key: Key, ...Facts });
export type ExperimentDraft = z.output<typeof ExperimentDraft>;
/** What is stored of a draft beside its names and its place; metrics are named by id. */
export type ExperimentDefinition = Omit<ExperimentDraft, 'key' | 'name' | 'flag' | 'environment'>;
export type ExperimentMetrics = z.output<typeof ExperimentMetrics>;

/** A time in which weights and audience did not change. It ends with the next one, or with the experiment. */
export interface ExperimentPhase {
  readonly from: string;
  readonly variants: ExperimentDraft['variants'];
  readonly share: number;
  /** Undefined: it has never changed. */
  readonly audience?: ExperimentDraft['audience'] | undefined;
  readonly reason: string;
}

/** A metric as it was when its experiment started. */
export interface ExperimentMetric {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly role: 'goal' | 'secondary' | 'guardrail';
  readonly definition: MetricDefinition;
}

/** A/A replay: past units, divided as the experiment will divide them, although nothing was different for them. */
export const ExperimentReplay = z.object({
  computed_at: Time,
  from: Time,
  to: Time,
  ok: z
    .boolean()
    .meta({ description: 'false: the arms differ before the experiment starts, so it needs another salt' }),
  reason: z.string().nullable().meta({ description: 'why it is not ok' }),
  tried: Count.meta({ description: 'salts that were tried' }),
  units: z.record(z.string(), z.number()).meta({ description: 'past units by variant' }),
  days: z.number().meta({
    description: 'since the first of these units, at most 14: what `daily`, `power` and `minimal_effect` are about',
  }),
  daily: z.number().meta({ description: 'new units per day' }),
  warnings: z.array(z.string()).meta({ description: 'what the replay cannot know, such as who is in the audience' }),
  metrics: z.array(
    z.object({
      metric: z.string().meta({ description: 'key' }),
      name: z.string(),
      role: z.enum(['goal', 'secondary', 'guardrail']),
      error: z.string().nullable(),
      mean: z.number().nullable().meta({ description: 'of the past units in the control group' }),
      difference: z.number().nullable().meta({ description: 'the largest one between the control and a variant' }),
      p_value: z.number().nullable().meta({ description: 'of that difference, for a fixed test' }),
      unlucky: z.boolean(),
      power: z.number().nullable().meta({
        description: 'the chance to find the smallest effect of interest in as many `days`, with these units',
      }),
      minimal_effect: z
        .number()
        .nullable()
        .meta({ description: 'the relative effect that is found in as many `days` with a chance of 80 %' }),
    }),
  ),
});
export type ExperimentReplay = z.output<typeof ExperimentReplay>;

export const Experiment = z.object({
  id: Id,
  key: z.string(),
  ...Facts,
  environment: z.string().meta({ description: 'key' }),
  state: ExperimentState,
  version: Version,
  phases: z.array(
    z.object({
      from: Time,
      to: Time.nullable(),
      variants: z.array(ExperimentVariant),
      share: Weight.meta({ description: 'the part of the units that takes part, out of 100000' }),
      audience: Audience,
      reason: z.string(),
    }),
  ),
  replay: ExperimentReplay.nullable().meta({ description: 'the last A/A replay; null without one' }),
  started_at: Time.nullable(),
  stopped_at: Time.nullable(),
  winner: z.string().nullable().meta({ description: 'the variant that apply-winner served to everybody' }),
  winner_change: z.string().nullable().meta({ description: 'the change that waits for approval, if any' }),
  created_by: Reference.nullable(),
  created_at: Time,
  updated_by: Reference.nullable(),
  updated_at: Time,
});
