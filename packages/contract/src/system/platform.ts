import { z } from 'zod';
import { Port } from '../primitives.ts';
import { route } from '../route.ts';

export const Dependency = z.object({
  name: z.enum(['control_plane', 'telemetry_store', 'write_ahead_log', 'clock']).meta({
    description: "`clock`: the server's, compared with PostgreSQL's; absent where the control plane is embedded",
  }),
  status: z.enum(['up', 'down', 'degraded']),
  detail: z.string().optional(),
});

export const getHealth = route({
  id: 'platform.health',
  method: 'GET',
  prefix: '',
  path: '/healthz',
  summary: 'Check whether the process is alive',
  auth: 'public',
  bodies: 'protocol',
  response: z.object({ status: z.literal('ok') }),
});
export const getReadiness = route({
  id: 'platform.ready',
  method: 'GET',
  prefix: '',
  path: '/readyz',
  summary: 'Check whether the server is ready for requests',
  description:
    'Returns 503 only before the first start-up has completed and during shutdown. When a store is down or the clock is wrong, the status is `degraded`: evaluation and ingest continue.',
  auth: 'public',
  bodies: 'protocol',
  errors: ['SHUTTING_DOWN'],
  response: z.object({ status: z.enum(['ok', 'degraded', 'starting', 'stopping']), dependencies: z.array(Dependency) }),
});
export const getInternalMetrics = route({
  id: 'platform.metrics',
  method: 'GET',
  prefix: '',
  path: '/internal/metrics',
  summary: 'Metrics of the server in Prometheus text format',
  description: 'Available on loopback, or with `Authorization: Bearer <FANION_METRICS_TOKEN>`.',
  auth: 'public',
  bodies: 'protocol',
  media: 'text/plain',
  response: z.string().meta({ examples: ['process_resident_memory_bytes 268435456\n'] }),
  errors: ['UNAUTHENTICATED'],
});
export const getMeta = route({
  id: 'platform.meta',
  method: 'GET',
  path: '/meta',
  summary: 'Name, version, engines and capabilities',
  auth: 'public',
  response: z.object({
    name: z.literal('fanion'),
    version: z.string(),
    commit: z.string().nullable(),
    engines: z.object({
      node: z.string(),
      control_plane: z.string().nullable(),
      telemetry_store: z.string().nullable(),
    }),
    capabilities: z.object({
      signup: z.enum(['open', 'invite']),
      oidc: z.array(z.object({ slug: z.string(), name: z.string() })),
      signals: z.array(z.string()),
      ofrep: z.string(),
    }),
    otlp: z
      .object({
        http: z.string(),
        http_standard_port: Port.nullable(),
        grpc_port: Port.nullable(),
      })
      .meta({ description: 'OTLP endpoints; null: not available' }),
  }),
});
export const getOpenApi = route({
  id: 'platform.openapi',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 document of this API',
  auth: 'public',
  bodies: 'protocol',
  response: z.looseObject({ openapi: z.string() }),
});
