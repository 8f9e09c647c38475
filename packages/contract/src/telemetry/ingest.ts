import { z } from 'zod';
import { type AnyRoute, route } from '../route.ts';

/** `google.rpc.Status`, the error of OTLP (OTLP/HTTP, "Failures"). */
export const RpcStatus = z.looseObject({
  code: z.number().int().min(0).max(16).meta({ description: 'of gRPC' }),
  message: z.string().meta({ examples: ['what is wrong'] }),
});

/*
 * Ingest over the protocols of other products. The schemas are documentation only: the server parses the bytes itself.
 * OTLP's port 4318 accepts these routes too.
 */

const otlpMedia = ['application/x-protobuf', 'application/json'];

const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] };
const timeUnixNano = '1795426200000000000';

function otlp(signal: string, path: string, field: string, body: unknown): AnyRoute {
  return route({
    id: `ingest.otlp_${signal}`,
    method: 'POST',
    path,
    prefix: '',
    summary: `Send ${signal} over OTLP/HTTP`,
    description: `An \`Export${field}ServiceRequest\` of OTLP 1.x, plain or gzipped. \`partialSuccess\` counts rejected items; errors are a \`google.rpc.Status\`.`,
    auth: 'ingest',
    permission: 'telemetry:ingest',
    bodies: 'protocol',
    requestMedia: otlpMedia,
    otherMedia: ['application/x-protobuf'],
    failureMedia: otlpMedia,
    status: 200,
    body: z.record(z.string(), z.unknown()),
    response: z.looseObject({
      partialSuccess: z.looseObject({ errorMessage: z.string().optional() }).optional(),
    }),
    example: { body },
  });
}

export const otlpTraces = otlp('traces', '/v1/traces', 'Trace', {
  resourceSpans: [
    {
      resource,
      scopeSpans: [
        {
          spans: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: '051581bf3cb55c13',
              name: 'GET /checkout',
              kind: 2,
              startTimeUnixNano: timeUnixNano,
              endTimeUnixNano: '1795426200012000000',
            },
          ],
        },
      ],
    },
  ],
});
export const otlpLogs = otlp('logs', '/v1/logs', 'Logs', {
  resourceLogs: [
    {
      resource,
      scopeLogs: [{ logRecords: [{ timeUnixNano, severityNumber: 17, body: { stringValue: 'payment timeout' } }] }],
    },
  ],
});
export const otlpMetrics = otlp('metrics', '/v1/metrics', 'Metrics', {
  resourceMetrics: [
    {
      resource,
      scopeMetrics: [{ metrics: [{ name: 'queue.length', gauge: { dataPoints: [{ timeUnixNano, asInt: '3' }] } }] }],
    },
  ],
});
export const otlpProfiles = otlp('profiles', '/v1development/profiles', 'Profiles', { resourceProfiles: [] });

export const pprofProfile = route({
  id: 'ingest.pprof',
  method: 'POST',
  path: '/v1development/profiles/pprof',
  prefix: '',
  summary: 'Send a pprof profile',
  description:
    'A `profile.proto`, gzipped as pprof writes it, or plain. Every query parameter other than `service` and `environment` becomes a resource attribute.',
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
    'A write request in protobuf, compressed with Snappy. With every status, the headers `X-Prometheus-Remote-Write-*-Written` report what was stored.',
  auth: 'ingest',
  permission: 'telemetry:ingest',
  bodies: 'protocol',
  failureMedia: ['text/plain'],
  requestMedia: ['application/x-protobuf'],
  body: z.unknown(),
});

export const lokiPush = route({
  id: 'ingest.loki_push',
  example: {
    body: { streams: [{ stream: { service_name: 'checkout' }, values: [['1795426200000000000', 'payment timeout']] }] },
  },
  method: 'POST',
  path: '/loki/api/v1/push',
  prefix: '',
  summary: 'Send logs over the Loki push API',
  description:
    'JSON, plain or gzipped, or protobuf compressed with Snappy. Returns 400 even if only some lines are rejected; the others are stored.',
  auth: 'ingest',
  permission: 'telemetry:ingest',
  bodies: 'protocol',
  failureMedia: ['text/plain'],
  requestMedia: ['application/json', 'application/x-protobuf'],
  body: z.unknown(),
});

export const zipkinSpans = route({
  id: 'ingest.zipkin_spans',
  example: {
    body: [
      {
        traceId: '5b8efff798038103d269b633813fc60c',
        id: '051581bf3cb55c13',
        name: 'GET /checkout',
        timestamp: 1_795_426_200_000_000,
        duration: 12_000,
        localEndpoint: { serviceName: 'checkout' },
      },
    ],
  },
  method: 'POST',
  path: '/api/v2/spans',
  prefix: '',
  summary: 'Send spans as Zipkin v2 JSON',
  description:
    'Returns 202 even if some spans are rejected, and counts them; returns 400 with the reasons if no span is stored.',
  auth: 'ingest',
  permission: 'telemetry:ingest',
  bodies: 'protocol',
  failureMedia: ['text/plain'],
  status: 202,
  body: z.unknown(),
});
