import { z } from 'zod';
import { AlertDuration, Labels, LabelsOutput, SampleValue } from '../alerting/primitives.ts';
import { Count, Id, OneLine, Reference, SearchText, Time, TimeInput, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { QueryLanguage } from '../telemetry/telemetry.ts';
import { ReplacedVersion } from '../versions.ts';
import { Oql } from './primitives.ts';

const path = '/workspaces/{ws}/recording-rules';

const Facts = {
  name: OneLine(255)
    .min(1)
    .regex(/^[A-Za-z_][A-Za-z0-9_.:/-]*$/, 'a metric name begins with a letter and has letters, digits and _ . : / -')
    .meta({ description: 'the metric that it writes', examples: ['shop.requests'] }),
  query: Oql.meta({
    description:
      'OQL that returns one number per series, without `bucket(…)`: it runs once for each step. PromQL is evaluated at the end of each step',
    examples: ['spans | stats value=count() by service.name'],
  }),
  query_language: QueryLanguage.default('oql').meta({
    description:
      'series in PromQL end with a staleness marker at the first step without them, as those of Prometheus do',
  }),
  every: AlertDuration.meta({ description: 'the step of time, from 1s to 1d' }),
  offset: AlertDuration.nullable().default(null).meta({
    description:
      'how long after its end a step is asked for, for late data. null: as long as the telemetry that the rules of the group read takes to arrive',
  }),
  labels: Labels.default({}).meta({ description: 'added to the labels of every series' }),
  unit: OneLine(63).default('').meta({ description: 'in UCUM, such as `s` or `By`' }),
  group: OneLine(128).min(1).default('default').meta({
    description: 'rules of a group are run one after the other by position, so that one can read what another wrote',
  }),
  position: z.number().int().min(0).max(1_000).default(0),
  enabled: z.boolean().default(true),
};
export const RecordingRuleDraft = z.strictObject({
  ...Facts,
  project: z
    .string()
    .max(128)
    .meta({ description: 'id or key', examples: ['default'] }),
  environment: z.string().max(128).optional(),
  backfill_from: TimeInput.optional().meta({ description: 'also writes the metric for the time since then' }),
});
export const RecordingRule = z.object({
  id: Id,
  name: z.string(),
  project: z.string().meta({ description: 'key' }),
  environment: z.string().nullable(),
  query: z.string(),
  query_language: QueryLanguage,
  every: z.string(),
  offset: z.string().nullable().meta({ description: 'null: automatic' }),
  effective_offset: z.string().meta({ description: 'the offset of the last step: `offset`, or what was learnt' }),
  labels: LabelsOutput,
  unit: z.string(),
  group: z.string(),
  position: Count,
  enabled: z.boolean(),
  version: Version,
  revision: Version.meta({ description: 'counts changes of what it writes' }),
  watermark: Time.meta({ description: 'up to when the metric is written' }),
  lag_seconds: z.number().meta({ description: 'time since the watermark, less the effective offset' }),
  missed: Count.meta({ description: 'steps that were skipped because they were older than a day' }),
  last_error: z.string().nullable(),
  backfill: z
    .object({
      from: Time,
      to: Time,
      state: z.enum(['running', 'done', 'failed']),
      progress: z.number(),
      error: z.string().nullable(),
    })
    .nullable(),
  created_by: Reference.nullable(),
  created_at: Time,
  updated_by: Reference.nullable(),
  updated_at: Time,
});

const errors = [
  'OQL_INVALID',
  'PROMQL_INVALID',
  'RECORDING_RULE_INVALID',
  'WINDOW_INVALID',
  'PERMISSION_DENIED',
] as const;
const example = {
  name: 'shop.requests',
  project: 'default',
  query: 'spans | stats value=count() by service.name',
  every: '1m',
};

export const listRecordingRules = route({
  id: 'recording_rules.list',
  method: 'GET',
  path,
  summary: 'List recording rules, newest first',
  auth: 'user',
  scopeIn: 'query',
  permission: 'dashboards:read',
  list: true,
  query: {
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
    search: SearchText.optional().meta({ description: 'searches name and query' }),
  },
  response: RecordingRule,
});
export const createRecordingRule = route({
  id: 'recording_rules.create',
  example: { body: example },
  method: 'POST',
  path,
  summary: 'Create a recording rule',
  description:
    'Each row of the answer is a point: the value is the column `value`, or else the only number that is not a key; the keys are its labels. The time of a point is the end of its step.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'dashboards:write',
  alsoNeeds: 'telemetry:query',
  body: RecordingRuleDraft,
  response: RecordingRule,
  errors: [...errors, 'LIMIT_REACHED'],
});
export const previewRecordingRule = route({
  id: 'recording_rules.preview',
  example: { body: example },
  method: 'POST',
  path: `${path}/preview`,
  summary: 'Show what a recording rule would write now, without saving it',
  description:
    'Returns the step that was due last, and the step after it as far as it has gone, except in PromQL. What would be refused when the rule is saved, or fail when it runs, is refused here.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'dashboards:read',
  alsoNeeds: 'telemetry:query',
  reads: true,
  body: RecordingRuleDraft.extend({
    replaces: Id.optional().meta({ description: 'the rule that this would replace: it does not stand in the way' }),
  }),
  response: z.object({
    steps: z.array(
      z.object({
        from: Time,
        to: Time,
        complete: z.boolean().meta({ description: 'false: the step that has not ended, or whose offset is not over' }),
        series: Count,
        points: z
          .array(z.object({ labels: LabelsOutput, value: SampleValue }))
          .meta({ description: 'the first 100 series' }),
      }),
    ),
    cost: z.object({ rows_read: Count, bytes_read: Count, took_ms: Count }),
  }),
  errors: [...errors, 'PROMQL_FAILED', 'QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
export const getRecordingRule = route({
  id: 'recording_rules.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get a recording rule',
  auth: 'user',
  permission: 'dashboards:read',
  response: RecordingRule,
});
export const replaceRecordingRule = route({
  id: 'recording_rules.replace',
  example: { body: { ...example, project: undefined, version: 1 } },
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Replace a recording rule',
  description:
    'A change of what it writes begins a new revision at the watermark: points that were written stay. The place of a rule stays as it is.',
  auth: 'user',
  permission: 'dashboards:write',
  alsoNeeds: 'telemetry:query',
  body: z.strictObject({
    ...Facts,
    project: RecordingRuleDraft.shape.project.optional().meta({ description: 'id or key; a rule cannot move' }),
    environment: z.string().max(128).nullable().optional(),
    backfill_from: RecordingRuleDraft.shape.backfill_from,
    version: ReplacedVersion,
  }),
  response: RecordingRule,
  errors: [...errors, 'STALE_VERSION'],
});
export const removeRecordingRule = route({
  id: 'recording_rules.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a recording rule',
  description: 'The metric keeps the points that were written.',
  auth: 'user',
  permission: 'dashboards:write',
  alsoNeeds: 'telemetry:query',
});
