import { z } from 'zod';
import { SearchText, TimeInput } from '../primitives.ts';
import { route } from '../route.ts';

export const LogPattern = z.object({
  template: z.string().meta({ description: '`*` stands for what differs', examples: ['payment timeout for order *'] }),
  count: z.number().int(),
  share: z.number().meta({ description: 'of all records that were looked at, 0 to 1' }),
  severities: z.record(z.string(), z.number().int()),
  services: z.array(z.string()).meta({ description: 'most frequent first, at most 10' }),
  first_seen: z.string().meta({ description: 'within the window' }),
  last_seen: z.string(),
  is_new: z.boolean().meta({ description: 'nothing like it was logged between `since` and the window' }),
  trend: z.array(z.number().int()).meta({ description: 'records in each of the equal slices of the window' }),
  examples: z.array(z.string()).meta({ description: 'bodies, at most 3' }),
  shapes: z.array(z.string()).meta({
    description: 'values of `shape` of its records, most frequent first, at most 20: `logs | where shape in (…)`',
  }),
});

export const listLogPatterns = route({
  id: 'log_patterns.list',
  method: 'GET',
  path: '/workspaces/{ws}/log-patterns',
  summary: 'Templates of the log bodies in a window',
  description:
    'Found with the Drain algorithm over the masked shapes of all records in the window. Counts are exact and sum to `total`: the least frequent patterns beyond `limit` are in `other`.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    from: TimeInput.optional(),
    to: TimeInput.optional(),
    since: TimeInput.optional().meta({
      description: 'a pattern is new if it did not occur from here to `from`; one length of the window by default',
    }),
    service: z.string().max(200).optional(),
    severity: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
      .optional()
      .meta({ description: 'at least this severe' }),
    search: SearchText.optional().meta({ description: 'text that the body contains, whatever its case' }),
    limit: z.coerce.number().int().min(1).max(1000).default(200),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.object({
    total: z.number().int(),
    patterns: z.array(LogPattern),
    other: z.object({ patterns: z.number().int(), count: z.number().int() }),
    window: z.object({ from: z.string(), to: z.string() }),
    since: z.string(),
    slice_ms: z.number().meta({ description: 'length of a slice of `trend`' }),
  }),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
