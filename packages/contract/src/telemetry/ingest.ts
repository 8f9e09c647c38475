import { z } from 'zod';
import { type AnyRoute, route } from '../route.ts';

/*
 * What other products' protocols send. Bodies are those of the protocols: the schemas here are documentation, and the server
 * reads the bytes with readers of its own. They are also taken on OTLP's port 4318.
 */

const otlpMedia = ['application/x-protobuf', 'application/json'];

function otlp(signal: string, path: string, field: string): AnyRoute {
  return route({
    id: `ingest.otlp_${signal}`,
    method: 'POST',
    path,
    prefix: '',
    summary: `Send ${signal} over OTLP/HTTP`,
    description: `An \`Export${field}ServiceRequest\` of OTLP 1.x, plain or gzipped. Items that are rejected are counted in \`partialSuccess\`; errors are a \`google.rpc.Status\`.`,
    auth: 'ingest',
    permission: 'telemetry:ingest',
    bodies: 'protocol',
    requestMedia: otlpMedia,
    status: 200,
    body: z.record(z.string(), z.unknown()),
    response: z.looseObject({
      partialSuccess: z.looseObject({ errorMessage: z.string().optional() }).optional(),
    }),
    example: { body: {} },
  });
}

export const otlpTraces = otlp('traces', '/v1/traces', 'Trace');
export const otlpLogs = otlp('logs', '/v1/logs', 'Logs');
export const otlpMetrics = otlp('metrics', '/v1/metrics', 'Metrics');
export const otlpProfiles = otlp('profiles', '/v1development/profiles', 'Profiles');

export const pprofProfile = route({
  id: 'ingest.pprof',
  method: 'POST',
  path: '/v1development/profiles/pprof',
  prefix: '',
  summary: 'Send a pprof profile',
  description:
    'A `profile.proto`, gzipped as pprof writes it or plain. Every query parameter other than `service` and `environment` becomes an attribute of the resource.',
  auth: 'ingest',
  permission: 'telemetry:ingest',
  bodies: 'protocol',
  requestMedia: ['application/octet-stream'],
  query: {
    service: z.string().optional().meta({ description: 'service.name of the profile' }),
    environment: z.string().optional().meta({ description: 'deployment.environment.name of the profile' }),
  },
  status: 200,
  body: z.unknown(),
  response: z.looseObject({}),
});

export const prometheusWrite = route({
  id: 'ingest.prometheus_write',
  method: 'POST',
  path: '/prometheus/api/v1/write',
  prefix: '',
  summary: 'Send metrics over Prometheus remote write 1.0 or 2.0',
  description:
    'A write request in protobuf, compressed with Snappy. Whatever the status, the headers `X-Prometheus-Remote-Write-*-Written` say what was stored.',
  auth: 'ingest',
  permission: 'telemetry:ingest',
  bodies: 'protocol',
  requestMedia: ['application/x-protobuf'],
  body: z.unknown(),
});

export const lokiPush = route({
  id: 'ingest.loki_push',
  method: 'POST',
  path: '/loki/api/v1/push',
  prefix: '',
  summary: 'Send logs as Loki takes them',
  description:
    'JSON, plain or gzipped, or protobuf compressed with Snappy. 400 also where only some lines were rejected; the others are stored.',
  auth: 'ingest',
  permission: 'telemetry:ingest',
  bodies: 'protocol',
  requestMedia: ['application/json', 'application/x-protobuf'],
  body: z.unknown(),
});

export const zipkinSpans = route({
  id: 'ingest.zipkin_spans',
  method: 'POST',
  path: '/api/v2/spans',
  prefix: '',
  summary: 'Send spans as Zipkin v2 JSON',
  description:
    '202 also where some spans were rejected, which are counted; 400 with the reasons where none was stored.',
  auth: 'ingest',
  permission: 'telemetry:ingest',
  bodies: 'protocol',
  status: 202,
  body: z.unknown(),
  response: z.unknown(),
});
