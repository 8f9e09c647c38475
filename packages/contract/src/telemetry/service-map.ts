import { z } from 'zod';
import { TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const NodeKind = z.enum(['service', 'database', 'queue', 'external']);
const Load = {
  calls: z.number().meta({ description: 'in the window; sampled spans count for all that they stand for' }),
  rate: z.number().meta({ description: 'calls per second' }),
  errors: z.number().meta({ description: 'share of the calls that failed, 0 to 1' }),
  p50_ns: z.number().nullable(),
  p95_ns: z.number().nullable(),
  p99_ns: z.number().nullable(),
};

export const ServiceMapNode = z.object({
  id: z.string().meta({ examples: ['service:cart', 'database:postgresql/orders'] }),
  kind: NodeKind,
  name: z.string(),
  system: z.string().nullable().meta({ description: 'of a database or queue, such as postgresql or kafka' }),
  ...Load,
});
export const ServiceMapEdge = z.object({
  source: z.string().meta({ description: 'id of a node' }),
  target: z.string(),
  ...Load,
});

export const getServiceMap = route({
  id: 'service_map.get',
  method: 'GET',
  path: '/workspaces/{ws}/service-map',
  summary: 'Services and what they call, with rate, errors and durations',
  description:
    'In whole minutes, the window is widened to them. Minutes are derived from their spans a minute after their end, and again a minute or two after spans that came late; those that are not derived yet are derived while reading. Durations are exact within one percent; a call is as long as the called service took, a database call as long as its caller waited.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    service: z.string().max(200).optional().meta({ description: 'only this one and its neighbours' }),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.object({
    window: z.object({ from: z.string(), to: z.string() }),
    missing: z.object({ from: z.string(), to: z.string() }).nullable().meta({
      description: 'minutes of the window that are still to be derived and too many to be derived while reading',
    }),
    nodes: z.array(ServiceMapNode),
    edges: z.array(ServiceMapEdge),
  }),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
