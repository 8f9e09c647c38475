import { z } from 'zod';
import { TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const Attributes = z.record(z.string(), z.string());

export const Exemplar = z.object({
  time: z.string(),
  value: z
    .union([z.number(), z.string().regex(/^-?\d+$/)])
    .nullable()
    .meta({ description: 'null if it was not finite; digits if it is an integer beyond 2^53' }),
  trace_id: z.string().nullable(),
  span_id: z.string().nullable(),
  service: z.string(),
  unit: z.string(),
  attributes: Attributes.meta({
    description: 'attributes that the series does not have: they were dropped by aggregation',
  }),
  series: Attributes.meta({ description: 'attributes of its series' }),
});

export const listExemplars = route({
  id: 'exemplars.list',
  example: { query: { metric: 'requests' } },
  method: 'GET',
  path: '/workspaces/{ws}/exemplars',
  summary: 'List exemplars of a metric with their traces',
  description:
    'Exemplars are spread over the window: each of 60 slices contributes its largest values. `meta.truncated` reports whether there are more.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    metric: z.string().min(1).max(500),
    service: z.string().max(200).optional(),
    traced: z.enum(['true', 'false']).optional().meta({ description: 'only exemplars with a trace id' }),
    limit: z.coerce.number().int().min(1).max(3000).default(300),
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.array(Exemplar),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
