import { z } from 'zod';
import { AlertOperator } from '../alerting/alert-rules.ts';
import {
  Count,
  Description,
  Id,
  Name,
  Reference,
  SearchText,
  Time,
  TimeInput,
  Version,
  WindowEnd,
} from '../primitives.ts';
import { route } from '../route.ts';
import { QueryLanguage } from '../telemetry/telemetry.ts';
import { Why } from '../telemetry/why.ts';
import { ReplacedVersion } from '../versions.ts';
import { Oql, TimeZone } from './primitives.ts';

const path = '/workspaces/{ws}/slos';

export const SloSlice = z.enum(['1m', '5m', '10m', '15m', '30m', '1h']);
export const SloIndicator = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('events'),
    source: Oql.meta({
      description: 'OQL up to the rows, each of which is an event',
      examples: ['spans | where service.name == "checkout"'],
    }),
    good: Oql.meta({ description: 'the condition that a good event meets', examples: ['status != error'] }),
  }),
  z.strictObject({
    kind: z.literal('ratio'),
    query_language: QueryLanguage.optional().meta({
      description:
        'of `good` and `total`, by default oql. PromQL is evaluated at the end of each minute; each selector has the range `[1m]`, and `increase` counts from the last sample before the minute without extrapolation',
    }),
    good: Oql.meta({
      description: 'counts the good events. OQL without `bucket(…)`, or PromQL that returns one series',
    }),
    total: Oql.meta({ description: 'counts all events, in the same language' }),
  }),
  z.strictObject({
    kind: z.literal('slices'),
    query_language: QueryLanguage.optional().meta({
      description: 'by default oql. PromQL is evaluated at the end of each slice, and returns at most one series',
    }),
    query: Oql.meta({
      description:
        'a query for one number, which is evaluated for each slice of time. OQL without `bucket(…)`, or PromQL',
      examples: ['spans | where service.name == "checkout" | stats value=p95(duration)'],
    }),
    op: AlertOperator.meta({ description: 'a slice is good where `value op threshold` holds' }),
    threshold: z.number(),
    slice: SloSlice.default('1m'),
  }),
]);
export const SloWindow = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rolling'), period: z.enum(['7d', '28d', '30d', '90d']) }),
  z.strictObject({
    kind: z.literal('calendar'),
    unit: z.enum(['week', 'month', 'quarter']).meta({ description: 'a week begins on Monday' }),
    time_zone: TimeZone,
  }),
]);
export const SloObjective = z
  .number()
  .min(0.000001, 'an objective is a share: more than 0 and less than 1')
  .max(0.9999999, 'an objective is less than 1: 100 % leaves no budget to spend. The highest is 0.9999999')
  .meta({ description: 'the share of good events, more than 0 and less than 1', examples: [0.999] });

const Facts = {
  name: Name,
  description: Description.default(''),
  indicator: SloIndicator,
  objective: SloObjective,
  window: SloWindow,
  burn_alerts: z.boolean().default(false).meta({
    description: 'keeps alert rules of the kind slo_burn that page and open tickets by how fast the budget is spent',
  }),
  min_events: z.number().int().min(1).max(1_000_000_000).default(10).meta({
    description: 'events that a window must have before it can alert; slices count as events',
  }),
};

export const SloDraft = z.strictObject({
  ...Facts,
  project: z
    .string()
    .max(128)
    .meta({ description: 'id or key', examples: ['default'] }),
  environment: z.string().max(128).optional(),
});

export const SloBackfill = z.object({
  state: z.enum(['running', 'done', 'failed']),
  progress: z.number().meta({ description: 'from 0 to 1' }),
  error: z.string().nullable(),
});
export const Slo = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  project: z.string().meta({ description: 'key' }),
  environment: z.string().nullable(),
  indicator: SloIndicator,
  objective: z.number(),
  window: SloWindow,
  burn_alerts: z.boolean(),
  min_events: Count,
  version: Version,
  health: z.object({
    derived_to: Time.meta({ description: 'up to when its events are counted' }),
    error: z.string().nullable().meta({ description: 'of the last count, if it failed' }),
  }),
  backfill: SloBackfill,
  created_by: Reference.nullable(),
  created_at: Time,
  updated_by: Reference.nullable(),
  updated_at: Time,
});

const Share = z.number().nullable();
export const SloSpentBy = z.object({
  from: Time,
  to: Time,
  error: z.string().nullable().meta({ description: 'why it is not known; the list is then empty' }),
  good: z.number().meta({ description: 'events from `from` to `to`' }),
  total: z.number(),
  why: Why.meta({ description: 'what causes the bad events, the likeliest first' }),
  flags: z.array(
    z.object({
      flag: z.string(),
      variant: z.string(),
      good: z.number(),
      total: z.number(),
      attainment: Share,
      budget_spent: Share.meta({ description: 'share of the budget of the time from `from` to `to`' }),
      attainment_if_all: Share.meta({
        description: 'what attainment would be if every event that saw the flag had seen this variant',
      }),
      attainment_without: Share.meta({
        description:
          'what attainment would be if events that saw this variant had gone as those that saw only others; null without these',
      }),
    }),
  ),
});

export const SloStanding = z.object({
  attainment: Share.meta({ description: 'good / total; null without traffic' }),
  objective: z.number(),
  good: z.number(),
  total: z.number(),
  window: z.object({ from: Time, to: Time }),
  budget: z.object({
    allowed: z.number().meta({ description: 'bad events that the objective allows for the total' }),
    spent: z.number().meta({ description: 'bad events' }),
    left: Share.meta({ description: '1 − bad / ((1 − objective) · total); negative when overspent' }),
    period_seconds: z.number().meta({ description: 'the same budget as time of total failure in the whole window' }),
  }),
  burn: z.array(
    z.object({
      window: z.string(),
      rate: Share.meta({ description: 'how fast the budget is spent; 1 spends it in exactly one window' }),
      good: z.number(),
      total: z.number(),
    }),
  ),
  alerts: z.array(
    z.object({
      severity: z.enum(['page', 'ticket']),
      long: z.string(),
      short: z.string(),
      factor: z.number(),
      reachable: z.boolean().meta({ description: 'false: even a total failure does not spend the budget that fast' }),
      firing: z.boolean(),
    }),
  ),
  exhausted_at: Time.nullable().meta({
    description: 'when the budget is spent at the burn rate of the last hour; null: not within the window',
  }),
  unmeasured: z.object({
    seconds: z.number().meta({ description: 'time without any event, which counts neither as good nor as bad' }),
    share: Share.meta({ description: 'of the time that has been counted' }),
  }),
  trend: z.array(Share).meta({
    description: 'burn rates of 30 equal parts of the window, the oldest first; null without events',
  }),
});

export const SloStatus = SloStanding.extend({
  backfill: SloBackfill,
  settled_to: Time.meta({
    description: 'late events that arrive from now on are counted after this time; what is before it stays as it is',
  }),
  derived_to: Time,
  spent_by: SloSpentBy.nullable().meta({ description: 'with `spent_by=true`, for indicators over spans and logs' }),
});

export const SloPoint = z.object({
  time: Time,
  good: z.number(),
  total: z.number(),
  budget_left: Share.meta({ description: 'of the window that ends with this step' }),
  changes: z.array(
    z.object({
      at: Time,
      kind: z.enum(['flag', 'deploy']),
      name: z.string().meta({ description: 'key of the flag, or name of the service' }),
      environment: z.string().nullable(),
      action: z.string().meta({ description: 'what changed of the flag, or the new version of the service' }),
    }),
  ),
});

const errors = [
  'OQL_INVALID',
  'PROMQL_INVALID',
  'SLO_INVALID',
  'PERMISSION_DENIED',
  'QUERY_TOO_EXPENSIVE',
  'QUERY_QUEUE_FULL',
] as const;
const reading = ['QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'] as const;
const example = {
  name: 'Checkout answers',
  project: 'default',
  indicator: { kind: 'events', source: 'spans | where service.name == "checkout"', good: 'status != error' },
  objective: 0.999,
  window: { kind: 'rolling', period: '30d' },
};

export const listSlos = route({
  id: 'slos.list',
  method: 'GET',
  path,
  summary: 'List SLOs, newest first',
  auth: 'user',
  scopeIn: 'query',
  permission: 'dashboards:read',
  list: true,
  query: {
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
    search: SearchText.optional().meta({ description: 'searches name and description' }),
    status: z.enum(['true', 'false']).optional().meta({ description: 'also returns how each SLO stands' }),
  },
  response: Slo.extend({
    status: SloStanding.nullable()
      .optional()
      .meta({ description: 'with `status=true`; null if the caller may not query the telemetry that the SLO reads' }),
  }),
  errors: [...reading],
});
export const createSlo = route({
  id: 'slos.create',
  example: { body: example },
  method: 'POST',
  path,
  summary: 'Create an SLO',
  description: 'Past events are counted day by day, the latest day first; `backfill` reports the progress.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'dashboards:write',
  alsoNeeds: 'telemetry:query',
  body: SloDraft,
  response: Slo,
  errors: [...errors, 'LIMIT_REACHED'],
});
export const getSlo = route({
  id: 'slos.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get an SLO',
  auth: 'user',
  permission: 'dashboards:read',
  response: Slo,
});
export const replaceSlo = route({
  id: 'slos.replace',
  example: { body: { ...example, project: undefined, version: 1 } },
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Replace an SLO',
  description: 'Events are counted again only if the indicator changes. The place of an SLO stays as it is.',
  auth: 'user',
  permission: 'dashboards:write',
  alsoNeeds: 'telemetry:query',
  body: z.strictObject({
    ...Facts,
    project: SloDraft.shape.project.optional().meta({ description: 'id or key; an SLO cannot move' }),
    environment: z.string().max(128).nullable().optional(),
    version: ReplacedVersion,
  }),
  response: Slo,
  errors: [...errors, 'STALE_VERSION'],
});
export const removeSlo = route({
  id: 'slos.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete an SLO with its burn-rate alerts',
  auth: 'user',
  permission: 'dashboards:write',
  alsoNeeds: 'telemetry:query',
});
export const getSloStatus = route({
  id: 'slos.status',
  method: 'GET',
  path: `${path}/{id}/status`,
  summary: 'Get how an SLO stands: attainment, budget, burn rates',
  auth: 'user',
  permission: 'dashboards:read',
  alsoNeeds: 'telemetry:query',
  query: {
    spent_by: z.enum(['true', 'false']).optional().meta({
      description:
        'also ranks what causes the bad events since `since`, and counts them by flag variant, which reads telemetry',
    }),
    since: TimeInput.optional().meta({ description: 'start for `spent_by`; by default now-1d' }),
  },
  response: SloStatus,
  errors: [...reading, 'WINDOW_INVALID', 'PERMISSION_DENIED'],
});
export const getSloTimeseries = route({
  id: 'slos.timeseries',
  method: 'GET',
  path: `${path}/{id}/timeseries`,
  summary: 'Get the events of an SLO and its budget over time',
  description:
    'At most 1,000 steps. The budget of a step is that of the window that ends with the step. A deploy is the first span of a new `service.version`: of the service that the indicator names, or else of any; `meta.warnings` reports where deploys are left out, such as before the last 7 days.',
  auth: 'user',
  permission: 'dashboards:read',
  alsoNeeds: 'telemetry:query',
  query: { from: TimeInput.optional(), to: WindowEnd.optional() },
  response: z.array(SloPoint),
  errors: [...reading, 'WINDOW_INVALID', 'PERMISSION_DENIED'],
});

export const exportSlo = route({
  id: 'slos.export',
  method: 'GET',
  path: `${path}/{id}/openslo`,
  summary: 'Get an SLO as a document of OpenSLO v1',
  auth: 'user',
  permission: 'dashboards:read',
  response: z.object({
    apiVersion: z.literal('openslo/v1'),
    kind: z.literal('SLO'),
    metadata: z.object({ name: z.string(), displayName: z.string() }),
    spec: z.record(z.string(), z.unknown()),
  }),
});
export const importSlo = route({
  id: 'slos.import',
  bodyLimit: 'document',
  example: {
    body: {
      project: 'default',
      document: {
        apiVersion: 'openslo/v1',
        kind: 'SLO',
        metadata: { name: 'checkout-answers' },
        spec: {
          indicator: {
            spec: {
              ratioMetric: {
                good: { metricSource: { type: 'fanion', spec: { oql: 'spans | where status != error | count' } } },
                total: { metricSource: { type: 'fanion', spec: { oql: 'spans | count' } } },
              },
            },
          },
          timeWindow: [{ duration: '30d', isRolling: true }],
          budgetingMethod: 'Occurrences',
          objectives: [{ target: 0.999 }],
        },
      },
    },
  },
  method: 'POST',
  path: `${path}/openslo`,
  summary: 'Create an SLO from a document of OpenSLO v1',
  description:
    'Sources of metrics are of the type `fanion`, with `spec.oql` or `spec.promql`. What cannot be imported is refused by its path, such as the budgeting method RatioTimeslices.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'dashboards:write',
  alsoNeeds: 'telemetry:query',
  body: z.strictObject({
    project: SloDraft.shape.project,
    environment: SloDraft.shape.environment,
    document: z.record(z.string(), z.unknown()),
    burn_alerts: SloDraft.shape.burn_alerts,
  }),
  response: Slo,
  errors: [...errors, 'LIMIT_REACHED'],
});

export type SloIndicator = z.output<typeof SloIndicator>;
export type SloWindow = z.output<typeof SloWindow>;
