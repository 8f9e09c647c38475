import { z } from 'zod';
import { route } from '../route.ts';
import { ForeignPlace, foreignRead } from './foreign-place.ts';

/*
 * The HTTP API of Jaeger's query service below /jaeger, for the Jaeger UI and Grafana's Jaeger data source. The schemas are
 * documentation only: parameters of clients that are not listed here are ignored, as Jaeger does.
 */

const failed = z.looseObject({
  code: z.number().meta({ examples: [400] }),
  msg: z.string().meta({ examples: ["parameter 'service' is required"] }),
});

/** The envelope of Jaeger's answers. */
export const JaegerAnswer = z.looseObject({
  data: z.unknown().meta({ examples: [['cart', 'checkout']] }),
  total: z.number(),
  limit: z.number(),
  offset: z.number(),
  errors: z
    .array(z.looseObject({ msg: z.string(), traceID: z.string() }))
    .nullable()
    .meta({ examples: [null] }),
});

export const JaegerFailure = z.looseObject({
  data: z.null(),
  total: z.number(),
  limit: z.number(),
  offset: z.number(),
  errors: z.array(failed),
});

/** A metric: windows without spans have no value other than calls, which is `NaN`. */
export const JaegerMetricFamily = z.looseObject({
  name: z.string().meta({ examples: ['service_call_rate'] }),
  type: z.literal('GAUGE'),
  help: z.string().meta({ examples: ['calls/sec, grouped by service'] }),
  metrics: z.array(
    z.looseObject({
      labels: z.array(
        z.looseObject({
          name: z.string().meta({ examples: ['service_name'] }),
          value: z.string().meta({ examples: ['checkout'] }),
        }),
      ),
      metricPoints: z.array(
        z.looseObject({
          gaugeValue: z.looseObject({ doubleValue: z.union([z.number(), z.literal('NaN')]) }),
          timestamp: z.string().meta({ examples: ['2026-11-23T10:00:00.000Z'] }),
        }),
      ),
    }),
  ),
});

const text = z.string().optional();
const texts = z.union([z.string(), z.array(z.string())]).optional();
const micros = text.meta({ description: 'Unix microseconds' });
const duration = text.meta({ description: 'a duration such as `1.2ms`' });
const millis = text.meta({ description: 'milliseconds' });

const foreign = {
  prefix: '',
  ...foreignRead,
  errors: ['JAEGER_REQUEST_INVALID'],
} as const;

function read(
  name: string,
  path: string,
  summary: string,
  query: z.ZodRawShape = {},
  example: Readonly<Record<string, string>> = {},
  response: z.ZodType = JaegerAnswer,
) {
  return route({
    ...foreign,
    errors: [...foreign.errors],
    id: `jaeger.${name}`,
    method: 'GET',
    path: `/jaeger/api/${path}` as string,
    summary: `Jaeger: ${summary}`,
    query: { ...query, ...ForeignPlace },
    response,
    example: { query: example },
  });
}

export const jaegerServices = read('services', 'services', 'list services that sent spans');
export const jaegerServiceOperations = read(
  'service_operations',
  'services/{service}/operations',
  'list the names of the spans of a service',
);
export const jaegerOperations = read(
  'operations',
  'operations',
  'list the names and kinds of the spans of a service',
  { service: text, spanKind: text },
  { service: 'checkout' },
);
export const jaegerSearch = read(
  'search',
  'traces',
  'search traces',
  {
    service: text,
    operation: text,
    tags: texts.meta({ description: 'a JSON object of texts; a span, its resource, scope, events or links have each' }),
    tag: texts.meta({ description: '`key:value`; repeatable' }),
    minDuration: duration,
    maxDuration: duration,
    start: micros,
    end: micros,
    lookback: text.meta({ description: 'such as `1h`, where `start` is missing' }),
    limit: text.meta({ description: 'most traces' }),
    traceID: texts.meta({ description: 'the traces with these ids; repeatable' }),
  },
  { service: 'checkout' },
);
export const jaegerTrace = read('trace', 'traces/{trace_id}', 'get a trace', { start: micros, end: micros });
export const jaegerDependencies = {
  ...read('dependencies', 'dependencies', 'list calls between services', {
    endTs: text.meta({ description: 'Unix milliseconds' }),
    lookback: millis,
    service: text,
  }),
  otherMedia: ['application/protobuf'],
};
export const jaegerDeepDependencies = read(
  'deep_dependencies',
  'deep-dependencies',
  'list paths through services; always none',
  { service: text },
  {},
  z.looseObject({ dependencies: z.array(z.unknown()).meta({ examples: [[]] }) }),
);
export const jaegerQualityMetrics = read(
  'quality_metrics',
  'quality-metrics',
  'judge the quality of traces; always none',
  {},
  {},
  z.looseObject({
    scores: z.array(z.unknown()).meta({ examples: [[]] }),
    metrics: z.array(z.unknown()).meta({ examples: [[]] }),
  }),
);

const measured = {
  service: texts.meta({ description: 'repeatable' }),
  groupByOperation: text,
  spanKind: texts.meta({ description: 'repeatable; default: `server`' }),
  endTs: text.meta({ description: 'Unix milliseconds' }),
  lookback: millis,
  step: millis,
  ratePer: millis,
};
const someService = { service: 'checkout' };
export const jaegerLatencies = read(
  'latencies',
  'metrics/latencies',
  'a quantile of the durations of a service',
  { quantile: text, ...measured },
  { ...someService, quantile: '0.95' },
  JaegerMetricFamily,
);
export const jaegerCalls = read(
  'calls',
  'metrics/calls',
  'calls per second of a service',
  measured,
  someService,
  JaegerMetricFamily,
);
export const jaegerErrors = read(
  'errors',
  'metrics/errors',
  'the share of failed calls of a service',
  measured,
  someService,
  JaegerMetricFamily,
);
export const jaegerMinStep = read('min_step', 'metrics/minstep', 'the shortest step of metrics');

export const jaegerTransform = route({
  ...foreign,
  errors: [...foreign.errors],
  id: 'jaeger.transform',
  method: 'POST',
  path: '/jaeger/api/transform',
  summary: 'Jaeger: show spans of OTLP/JSON as traces',
  reads: true,
  status: 200,
  query: ForeignPlace,
  body: z.unknown().optional(),
  bodyLimit: 'ordinary',
  response: JaegerAnswer,
  example: { body: { resourceSpans: [] } },
});
