import { z } from 'zod';
import { HoldDuration } from '../flags/ramps.ts';
import {
  Description,
  Key,
  Name,
  QueryBoolean,
  Reference,
  SearchText,
  Time,
  TimeInput,
  Version,
  WindowEnd,
} from '../primitives.ts';
import { route } from '../route.ts';
import { ReplacedVersion } from '../versions.ts';
import { Direction, MetricSource } from './primitives.ts';

const path = '/workspaces/{ws}/projects/{p}/metrics';

export const MetricKind = z
  .enum(['conversion', 'count', 'mean', 'sum', 'ratio', 'quantile', 'retention', 'funnel'])
  .meta({
    description:
      'what a unit contributes. `conversion`: whether it has a row. `count`: its rows. `sum`: the sum of `value`, 0 without rows. `mean`: the sum of `value`, per row. `ratio`: the sum of `value` per `denominator`. `quantile`: the values of its rows. `retention`: whether it has a row in the days of `retention`. `funnel`: whether it has a row of each of `steps`, in order',
  });
const Expression = z.string().min(1).max(4_096).meta({ description: 'an OQL expression over a row of `source`' });

const Facts = {
  name: Name,
  description: Description.default(''),
  kind: MetricKind,
  source: MetricSource.meta({
    description: 'OQL up to the rows: each row is an event of a unit',
    examples: ['logs | where body == "purchase"'],
  }),
  value: Expression.optional().meta({
    description: 'the number of a row: an OQL expression. Needed by mean, sum, ratio and quantile',
    examples: ['attr["order.total"]'],
  }),
  denominator: Expression.optional().meta({
    description: 'for ratio: the number of a row in the denominator. 1 makes it the mean per row',
  }),
  quantile: z.number().gt(0).lt(1).optional().meta({ description: 'for quantile: 0.95 is the 95th percentile' }),
  steps: z
    .array(Expression)
    .min(2)
    .max(10)
    .optional()
    .meta({ description: 'for funnel: conditions over a row; rows that meet them must follow one another' }),
  retention: z
    .strictObject({ from: HoldDuration, to: HoldDuration })
    .optional()
    .meta({ description: 'for retention: the time after the exposure in which a row counts' }),
  unit: z
    .string()
    .min(1)
    .max(256)
    .default('trace_id')
    .meta({
      description:
        'what joins a row to an exposure: `trace_id` (the traces that saw the flag), or an attribute with the id of the unit',
      examples: ['user.id'],
    }),
  window: HoldDuration.nullable().default(null).meta({
    description: 'rows later than this after the exposure do not count; null: no limit',
  }),
  direction: Direction.default('up_is_good'),
  cap: z.number().gt(0.5).lt(1).nullable().default(null).meta({
    description: 'units above this quantile of all units count as that quantile: 0.99 limits what one unit can do',
  }),
  guardrail: z.boolean().default(false).meta({ description: 'a metric that must not get worse' }),
};

export const MetricDraft = z.strictObject({ key: Key, ...Facts });
/** What a metric measures, without its name. */
export type MetricDefinition = Omit<z.output<typeof MetricDraft>, 'key' | 'name'>;

export const Metric = z.object({
  id: z.string().meta({ description: 'the key, for a built-in metric' }),
  key: z.string(),
  ...Facts,
  value: z.string().nullable(),
  denominator: z.string().nullable(),
  quantile: z.number().nullable(),
  steps: z.array(z.string()).nullable(),
  retention: z.object({ from: z.string(), to: z.string() }).nullable(),
  built_in: z.boolean().meta({ description: 'every project has it; it cannot be changed' }),
  version: Version,
  created_by: Reference.nullable(),
  created_at: Time.nullable(),
  updated_by: Reference.nullable(),
  updated_at: Time.nullable(),
});

export const MetricExplanation = z.object({
  sql: z.string().meta({ description: 'the statement that returns the rows' }),
  oql: z.string().meta({ description: 'the normalized query' }),
  plan: z.array(z.string()).meta({ description: 'what happens with the rows, step by step' }),
  from: Time,
  to: Time,
  sample: z.array(
    z.object({
      time: Time,
      unit: z.string().nullable(),
      value: z.number().nullable(),
      denominator: z.number().nullable(),
      joined: z.boolean().meta({ description: 'whether the unit has seen a flag in the window' }),
    }),
  ),
  units: z.object({
    rows: z.number().meta({ description: 'rows of the source' }),
    with_unit: z.number().meta({ description: 'rows that have a value for the unit' }),
    joined: z.number().meta({ description: 'rows whose unit has seen a flag in the window' }),
    share: z.number().nullable().meta({ description: 'of the rows that join; null without rows' }),
  }),
  not_numbers: z.number().meta({ description: 'rows whose value is missing, NaN or infinite: they do not count' }),
  negative: z.number().meta({ description: 'rows with a negative value' }),
  warnings: z.array(z.string()),
});

const errors = ['OQL_INVALID', 'METRIC_INVALID', 'PERMISSION_DENIED'] as const;
const reading = ['QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE', 'WINDOW_INVALID'] as const;
const example = {
  key: 'purchase',
  name: 'Purchase',
  kind: 'conversion',
  source: 'logs | where body == "purchase"',
  unit: 'user.id',
  direction: 'up_is_good',
};
const explaining = {
  from: TimeInput.optional(),
  to: WindowEnd.optional(),
  flag: z.string().max(128).optional().meta({ description: 'counts only units that have seen this flag' }),
  environment: z.string().max(128).optional(),
};

export const listMetrics = route({
  id: 'metrics.list',
  method: 'GET',
  path,
  summary: 'List the metrics of a project, built-in ones first',
  auth: 'user',
  permission: 'experiments:read',
  list: true,
  query: { search: SearchText.optional(), built_in: QueryBoolean.optional() },
  response: Metric,
});
export const createMetric = route({
  id: 'metrics.create',
  example: { body: example },
  method: 'POST',
  path,
  summary: 'Create a metric',
  auth: 'user',
  permission: 'experiments:write',
  alsoNeeds: 'telemetry:query',
  body: MetricDraft,
  response: Metric,
  errors: [...errors, 'KEY_TAKEN', 'LIMIT_REACHED'],
});
export const explainDraft = route({
  id: 'metrics.explain_draft',
  example: { body: { metric: example } },
  method: 'POST',
  path: `${path}/explain`,
  summary: 'Explain a metric before it is saved: its statement, sample rows, and the share that joins to units',
  auth: 'user',
  permission: 'experiments:read',
  alsoNeeds: 'telemetry:query',
  reads: true,
  body: z.strictObject({ metric: MetricDraft, ...explaining }),
  response: MetricExplanation,
  errors: [...errors, ...reading, 'FLAG_NOT_FOUND'],
});
export const getMetric = route({
  id: 'metrics.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get a metric',
  auth: 'user',
  permission: 'experiments:read',
  response: Metric,
});
export const replaceMetric = route({
  id: 'metrics.replace',
  example: { body: { ...example, key: undefined, version: 1 } },
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Replace a metric',
  description: 'Experiments that run, and guarded releases that monitor, keep the definition with which they began.',
  auth: 'user',
  permission: 'experiments:write',
  alsoNeeds: 'telemetry:query',
  body: z.strictObject({
    key: Key.optional().meta({ description: 'the key of a metric cannot change' }),
    ...Facts,
    version: ReplacedVersion,
  }),
  response: Metric,
  errors: [...errors, 'STALE_VERSION', 'METRIC_BUILT_IN'],
});
export const removeMetric = route({
  id: 'metrics.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a metric',
  auth: 'user',
  permission: 'experiments:write',
  errors: ['METRIC_BUILT_IN'],
});
export const explainMetric = route({
  id: 'metrics.explain',
  method: 'GET',
  path: `${path}/{id}/explain`,
  summary: 'Explain a metric: its statement, sample rows, and the share that joins to units',
  auth: 'user',
  permission: 'experiments:read',
  alsoNeeds: 'telemetry:query',
  query: explaining,
  response: MetricExplanation,
  errors: [...errors, ...reading, 'FLAG_NOT_FOUND'],
});

/** As GET, for clients that send what they ask in a body. */
export const explainMetricByPost = route({
  id: 'metrics.explain_by_post',
  example: { body: { from: 'now-1d', to: 'now' } },
  method: 'POST',
  path: `${path}/{id}/explain`,
  summary: 'Explain a metric: as GET, with the window in the body',
  auth: 'user',
  permission: 'experiments:read',
  alsoNeeds: 'telemetry:query',
  reads: true,
  status: 200,
  body: z.strictObject(explaining).optional(),
  response: MetricExplanation,
  errors: [...errors, ...reading, 'FLAG_NOT_FOUND'],
});

export type MetricKind = z.output<typeof MetricKind>;
export type MetricExplanation = z.output<typeof MetricExplanation>;
