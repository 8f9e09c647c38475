import { z } from 'zod';
import { route } from '../route.ts';
import { ForeignPlace, foreignRead } from './foreign-place.ts';

/*
 * Version 3 of Jaeger's API over HTTP, which answers with OTLP in JSON. Clients that accept protobuf get the messages of its gRPC service. Names of parameters are written `query.serviceName` or
 * `query.service_name`.
 */

export const JaegerOtlpFailure = z.looseObject({
  error: z.looseObject({
    httpCode: z.number().meta({ examples: [404] }),
    message: z.string().meta({ examples: ['No traces found'] }),
  }),
});

const text = z.string().optional();
const time = text.meta({ description: 'a time of RFC 3339' });
const duration = text.meta({ description: 'a duration such as `1.2ms`' });

const found = {
  'query.service_name': text,
  'query.operation_name': text,
  'query.attributes': text.meta({ description: 'a JSON object of texts' }),
  'query.start_time_min': time,
  'query.start_time_max': time,
  'query.duration_min': duration,
  'query.duration_max': duration,
  'query.search_depth': text.meta({ description: 'most traces; also `query.num_traces`' }),
};

function read(
  name: string,
  path: string,
  summary: string,
  query: z.ZodRawShape = {},
  example: Readonly<Record<string, string>> = {},
) {
  return route({
    id: `jaeger_otlp.${name}`,
    method: 'GET',
    path: `/jaeger/api/v3/${path}` as string,
    prefix: '',
    summary: `Jaeger v3: ${summary}`,
    ...foreignRead,
    query: { ...query, ...ForeignPlace },
    response: z.looseObject({}),
    otherMedia: ['application/protobuf'],
    errors: ['JAEGER_REQUEST_INVALID'],
    example: { query: example },
  });
}

const someHour = {
  'query.service_name': 'checkout',
  'query.start_time_min': '2026-11-23T09:00:00Z',
  'query.start_time_max': '2026-11-23T10:00:00Z',
};
export const jaegerV3Services = read('services', 'services', 'list services that sent spans');
export const jaegerV3Operations = read(
  'operations',
  'operations',
  'list the names and kinds of the spans of a service',
  { service: text, span_kind: text },
  { service: 'checkout' },
);
export const jaegerV3Search = read('search', 'traces', 'search traces', found, someHour);
export const jaegerV3Trace = read('trace', 'traces/{trace_id}', 'get a trace', { start_time: time, end_time: time });
export const jaegerV3Summaries = read(
  'summaries',
  'trace-summaries',
  'search traces and summarize them',
  found,
  someHour,
);
