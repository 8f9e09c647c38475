import { z } from 'zod';
import { Count, Id, Name, Reference, SearchText, Time, TimeInput, Version, WebUrl, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';
import { Completeness } from '../telemetry/completeness.ts';
import { QueryLanguage } from '../telemetry/telemetry.ts';
import { VersionIfKnown } from '../versions.ts';
import { AlertDuration, AlertValue, Annotations, Labels, LabelsOutput } from './primitives.ts';

const path = '/workspaces/{ws}/alert-rules';

export const AlertOperator = z.enum(['>', '>=', '<', '<=', '==', '!=']);
export const AlertCondition = z.strictObject({
  op: AlertOperator.optional().meta({
    description:
      'compares the value with `threshold`. In PromQL both can be left out: every series that the expression returns is an alert, as in Prometheus',
  }),
  threshold: z.number().optional(),
  for: AlertDuration.default('0s').meta({ description: 'how long the condition must hold before an instance fires' }),
  keep_firing_for: AlertDuration.default('0s').meta({
    description: 'how long an instance continues to fire after the condition ended',
  }),
});
/** For `kind: change`: what the value is compared with. */
export const AlertChange = z.strictObject({
  ago: AlertDuration.meta({ description: 'how far back the window to compare with is' }),
  as: z.enum(['difference', 'ratio']).default('ratio').meta({
    description: 'difference: value minus the value before; ratio: that as a share of the value before',
  }),
});

const Facts = {
  name: Name,
  query: z
    .string()
    .min(1)
    .max(65_536)
    .meta({
      description:
        'returns one row per instance: a number, and keys that become labels. In PromQL each series is an instance',
      examples: ['spans | stats value=ratio(status == error) by service.name'],
    }),
  query_language: QueryLanguage.meta({
    description: 'PromQL is evaluated at one time, the end of the window; `window` must be left out',
  }),
  kind: z.enum(['threshold', 'absence', 'change']).meta({
    description: 'absence: fires without any row; change: compares with an earlier window',
  }),
  condition: AlertCondition,
  change: AlertChange.optional(),
  every: AlertDuration.meta({ description: 'from 1s to 1d' }),
  offset: AlertDuration.nullable().meta({
    description:
      'how long after the end of its window a query is asked, for late data; null: as late as telemetry of the project arrives, from 1s to 2m',
  }),
  window: AlertDuration.meta({ description: 'the time that the query covers; by default `every`, at least 1m' }),
  labels: Labels.meta({ description: 'added to the labels of every instance' }),
  annotations: Annotations,
  runbook_url: WebUrl,
  no_data: z.enum(['alert', 'ok', 'keep']).meta({ description: 'what happens without any value' }),
  missing_series: z.enum(['resolve', 'keep', 'alert']).meta({
    description: 'what happens to an instance without a value while others have one, from the second evaluation on',
  }),
  on_error: z.enum(['keep', 'alert']).meta({ description: 'what happens when evaluations fail' }),
  enabled: z.boolean(),
};

export const AlertRuleDraft = z.strictObject({
  ...Facts,
  project: z
    .string()
    .max(128)
    .meta({ description: 'id or key', examples: ['default'] }),
  environment: z.string().max(128).optional(),
  query_language: Facts.query_language.default('oql'),
  kind: Facts.kind.default('threshold'),
  every: Facts.every.default('1m'),
  offset: Facts.offset.default(null),
  window: Facts.window.optional(),
  labels: Facts.labels.default({}),
  annotations: Facts.annotations.default({}),
  runbook_url: Facts.runbook_url.optional(),
  no_data: Facts.no_data.default('ok'),
  missing_series: Facts.missing_series.default('resolve'),
  on_error: Facts.on_error.default('keep'),
  enabled: Facts.enabled.default(true),
});

const Person = Reference.nullable();
export const AlertRule = z.object({
  id: Id,
  name: z.string(),
  project: z.string().meta({ description: 'key' }),
  environment: z.string().nullable(),
  query: z.string(),
  query_language: QueryLanguage,
  kind: z
    .enum(['threshold', 'absence', 'change', 'slo_burn'])
    .meta({ description: 'slo_burn: made by an SLO with `burn_alerts`, and changed with it' }),
  burn: z
    .object({
      slo: Id,
      revision: Version,
      severity: z.enum(['page', 'ticket']),
      objective: z.number(),
      min_events: Count,
      step_seconds: Count,
      windows: z.array(z.object({ long: z.string(), short: z.string(), factor: z.number() })),
    })
    .optional()
    .meta({ description: 'of a rule of the kind slo_burn: an instance for each pair of windows' }),
  condition: z.object({
    op: AlertOperator.optional(),
    threshold: z.number().optional(),
    for: z.string(),
    keep_firing_for: z.string(),
  }),
  change: z.object({ ago: z.string(), as: z.enum(['difference', 'ratio']) }).nullable(),
  every: z.string(),
  offset: z.string().nullable().meta({ description: 'null: automatic' }),
  effective_offset: z.string().meta({
    description:
      'the offset that evaluations use now: `offset`, or how late the telemetry that the query reads arrives, such as `5s` or `250ms`',
  }),
  window: z.string(),
  labels: LabelsOutput,
  annotations: LabelsOutput,
  runbook_url: z.string().nullable(),
  no_data: Facts.no_data,
  missing_series: Facts.missing_series,
  on_error: Facts.on_error,
  enabled: z.boolean(),
  version: Version,
  health: z.object({
    state: z.enum(['waiting', 'ok', 'delayed', 'failing']).meta({
      description:
        'waiting: not evaluated yet; delayed: telemetry of its window is not stored yet, so that nothing resolves',
    }),
    error: z.string().nullable().meta({ description: 'of the last evaluation, if it failed' }),
    evaluated_at: Time.nullable().meta({ description: 'when its state last changed or its last error began' }),
    missed: Count.meta({ description: 'slots that were skipped' }),
  }),
  firing: Count.meta({ description: 'instances that fire now' }),
  created_by: Person,
  created_at: Time,
  updated_by: Person,
  updated_at: Time,
});

/**
 * How a rule is evaluated, without its name, its query and its place. Rules from before there was a choice have no
 * language: they are in OQL.
 */
export type AlertDefinition = Partial<Pick<z.output<typeof AlertRule>, 'query_language'>> &
  Pick<
    z.output<typeof AlertRule>,
    | 'kind'
    | 'burn'
    | 'condition'
    | 'change'
    | 'every'
    | 'offset'
    | 'window'
    | 'labels'
    | 'annotations'
    | 'runbook_url'
    | 'no_data'
    | 'missing_series'
    | 'on_error'
  >;

const errors = ['OQL_INVALID', 'PROMQL_INVALID', 'ALERT_RULE_INVALID', 'PERMISSION_DENIED'] as const;
const example = {
  name: 'Checkout fails',
  project: 'default',
  query: 'spans | stats value=ratio(status == error) by service.name',
  condition: { op: '>', threshold: 0.05, for: '5m' },
};

export const listAlertRules = route({
  id: 'alert_rules.list',
  method: 'GET',
  path,
  summary: 'List alert rules, newest first',
  auth: 'user',
  scopeIn: 'query',
  permission: 'alerts:read',
  list: true,
  query: {
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
    search: SearchText.optional().meta({ description: 'searches name and query' }),
  },
  response: AlertRule,
});
export const createAlertRule = route({
  id: 'alert_rules.create',
  example: { body: example },
  method: 'POST',
  path,
  summary: 'Create an alert rule',
  description:
    'Each row of the answer is an instance: the value is the column `value`, or else the only number that is not a key; the keys are its labels. In PromQL each series of the answer is an instance, with its labels but without the name of the metric.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'alerts:write',
  alsoNeeds: 'telemetry:query',
  body: AlertRuleDraft,
  response: AlertRule,
  errors: [...errors, 'LIMIT_REACHED'],
});
export const previewAlertRule = route({
  id: 'alert_rules.preview',
  example: { body: { ...example, from: 'now-1h', to: 'now' } },
  method: 'POST',
  path: `${path}/preview`,
  summary: 'Run an alert rule over past time, without saving it',
  description:
    'Evaluates the rule at each of its slots in the window. If there are more slots than one preview evaluates, `step` is a multiple of `every`, and short firings can be missing.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'alerts:read',
  alsoNeeds: 'telemetry:query',
  reads: true,
  body: z.strictObject({ ...AlertRuleDraft.shape, from: TimeInput, to: WindowEnd }),
  response: z.object({
    instances: z.array(
      z.object({
        labels: LabelsOutput,
        transitions: z.array(
          z.object({ state: z.string(), at: Time, value: AlertValue, reason: z.string().nullable() }),
        ),
      }),
    ),
    truncated: z.boolean().meta({ description: 'further instances fired; 500 are listed' }),
    caught: z
      .array(
        z.object({
          time: Time,
          name: z.string().meta({ description: 'key of the flag' }),
          detail: z.string().meta({ description: 'what changed' }),
          environment: z.string().nullable(),
          actor: z.string().nullable(),
          fired_at: Time.meta({ description: 'when an instance began to fire after the change' }),
        }),
      )
      .nullable()
      .meta({
        description:
          'changes of flags in the hour before an instance began to fire, the latest first, 50 at most; null without flags:read',
      }),
    evaluations: Count,
    failed: Count.meta({ description: 'evaluations that failed' }),
    error: z.string().nullable().meta({ description: 'of the last evaluation that failed' }),
    step: z.string().meta({ description: 'time between two evaluations' }),
    completeness: Completeness.meta({
      description:
        'what the answers of the evaluations may lack together; `missing_anchors` is the largest number, `sampled_share` the smallest share',
    }),
    cost: z.object({
      queries: Count,
      rows_read: Count,
      bytes_read: Count,
      took_ms: Count,
    }),
  }),
  errors: [
    ...errors,
    'PROMQL_FAILED',
    'WINDOW_INVALID',
    'QUERY_TOO_EXPENSIVE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
  ],
});
export const getAlertRule = route({
  id: 'alert_rules.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get an alert rule',
  auth: 'user',
  permission: 'alerts:read',
  response: AlertRule,
});
export const updateAlertRule = route({
  id: 'alert_rules.update',
  example: { body: { enabled: false } },
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change an alert rule',
  description: 'Instances keep their state where their labels stay the same.',
  auth: 'user',
  permission: 'alerts:write',
  alsoNeeds: 'telemetry:query',
  body: z.strictObject({
    name: Facts.name.optional(),
    query: Facts.query.optional(),
    query_language: Facts.query_language.optional(),
    kind: Facts.kind.optional(),
    condition: Facts.condition.optional(),
    change: Facts.change,
    every: Facts.every.optional(),
    offset: Facts.offset.optional(),
    window: Facts.window.optional(),
    labels: Facts.labels.optional(),
    annotations: Facts.annotations.optional(),
    runbook_url: Facts.runbook_url.nullable().optional(),
    no_data: Facts.no_data.optional(),
    missing_series: Facts.missing_series.optional(),
    on_error: Facts.on_error.optional(),
    enabled: Facts.enabled.optional(),
    version: VersionIfKnown,
  }),
  response: AlertRule,
  errors: [...errors, 'STALE_VERSION', 'ALERT_RULE_OF_SLO', 'LIMIT_REACHED'],
});
export const removeAlertRule = route({
  id: 'alert_rules.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete an alert rule and its instances',
  auth: 'user',
  permission: 'alerts:write',
  alsoNeeds: 'telemetry:query',
  errors: ['ALERT_RULE_OF_SLO'],
});
