import { z } from 'zod';
import { AlertDuration } from '../alerting/primitives.ts';
import { Count, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const Scope = { project: z.string().max(128).optional(), environment: z.string().max(128).optional() };
const Query = z
  .string()
  .min(1)
  .max(65_536)
  .meta({ examples: ['spans | stats n=count(), p99=p99(duration) by service.name'] });
/** In which language a query is written. */
export const QueryLanguage = z.enum(['oql', 'promql']);
export type QueryLanguage = z.output<typeof QueryLanguage>;
const Parameters = z
  .record(
    z.string().max(100),
    z.union([
      z.string().max(10_000),
      z.number(),
      z.boolean(),
      z.null(),
      z.array(z.union([z.string().max(10_000), z.number(), z.boolean()])).max(1000),
    ]),
  )
  .optional();
export const Span = z.object({
  start: Count,
  end: Count,
  line: Count,
  column: Count,
});
export const Diagnostic = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'info', 'hint']),
  message: z.string(),
  span: Span,
  stage: z.string().optional(),
  suggestion: z.object({ text: z.string(), edit: z.object({ start: Count, end: Count, text: z.string() }) }).optional(),
});
export const Column = z.object({
  name: z.string(),
  type: z.string().meta({
    description:
      'string, int, float, bool, duration, timestamp, bytes, map, array or any. `any`: an attribute whose values may differ in type from row to row; each is returned as it was sent. An `int`, `duration` (nanoseconds) or `bytes` beyond 2^53 is a string of digits. In columns of numbers and of `any`, numbers that JSON cannot represent are the strings "NaN", "Infinity" and "-Infinity".',
  }),
  elements: z.string().optional().meta({ description: 'element type of an `array`, if it is not string' }),
});
export const QueryResult = z
  .object({
    columns: z.array(Column),
    rows: z.array(z.array(z.unknown())),
    kind: z.enum(['table', 'timeseries', 'scalar', 'flamegraph']),
  })
  .meta({
    examples: [
      {
        columns: [
          { name: 'service.name', type: 'string' },
          { name: 'n', type: 'int' },
          { name: 'p99', type: 'duration' },
        ],
        rows: [['checkout', 1204, 183_000_000]],
        kind: 'table',
      },
    ],
  });

export const runQuery = route({
  id: 'query.run',
  bodyLimit: 'document',
  example: { body: { query: 'spans | stats n=count(), p99=p99(duration) by service.name' } },
  method: 'POST',
  path: '/workspaces/{ws}/query',
  summary: 'Run OQL or PromQL',
  auth: 'user',
  scopeIn: 'body',
  permission: 'telemetry:query',
  reads: true,
  status: 200,
  description:
    'The window is the last hour by default. `meta` contains took_ms, rows_read, bytes_read, truncated, warnings and completeness: `complete`; `partial_buckets`, the starts of time buckets that are cut by the window or not over; `unstored`, acknowledged telemetry that was not stored when the query began (`items`, `since`; null: none); `missing_anchors`, the number of series of a rate, increase or delta, or of a histogram, whose growth before their first point in the window is not counted, since no earlier point was found in the look-back (null: unknown); `sampled_share`, of the spans that the result counts, the share that is stored, above 0 and at most 1: sampling did not keep the others, so they are estimated (1: nothing is estimated; null: unknown); and `shards_away`, the number of shards of the telemetry store that were left out (only with `when_shards_away: skip`). Results are fresh by default. With `Cache-Control: max-age=<seconds>` (at most 300), the server may return a cached result of the same query and window up to that age, and `Age` reports its age. `Accept` selects the format: JSON, CSV, NDJSON or an Arrow stream. The last three are streamed as the rows are read, up to 10,000,000 rows, and end with the trailers `X-Rows`, `X-Truncated` (`true`: there are more rows than `limit`) and `X-Completeness` (`completeness` as JSON); if a streamed response fails, the server closes the connection. With `query_language: promql`, the columns are `time`, the labels of the series, and `value`; a label named `time` or `value` is returned as `exported_time` or `exported_value`. Each row is one sample: at each step of the window, or with `evaluate: instant` at its end. `meta` then contains no rows_read and bytes_read.',
  body: z.strictObject({
    query: Query,
    query_language: QueryLanguage.default('oql'),
    evaluate: z.enum(['range', 'instant']).default('range').meta({
      description: 'of PromQL: at each step of the window, or once at its end',
    }),
    step: AlertDuration.optional().meta({
      description: 'of PromQL, from 1s; by default the width that divides the window into about a hundred steps',
    }),
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    ...Scope,
    limit: z.number().int().min(1).max(10_000_000).optional().meta({
      description:
        'rows; 1,000 by default (of PromQL 50,000) and 100,000 at most in JSON, 100,000 by default in the other formats',
    }),
    params: Parameters.meta({ description: 'of OQL' }),
    when_shards_away: z.enum(['fail', 'skip']).optional().meta({
      description:
        'of OQL: what happens while a shard of the telemetry store does not answer: `fail` (503), the default, or `skip`: the answer leaves its rows out, and `meta.warnings` and `completeness.shards_away` say so',
    }),
  }),
  response: QueryResult,
  otherMedia: ['text/csv', 'application/x-ndjson', 'application/vnd.apache.arrow.stream'],
  errors: [
    'NOT_ACCEPTABLE',
    'OQL_INVALID',
    'PROMQL_INVALID',
    'PROMQL_FAILED',
    'QUERY_TOO_EXPENSIVE',
    'RESULT_TOO_LARGE',
    'QUERY_QUEUE_FULL',
    'TOO_MANY_CHANGES',
    'WINDOW_INVALID',
    'STORE_UNAVAILABLE',
  ],
});
export const validateQuery = route({
  id: 'oql.validate',
  example: { body: { query: 'spans | limit 1' } },
  method: 'POST',
  path: '/workspaces/{ws}/oql/validate',
  summary: 'Validate OQL without running it',
  description:
    'Unknown attributes and ambiguous names are warnings, based on telemetry of the last day; new telemetry counts after at most 30 s.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'telemetry:query',
  reads: true,
  status: 200,
  body: z.strictObject({ query: z.string().max(65_536), ...Scope }),
  response: z.object({ valid: z.boolean(), diagnostics: z.array(Diagnostic) }),
  errors: ['QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL'],
});
export const explainQuery = route({
  id: 'oql.explain',
  bodyLimit: 'document',
  example: { body: { query: 'spans | limit 1' } },
  method: 'POST',
  path: '/workspaces/{ws}/oql/explain',
  summary: 'Compile OQL and show the plan',
  auth: 'user',
  scopeIn: 'body',
  permission: 'telemetry:query',
  reads: true,
  status: 200,
  body: z.strictObject({
    query: Query,
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    ...Scope,
    params: Parameters,
  }),
  response: z.object({
    normalized: z.string(),
    stages: z.array(
      z.object({
        op: z.string(),
        in: z.array(Column),
        out: z.array(Column),
        keeps: z.string().optional().describe('Which row `dedup` keeps of those with the same values.'),
      }),
    ),
    fields: z.array(z.object({ ref: z.string(), resolved: z.string(), index: z.string().nullable() })),
    scope: z.looseObject({}),
    window: z.object({ from: z.string(), to: z.string() }),
    sql: z.string(),
    params: z.record(z.string(), z.unknown()),
    estimate: z
      .object({
        rows: z.number().meta({ description: 'rows to read after index pruning, including sub-queries' }),
        bytes: z.number().meta({ description: 'uncompressed size of the columns read: an upper bound' }),
        parts: z.number(),
      })
      .nullable()
      .meta({ description: 'null: the store returned no estimate' }),
    rollup: z
      .array(
        z.object({
          metric: z.string(),
          step_seconds: Count.meta({ description: '300 or 3600' }),
          ranges: z.array(z.object({ from: z.string(), to: z.string() })),
        }),
      )
      .meta({ description: 'what is read from roll-ups of metrics instead of points; empty: nothing' }),
    assumes: z.array(z.enum(['places', 'kinds', 'alike', 'integers', 'texts', 'roll_ups'])).meta({
      description:
        'assumptions of the statement; if one turns out to be false, the query runs again without it. places: no other attributes hold values of its names; kinds: metrics have the same kinds as before; alike: no point is stored twice, and histograms have equal bounds; integers: none is beyond 2^53; texts: attributes in `by` are strings; roll_ups: they contain all points',
    }),
    memory: z.boolean().meta({
      description:
        'whether recent points in memory answer it, with the same rows as the statement, while the metric is asked for again and again',
    }),
    limits: z.looseObject({}),
    warnings: z.array(z.unknown()),
  }),
  errors: ['OQL_INVALID', 'QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'WINDOW_INVALID'],
});

const Attributes = z.record(z.string(), z.unknown());
const Dropped = Count.meta({ description: 'number dropped by the sender at its SDK limits' });
const TraceFlags = z
  .number()
  .int()
  .min(0)
  .max(4_294_967_295)
  .meta({ description: 'W3C and OpenTelemetry trace flags, as a bit field' });
export const TraceSpan = z.object({
  span_id: z.string(),
  parent_span_id: z.string().nullable(),
  service: z.string(),
  name: z.string(),
  kind: z.string(),
  status: z.string(),
  status_message: z.string(),
  start: z.string(),
  duration_ns: z.string(),
  trace_state: z.string(),
  flags: TraceFlags,
  attributes: Attributes,
  dropped_attributes_count: Dropped,
  dropped_events_count: Dropped,
  dropped_links_count: Dropped,
  resource: Attributes,
  resource_schema_url: z.string(),
  resource_dropped_attributes_count: Dropped,
  scope: z.object({
    name: z.string(),
    version: z.string(),
    attributes: Attributes,
    schema_url: z.string(),
    dropped_attributes_count: Dropped,
  }),
  events: z.array(
    z.object({ time: z.string(), name: z.string(), attributes: Attributes, dropped_attributes_count: Dropped }),
  ),
  links: z.array(
    z.object({
      trace_id: z.string(),
      span_id: z.string(),
      trace_state: z.string(),
      flags: TraceFlags,
      attributes: Attributes,
      dropped_attributes_count: Dropped,
    }),
  ),
  missing_parent: z.boolean().meta({ description: 'the span names a parent that has not arrived' }),
});
export const TraceFlag = z.object({
  time: z.string(),
  flag: z.string(),
  variant: z.string().nullable().meta({ description: 'null: the evaluation failed' }),
  reason: z.string().meta({ description: "OpenTelemetry's name: targeting_match, split, default, …" }),
  version: z.string(),
  unit: z.string().nullable().meta({ description: 'targeting key of the evaluation' }),
  tracked: z.boolean(),
  source: z.enum(['server', 'otlp']).meta({ description: 'who reported it' }),
  service: z.string().nullable().meta({ description: 'the service that reported it' }),
  span_id: z.string().nullable(),
  error: z.string().nullable(),
});
/** How many log records and evaluations a trace has at most. */
export const maxLogsOfTrace = 5_000;
export const maxFlagsOfTrace = 1_000;

export const getTrace = route({
  id: 'traces.get',
  method: 'GET',
  path: '/workspaces/{ws}/traces/{trace_id}',
  summary: 'Get a trace',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: { ...Scope, include: z.string().max(100).optional().meta({ description: 'comma-separated: logs, flags' }) },
  response: z.object({
    trace_id: z.string(),
    start: z.string(),
    end: z.string(),
    duration_ns: z.string(),
    services: z.array(z.string()),
    spans: z.array(TraceSpan),
    logs: z
      .array(
        z.object({
          time: z.string(),
          severity: z.string(),
          body: z.string(),
          service: z.string(),
          span_id: z.string().nullable(),
          attributes: Attributes,
        }),
      )
      .optional(),
    flags: z.array(TraceFlag).optional().meta({
      description:
        'flag evaluations in the trace; if both the server and a client report one, the report of the client',
    }),
    critical_path: z.array(z.string()).meta({ description: 'span ids, root first' }),
  }),
  errors: ['TRACE_NOT_FOUND', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
