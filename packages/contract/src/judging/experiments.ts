import { z } from 'zod';
import { FlagChange } from '../flags/flag-changes.ts';
import { Submission } from '../flags/targeting.ts';
import { Description, FlagKey, Id, Key, Name, QueryBoolean, SearchText, Time } from '../primitives.ts';
import { route } from '../route.ts';
import type { MetricDefinition } from './metrics.ts';
import { Interval, MetricRef, SampleRatio } from './primitives.ts';

const path = '/workspaces/{ws}/projects/{p}/experiments';

export const ExperimentState = z.enum(['draft', 'running', 'stopped', 'archived']);

const Weight = z.number().int().min(0).max(100_000);
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
  traffic: z
    .strictObject({
      share: z.number().int().min(1).max(100_000).default(100_000),
      layer: z.string().min(1).max(128).nullable().default(null).meta({
        description: 'a seed that experiments share, so that disjoint slices of it never meet in one unit',
      }),
      start: z
        .number()
        .int()
        .min(0)
        .max(99_999)
        .default(0)
        .meta({ description: 'where its slice of the layer begins' }),
    })
    .default({ share: 100_000, layer: null, start: 0 })
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

/** A metric as it was when its experiment started. */
export interface ExperimentMetric {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly role: 'goal' | 'secondary' | 'guardrail';
  readonly definition: MetricDefinition;
}

export const Experiment = z.object({
  id: Id,
  key: z.string(),
  ...Facts,
  environment: z.string().meta({ description: 'key' }),
  state: ExperimentState,
  version: z.number().int(),
  phases: z.array(
    z.object({
      from: Time,
      to: Time.nullable(),
      variants: z.array(ExperimentVariant),
      reason: z.string(),
    }),
  ),
  started_at: Time.nullable(),
  stopped_at: Time.nullable(),
  winner: z.string().nullable().meta({ description: 'the variant that apply-winner served to everybody' }),
  winner_change: z.string().nullable().meta({ description: 'the change that waits for approval, if any' }),
  created_by: z.object({ id: Id, name: z.string() }).nullable(),
  created_at: Time,
  updated_at: Time,
});

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
  metric: z.object({
    id: z.string(),
    key: z.string(),
    name: z.string(),
    kind: z.string(),
    direction: z.enum(['up_is_good', 'down_is_good']),
  }),
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
    warnings: z.array(z.string()),
  }),
  metrics: z.array(MetricResult),
});
export const ExperimentPoint = z.object({
  time: Time.meta({ description: 'the day, at 0:00 UTC; its numbers are those from the start to its end' }),
  metric: z.string().meta({ description: 'key' }),
  variant: z.string(),
  n: z.number(),
  mean: z.number().nullable(),
  difference: z.number().nullable(),
  interval: Interval,
});

/** Of the calculator: units per arm, and how long they take. */
const Plan = z.object({ per_arm: z.number(), total: z.number(), days: z.number().nullable() });
export const Calculation = z.object({
  per_arm: z.number().meta({ description: 'of the fixed test' }),
  fixed: Plan,
  sequential: Plan,
  baseline: z.number(),
  stddev: z.number(),
  effect: z.number(),
  daily: z.number().nullable(),
  power_at_days: z
    .array(z.object({ days: z.number(), fixed: z.number(), sequential: z.number() }))
    .meta({ description: 'the power by day, with the daily units' }),
});

const example = {
  key: 'checkout-button',
  name: 'Checkout button',
  flag: 'new-checkout',
  environment: 'production',
  control: 'false',
  variants: [
    { variant: 'false', weight: 50_000 },
    { variant: 'true', weight: 50_000 },
  ],
  metrics: { goals: ['error_rate'] },
};
const draftErrors = ['EXPERIMENT_INVALID', 'FLAG_NOT_FOUND', 'NOT_FOUND'] as const;
const Comment = z.strictObject({ comment: Submission.comment }).optional();
const reading = ['QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE', 'PERMISSION_DENIED'] as const;

export const listExperiments = route({
  id: 'experiments.list',
  method: 'GET',
  path,
  summary: 'List experiments, newest first',
  auth: 'user',
  permission: 'experiments:read',
  list: true,
  query: {
    state: ExperimentState.optional(),
    flag: z.string().max(128).optional(),
    search: SearchText.optional(),
  },
  response: Experiment,
});
export const createExperiment = route({
  id: 'experiments.create',
  example: { body: example },
  method: 'POST',
  path,
  summary: 'Create an experiment',
  auth: 'user',
  permission: 'experiments:write',
  body: ExperimentDraft,
  response: Experiment,
  errors: [...draftErrors, 'KEY_TAKEN', 'LIMIT_REACHED'],
});
export const calculateExperiment = route({
  id: 'experiments.calculator',
  example: { query: { kind: 'conversion', baseline: '0.1', effect: '0.1' } },
  method: 'GET',
  path: `${path}/calculator`,
  summary: 'Calculate how many units an experiment needs, and how long it takes',
  auth: 'user',
  permission: 'experiments:read',
  query: {
    kind: z
      .enum(['conversion', 'count', 'mean', 'sum', 'ratio', 'quantile', 'retention', 'funnel'])
      .default('conversion'),
    baseline: z.coerce.number().optional().meta({ description: 'mean of the control; from `metric` if left out' }),
    stddev: z.coerce
      .number()
      .min(0)
      .optional()
      .meta({ description: 'of a unit; follows from the baseline for shares' }),
    effect: z.coerce.number().default(0.05).meta({ description: 'the relative effect to be found: 0.05 is 5 %' }),
    alpha: z.coerce.number().gt(0).lt(1).default(0.05),
    power: z.coerce.number().gt(0).lt(1).default(0.8),
    arms: z.coerce.number().int().min(2).max(10).default(2),
    daily: z.coerce.number().min(0).optional().meta({ description: 'units per day, of all arms' }),
    metric: MetricRef.optional().meta({ description: 'takes baseline, spread and traffic from own telemetry' }),
    flag: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: Calculation,
  errors: ['EXPERIMENT_INVALID', ...reading],
});
export const getExperiment = route({
  id: 'experiments.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get an experiment',
  auth: 'user',
  permission: 'experiments:read',
  response: Experiment,
});
export const replaceExperiment = route({
  id: 'experiments.replace',
  example: { body: { ...example, key: undefined, version: 1 } },
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Replace an experiment that is a draft',
  auth: 'user',
  permission: 'experiments:write',
  body: z.strictObject({
    key: Key.optional(),
    ...Facts,
    version: z.number().int().min(1).meta({ description: 'the current version; another one is refused' }),
  }),
  response: Experiment,
  errors: [...draftErrors, 'EXPERIMENT_STATE', 'STALE_VERSION'],
});
export const removeExperiment = route({
  id: 'experiments.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete an experiment that does not run',
  auth: 'user',
  permission: 'experiments:write',
  errors: ['EXPERIMENT_STATE'],
});
export const startExperiment = route({
  id: 'experiments.start',
  method: 'POST',
  path: `${path}/{id}/start`,
  summary: 'Start an experiment: its weights become the fallthrough of the flag',
  description: 'Variants, weights, salt, audience and metrics stay as they are from now on.',
  auth: 'user',
  permission: 'experiments:write',
  alsoNeeds: 'flags:write',
  status: 200,
  otherStatus: 202,
  accepted: FlagChange,
  body: z.strictObject(Submission).optional(),
  response: Experiment,
  errors: [
    'EXPERIMENT_STATE',
    'EXPERIMENT_INVALID',
    'EXPERIMENT_ACTIVE',
    'RAMP_ACTIVE',
    'FLAG_NOT_FOUND',
    'FLAG_ARCHIVED',
    'PERMISSION_DENIED',
  ],
});
export const stopExperiment = route({
  id: 'experiments.stop',
  method: 'POST',
  path: `${path}/{id}/stop`,
  summary: 'Stop an experiment, take its last results, and restore what the flag served before',
  auth: 'user',
  permission: 'experiments:write',
  alsoNeeds: 'flags:write',
  status: 200,
  body: Comment,
  response: Experiment,
  errors: ['EXPERIMENT_STATE', 'PERMISSION_DENIED'],
});
export const archiveExperiment = route({
  id: 'experiments.archive',
  method: 'POST',
  path: `${path}/{id}/archive`,
  summary: 'Archive an experiment that does not run',
  auth: 'user',
  permission: 'experiments:write',
  status: 200,
  body: Comment,
  response: Experiment,
  errors: ['EXPERIMENT_STATE'],
});
export const applyWinner = route({
  id: 'experiments.apply_winner',
  example: { body: { variant: 'true' } },
  method: 'POST',
  path: `${path}/{id}/apply-winner`,
  summary: 'Serve one variant of a stopped experiment to everybody',
  description: 'Idempotent: a repetition with the same variant returns the same answer and writes nothing.',
  auth: 'user',
  permission: 'experiments:write',
  alsoNeeds: 'flags:write',
  status: 200,
  otherStatus: 202,
  accepted: FlagChange,
  body: z.strictObject({ variant: FlagKey, ...Submission }),
  response: Experiment,
  errors: [
    'EXPERIMENT_STATE',
    'EXPERIMENT_INVALID',
    'EXPERIMENT_ACTIVE',
    'RAMP_ACTIVE',
    'FLAG_NOT_FOUND',
    'FLAG_ARCHIVED',
    'PERMISSION_DENIED',
  ],
});
export const getExperimentMetrics = route({
  id: 'experiments.metrics',
  method: 'GET',
  path: `${path}/{id}/metrics`,
  summary: 'Get the metrics of an experiment',
  auth: 'user',
  permission: 'experiments:read',
  response: ExperimentMetrics,
});
export const replaceExperimentMetrics = route({
  id: 'experiments.replace_metrics',
  example: { body: { goals: ['error_rate'] } },
  method: 'PUT',
  path: `${path}/{id}/metrics`,
  summary: 'Replace the metrics of an experiment',
  description: 'The goals of a running experiment stay; secondary metrics and guardrails can be added to it.',
  auth: 'user',
  permission: 'experiments:write',
  body: ExperimentMetrics,
  response: ExperimentMetrics,
  errors: ['EXPERIMENT_STATE', 'EXPERIMENT_INVALID'],
});
export const getExperimentResults = route({
  id: 'experiments.results',
  method: 'GET',
  path: `${path}/{id}/results`,
  summary: 'Get the results of an experiment, its health first',
  auth: 'user',
  permission: 'experiments:read',
  alsoNeeds: 'telemetry:query',
  query: {
    refresh: QueryBoolean.optional().meta({ description: 'computes them anew; else at most 5 minutes old' }),
  },
  response: ExperimentResults,
  errors: ['EXPERIMENT_STATE', ...reading],
});
export const getExperimentTimeseries = route({
  id: 'experiments.timeseries',
  method: 'GET',
  path: `${path}/{id}/results/timeseries`,
  summary: 'Get the results of an experiment day by day, cumulative',
  auth: 'user',
  permission: 'experiments:read',
  alsoNeeds: 'telemetry:query',
  query: { metric: MetricRef.optional() },
  response: z.array(ExperimentPoint),
  errors: ['EXPERIMENT_STATE', ...reading],
});

export type ExperimentResults = z.output<typeof ExperimentResults>;
export type ExperimentPoint = z.output<typeof ExperimentPoint>;
export type MetricResult = z.output<typeof MetricResult>;
export type VariantResult = z.output<typeof VariantResult>;
