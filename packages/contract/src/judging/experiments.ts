import { z } from 'zod';
import { FlagChange } from '../flags/flag-changes.ts';
import { CommentBody, Submission, SubmissionBody } from '../flags/targeting.ts';
import { FlagKey, Key, QueryBoolean, SearchText, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { ReplacedVersion } from '../versions.ts';
import {
  Audience,
  Experiment,
  ExperimentDraft,
  ExperimentMetrics,
  ExperimentState,
  ExperimentVariant,
} from './experiment-definition.ts';
import {
  Calculation,
  ExperimentAnswer,
  ExperimentInteraction,
  ExperimentNovelty,
  ExperimentPoint,
} from './experiment-results.ts';
import { MetricRef } from './primitives.ts';

const path = '/workspaces/{ws}/projects/{p}/experiments';

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
const reading = ['QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE', 'PERMISSION_DENIED'] as const;

/** Of routes that change the flag: what waits for approval is answered with the change. */
const changesFlag = {
  method: 'POST',
  auth: 'user',
  permission: 'experiments:write',
  alsoNeeds: 'flags:write',
  status: 200,
  otherStatus: 202,
  accepted: FlagChange,
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
} as const;

export const listExperiments = route({
  id: 'experiments.list',
  method: 'GET',
  path,
  trailingSlash: true,
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
  errors: ['FLAG_NOT_FOUND'],
});
export const createExperiment = route({
  id: 'experiments.create',
  bodyLimit: 'document',
  example: { body: example },
  method: 'POST',
  path,
  trailingSlash: true,
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
    sequential: QueryBoolean.optional().meta({
      description: 'whether `per_arm`, `total` and `days` are those of the test that may be looked at any time',
    }),
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
  bodyLimit: 'document',
  example: { body: { ...example, key: undefined, version: 1 } },
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Replace an experiment that is a draft',
  auth: 'user',
  permission: 'experiments:write',
  body: ExperimentDraft.extend({
    key: Key.optional(),
    version: ReplacedVersion,
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
  ...changesFlag,
  path: `${path}/{id}/start`,
  summary: 'Start an experiment: its weights become the fallthrough of the flag',
  description: 'Variants, weights, salt, audience and metrics stay as they are from now on.',
  body: SubmissionBody.optional(),
});
export const replayExperiment = route({
  id: 'experiments.replay',
  method: 'POST',
  path: `${path}/{id}/replay`,
  summary: 'Replay past units of a draft with its real salt, as an A/A test',
  description:
    'Units that saw the flag in the last 14 days are divided as the experiment will divide them. Arms that differ already make an unlucky salt: the experiment is not started with it. `reseed` tries up to 20 other salts.',
  auth: 'user',
  permission: 'experiments:write',
  alsoNeeds: 'telemetry:query',
  status: 200,
  body: z.strictObject({ reseed: z.boolean().default(false) }).optional(),
  response: Experiment,
  errors: ['EXPERIMENT_STATE', 'EXPERIMENT_INVALID', ...reading],
});
export const beginPhase = route({
  id: 'experiments.begin_phase',
  bodyLimit: 'document',
  example: {
    body: {
      variants: [
        { variant: 'false', weight: 20_000 },
        { variant: 'true', weight: 80_000 },
      ],
    },
  },
  ...changesFlag,
  path: `${path}/{id}/phases`,
  summary:
    'Begin a new phase of a running experiment, with other weights, another share of the units or another audience',
  description:
    'Units keep the phase of their first exposure. Units whose variant changes are left out as crossed. Results weigh the phases by their units, so that a change of weights is not mistaken for an effect.',
  body: z.strictObject({
    variants: z.array(ExperimentVariant).min(2).max(10).optional().meta({ description: 'the same variants' }),
    share: z.number().int().min(1).max(100_000).optional().meta({ description: 'as `traffic.share`' }),
    audience: Audience.optional(),
    ...Submission,
  }),
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
  body: CommentBody.optional(),
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
  body: CommentBody.optional(),
  response: Experiment,
  errors: ['EXPERIMENT_STATE'],
});
export const applyWinner = route({
  id: 'experiments.apply_winner',
  example: { body: { variant: 'true' } },
  ...changesFlag,
  path: `${path}/{id}/apply-winner`,
  summary: 'Serve one variant of a stopped experiment to everybody',
  description: 'Idempotent: a repetition with the same variant returns the same answer and writes nothing.',
  body: z.strictObject({ variant: FlagKey, ...Submission }),
});
export const VersionedExperimentMetrics = ExperimentMetrics.extend({
  version: Version.meta({ description: 'of the experiment' }),
});
export const getExperimentMetrics = route({
  id: 'experiments.metrics',
  method: 'GET',
  path: `${path}/{id}/metrics`,
  summary: 'Get the metrics of an experiment',
  auth: 'user',
  permission: 'experiments:read',
  response: VersionedExperimentMetrics,
});
export const replaceExperimentMetrics = route({
  id: 'experiments.replace_metrics',
  example: { body: { goals: ['error_rate'], guardrails: ['latency_p95'], version: 1 } },
  method: 'PUT',
  path: `${path}/{id}/metrics`,
  summary: 'Replace the metrics of an experiment',
  description: 'The goals of a running experiment stay; secondary metrics and guardrails can be added to it.',
  auth: 'user',
  permission: 'experiments:write',
  body: ExperimentMetrics.extend({ version: ReplacedVersion.meta({ description: 'of the experiment' }) }),
  response: VersionedExperimentMetrics,
  errors: ['EXPERIMENT_STATE', 'EXPERIMENT_INVALID', 'STALE_VERSION'],
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
    refresh: QueryBoolean.optional().meta({
      description: 'computes them again; without it they are at most 5 minutes old',
    }),
    dimension: z
      .string()
      .min(1)
      .max(1_024)
      .optional()
      .meta({
        description:
          'also the results of parts of the units: an OQL expression of the evaluation that exposed a unit first (`flags "KEY"`), such as `service.name`, `span.browser.name` or `variant`. At most 8 parts',
        examples: ['service.name'],
      }),
  },
  response: ExperimentAnswer,
  errors: ['EXPERIMENT_STATE', 'OQL_INVALID', ...reading],
});
export const getExperimentNovelty = route({
  id: 'experiments.novelty',
  method: 'GET',
  path: `${path}/{id}/results/novelty`,
  summary: 'Get the effect of an experiment by days since the exposure of each unit',
  description:
    'An effect that fades shows that units only react to the change; one that grows, that they learn. Not for the kinds retention, funnel and quantile.',
  auth: 'user',
  permission: 'experiments:read',
  alsoNeeds: 'telemetry:query',
  query: { metric: MetricRef.optional().meta({ description: 'the first goal by default' }) },
  response: ExperimentNovelty,
  errors: ['EXPERIMENT_STATE', 'EXPERIMENT_INVALID', ...reading],
});
export const listExperimentInteractions = route({
  id: 'experiments.interactions',
  method: 'GET',
  path: `${path}/{id}/results/interactions`,
  summary: 'Scan an experiment for interactions with every other one that runs in its environment',
  description: 'For each goal: whether the effect depends on the arm that a unit has in the other experiment.',
  auth: 'user',
  permission: 'experiments:read',
  alsoNeeds: 'telemetry:query',
  response: z.array(ExperimentInteraction),
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
