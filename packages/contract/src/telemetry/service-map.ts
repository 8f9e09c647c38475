import { z } from 'zod';
import { TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const NodeKind = z.enum(['service', 'database', 'queue', 'external']);
const Load = {
  calls: z.number().meta({ description: 'in the window; a sampled span counts for all the spans it represents' }),
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
  summary: 'Get services and their calls, with rate, errors and durations',
  description:
    'The window is widened to whole minutes. A job derives the calls of a minute one minute after its end. Minutes that are not derived yet, and minutes that received spans since, are derived while reading: the newest ten minutes from at most 200,000 spans (a sample of whole traces if there are more), and earlier ones up to 200,000 spans in total. `missing` covers the other minutes, until the job has derived them, usually within ten minutes. Durations are exact within one percent. The duration of a call is the time that the called service took; that of a database call is the time that the caller waited.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    service: z.string().max(200).optional().meta({ description: 'only this service and its neighbors' }),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.object({
    window: z.object({ from: z.string(), to: z.string() }),
    missing: z.object({ from: z.string(), to: z.string() }).nullable().meta({
      description:
        'from the first to the last minute of the window with spans that the map does not contain yet, because they are too many to derive while reading',
    }),
    nodes: z.array(ServiceMapNode),
    edges: z.array(ServiceMapEdge),
  }),
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
