import { z } from 'zod';
import { Count, Id, Time, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const Signal = z.enum(['traces', 'logs', 'metrics', 'profiles']);

export const ProjectUsage = z.object({
  project: z.object({ id: Id, key: z.string(), name: z.string() }),
  signals: z.array(
    z.object({
      signal: Signal,
      items: Count.meta({ description: 'accepted in the window: spans, records, points, samples' }),
      bytes: Count.meta({ description: 'size as sent, uncompressed' }),
      bytes_stored: Count.meta({
        description:
          'estimated size on disk now: the number of stored items times the average size of an item of this signal',
      }),
      retention_days: Count.meta({ description: 'retention of telemetry that arrives now' }),
      last_at: Time.nullable(),
      rejected: Count.meta({ description: 'items rejected, with an error to the sender' }),
      quarantined: Count.meta({ description: 'items accepted that could not be stored' }),
      dropped: Count.meta({ description: 'items beyond a cardinality limit' }),
      refused_requests: Count.meta({
        description: 'requests rejected outright; their number of items is unknown',
      }),
      repeated: z.object({ requests: Count, items: Count }).meta({
        description:
          'requests equal to one that was acknowledged within 15 minutes: acknowledged again, and stored once',
      }),
      reasons: z
        .array(
          z.object({
            kind: z.enum(['rejected', 'quarantined', 'dropped', 'refused']),
            reason: z.string(),
            items: Count.meta({ description: 'for kind `refused`: number of requests' }),
          }),
        )
        .meta({ description: 'the most frequent reasons of each kind' }),
    }),
  ),
  evaluations: z
    .object({
      answered: Count.meta({ description: 'evaluations by this server in the window: OFREP, SDK routes and similar' }),
      reported: Count.meta({
        description: 'evaluations in the window that clients report over OTLP; one reported by both counts in both',
      }),
      bytes_stored: Count.meta({ description: 'estimated size on disk now, as for signals' }),
      retention_days: Count.meta({
        description: 'retention of evaluations from now on; counts per minute are kept longer',
      }),
      last_at: Time.nullable(),
    })
    .meta({ description: 'flag evaluations and their storage, in addition to the signals' }),
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
    .meta({ description: 'by hour, or by day in windows of more than three days; empty steps are omitted' }),
  series: z.object({
    count: Count.meta({ description: 'number of distinct series in the window' }),
    worst: z.array(z.object({ metric: z.string(), series: Count })),
  }),
  attributes: z.object({
    names: Count.meta({ description: 'number of distinct attribute and resource attribute names' }),
    worst: z.array(z.object({ source: z.string(), scope: z.string(), name: z.string(), cardinality: Count })),
  }),
});

export const getUsage = route({
  id: 'usage.get',
  method: 'GET',
  path: '/workspaces/{ws}/usage',
  summary: 'Get usage per project: telemetry sent and stored, flag evaluations',
  description: 'Covers the last day by default, in whole hours; cardinalities of metrics are per whole day.',
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
    step_seconds: Count.meta({ description: 'step of the history' }),
    projects: z.array(ProjectUsage),
  }),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
