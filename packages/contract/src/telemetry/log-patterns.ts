import { z } from 'zod';
import { Count, PageQuery, SearchText, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

export const LogPattern = z.object({
  id: z.string().meta({ description: 'identifies the template: the same in every window' }),
  template: z
    .string()
    .meta({ description: '`*` stands for the parts that differ', examples: ['payment timeout for order *'] }),
  count: Count,
  share: z.number().meta({ description: 'share of all records examined, 0 to 1' }),
  severities: z.record(z.string(), Count),
  services: z.array(z.string()).meta({ description: 'most frequent first, at most 10' }),
  first_seen: z.string().meta({ description: 'within the window' }),
  last_seen: z.string(),
  is_new: z.boolean().meta({ description: 'the pattern did not occur between `since` and the window' }),
  trend: z.array(Count).meta({ description: 'number of records in each of the equal slices of the window' }),
  examples: z.array(z.string()).meta({ description: 'bodies, at most 3' }),
  shapes: z.array(z.string()).meta({
    description:
      'values of `shape` of its records, most frequent first, at most 20: `logs | where shape in (…)`; `log_patterns.shapes` returns the rest',
  }),
  shape_count: Count.meta({ description: 'number of shapes' }),
});

const Filter = {
  from: TimeInput.optional(),
  to: WindowEnd.optional(),
  service: z.string().max(200).optional(),
  severity: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .optional()
    .meta({ description: 'at least this severe' }),
  search: SearchText.optional().meta({ description: 'text that the body contains, case-insensitive' }),
  flag_evaluations: z.enum(['include', 'exclude']).default('include').meta({
    description: '`exclude` leaves out the records of flag evaluations: events named `feature_flag.evaluation`',
  }),
  project: z.string().max(128).optional(),
  environment: z.string().max(128).optional(),
} as const;

export const listLogPatterns = route({
  id: 'log_patterns.list',
  method: 'GET',
  path: '/workspaces/{ws}/log-patterns',
  summary: 'List patterns of the log bodies in a window',
  description:
    'Groups the masked shapes of all records in the window like the OQL stage `patterns`. Counts are exact and sum to `total`; `other` counts what follows this page. `next_cursor` keeps the window of the first page, even if it is relative.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    ...Filter,
    since: TimeInput.optional().meta({
      description:
        'a pattern is new if it did not occur between this time and `from`; one window length before `from` by default',
    }),
    limit: z.coerce.number().int().min(1).max(1000).default(200),
    cursor: PageQuery.shape.cursor,
  },
  response: z.object({
    total: Count,
    patterns: z.array(LogPattern),
    other: z.object({ patterns: Count, count: Count }),
    next_cursor: z.string().nullable().meta({ description: '`cursor` of the next page; null at the end' }),
    window: z.object({ from: z.string(), to: z.string() }),
    since: z.string(),
    slice_ms: z.number().meta({ description: 'length of a slice of `trend`' }),
  }),
  errors: [
    'WINDOW_INVALID',
    'INVALID_CURSOR',
    'QUERY_TOO_EXPENSIVE',
    'RESULT_TOO_LARGE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
  ],
});

export const listLogPatternShapes = route({
  id: 'log_patterns.shapes',
  example: { query: { pattern: '1' } },
  method: 'GET',
  path: '/workspaces/{ws}/log-patterns/shapes',
  summary: 'List all masked shapes of a log pattern, most frequent first',
  description: 'Accepts the same filters as the list of patterns; all pages use the window of the first page.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  list: true,
  query: {
    ...Filter,
    pattern: z
      .string()
      .regex(/^\d{1,20}$/)
      .meta({ description: '`id` of the pattern', examples: ['9157338573027402117'] }),
  },
  response: z.object({
    shape: z.string().meta({ description: '`logs | where shape == …`' }),
    count: Count,
    example: z.string(),
    first_seen: z.string(),
    last_seen: z.string(),
  }),
  errors: [
    'WINDOW_INVALID',
    'INVALID_CURSOR',
    'QUERY_TOO_EXPENSIVE',
    'RESULT_TOO_LARGE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
  ],
});
