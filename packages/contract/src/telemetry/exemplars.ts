import { z } from 'zod';
import { TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const Attributes = z.record(z.string(), z.string());

export const Exemplar = z.object({
  time: z.string(),
  value: z.number().nullable().meta({ description: 'null where it was not finite' }),
  trace_id: z.string().nullable(),
  span_id: z.string().nullable(),
  service: z.string(),
  unit: z.string(),
  attributes: Attributes.meta({ description: 'that the series does not have: dropped when it was aggregated' }),
  series: Attributes.meta({ description: 'attributes of the series that it was measured for' }),
});

export const listExemplars = route({
  id: 'exemplars.list',
  example: { query: { metric: 'requests' } },
  method: 'GET',
  path: '/workspaces/{ws}/exemplars',
  summary: 'Measurements behind a metric, with the traces they were taken in',
  description:
    'Spread over the window: of each of 60 slices the largest values. `meta.truncated` tells that there are more.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    metric: z.string().min(1).max(500),
    service: z.string().max(200).optional(),
    traced: z.enum(['true', 'false']).optional().meta({ description: 'only those that name a trace' }),
    limit: z.coerce.number().int().min(1).max(3000).default(300),
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.array(Exemplar),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
