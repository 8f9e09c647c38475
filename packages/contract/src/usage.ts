import { z } from 'zod';
import { Id, TimeInput } from './primitives.ts';
import { route } from './route.ts';

const Signal = z.enum(['traces', 'logs', 'metrics', 'profiles']);
const Count = z.number().int();

export const ProjectUsage = z.object({
  project: z.object({ id: Id, key: z.string(), name: z.string() }),
  signals: z.array(
    z.object({
      signal: Signal,
      items: Count.meta({ description: 'accepted in the window: spans, records, points, samples' }),
      bytes: Count.meta({ description: 'as they were sent, inflated' }),
      bytes_stored: Count.meta({
        description:
          'on disk now, an estimate: items within the retention times what an item of this signal takes on average',
      }),
      retention_days: z.number().int(),
      last_at: z.string().nullable(),
      rejected: Count.meta({ description: 'items that were refused, and told so to their sender' }),
      quarantined: Count.meta({ description: 'items that were accepted and could not be stored' }),
      dropped: Count.meta({ description: 'items beyond a limit of cardinality' }),
      reasons: z.array(z.object({ kind: z.string(), reason: z.string(), items: Count })),
    }),
  ),
  series: z.object({
    count: Count.meta({ description: 'different series in the window' }),
    worst: z.array(z.object({ metric: z.string(), series: Count })),
  }),
  attributes: z.object({
    names: Count.meta({ description: 'different names of attributes and resource attributes' }),
    worst: z.array(z.object({ source: z.string(), scope: z.string(), name: z.string(), cardinality: Count })),
  }),
});

export const getUsage = route({
  id: 'usage.get',
  method: 'GET',
  path: '/workspaces/{ws}/usage',
  summary: 'What each project sends, stores, and makes of it',
  description: 'Of the last day by default, in whole hours; cardinalities are of whole days for metrics.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    from: TimeInput.optional(),
    to: TimeInput.optional(),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.object({
    window: z.object({ from: z.string(), to: z.string() }),
    projects: z.array(ProjectUsage),
  }),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
