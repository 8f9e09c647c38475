import { z } from 'zod';
import { Id, Time, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

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
          'on disk now, an estimate: the items that are kept times what an item of this signal takes on average',
      }),
      retention_days: z.number().int().meta({ description: 'of what arrives now' }),
      last_at: Time.nullable(),
      rejected: Count.meta({ description: 'items that were refused, and told so to their sender' }),
      quarantined: Count.meta({ description: 'items that were accepted and could not be stored' }),
      dropped: Count.meta({ description: 'items beyond a limit of cardinality' }),
      refused_requests: Count.meta({
        description: 'requests that were refused as a whole, so that nobody knows how many items they had',
      }),
      reasons: z
        .array(
          z.object({
            kind: z.enum(['rejected', 'quarantined', 'dropped', 'refused']),
            reason: z.string(),
            items: Count.meta({ description: 'where the kind is refused: requests' }),
          }),
        )
        .meta({ description: 'the most frequent ones of each kind' }),
    }),
  ),
  evaluations: z
    .object({
      answered: Count.meta({ description: 'in the window, by this server: OFREP, SDK routes and the like' }),
      reported: Count.meta({
        description: 'in the window, told over OTLP by clients; what both told counts in both',
      }),
      bytes_stored: Count.meta({ description: 'on disk now, an estimate as for signals' }),
      retention_days: z
        .number()
        .int()
        .meta({ description: 'of what is answered now; counts by the minute are kept longer' }),
      last_at: Time.nullable(),
    })
    .meta({ description: 'of flags: what their answers take beside the signals that are sent' }),
  history: z
    .array(
      z.object({
        at: Time,
        signal: Signal,
        items: Count,
        bytes: Count,
        lost: Count.meta({ description: 'rejected, quarantined or dropped' }),
      }),
    )
    .meta({ description: 'by hour, in windows of more than three days by day; steps without anything are left out' }),
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
    to: WindowEnd.optional(),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.object({
    window: z.object({ from: z.string(), to: z.string() }),
    step_seconds: z.number().int().meta({ description: 'of the history' }),
    projects: z.array(ProjectUsage),
  }),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
