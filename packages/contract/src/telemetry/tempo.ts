import { z } from 'zod';
import { route } from '../route.ts';
import { ForeignPlace, foreignRead } from './foreign-place.ts';

/*
 * The HTTP API of Grafana Tempo below /tempo, for Grafana's data source and other clients of Tempo. The schemas are
 * documentation only: parameters of clients that are not listed here are ignored, as Tempo does.
 */

const text = z.string().optional();
const seconds = text.meta({ description: 'Unix seconds' });
const window = { start: seconds, end: seconds };
const limit = text.meta({ description: 'most items to return' });
const traceql = text.meta({ description: 'a TraceQL query' });

const someWindow = { start: '1795422600', end: '1795426200' };

const Answer = z.looseObject({});

interface Told {
  readonly query?: z.ZodRawShape;
  readonly response?: z.ZodType;
  readonly media?: string;
  readonly example?: Readonly<Record<string, string>>;
}

function read(name: string, summary: string, told: Told = {}) {
  const { query = {}, response = Answer, media = 'application/json', example = {} } = told;
  return route({
    // Names of the API document have no digits.
    id: `tempo.${name.replace(/^v2/, 'newer').replaceAll('/', '_').replace(/[{}]/g, '')}`,
    method: 'GET',
    path: `/tempo/api/${name}` as string,
    prefix: '',
    summary: `Tempo: ${summary}`,
    ...foreignRead,
    failureMedia: ['text/plain'],
    media,
    otherMedia: response === Answer ? ['application/protobuf'] : [],
    query: { ...query, ...ForeignPlace },
    response,
    errors: ['TEMPO_PARAMETER_INVALID', 'TRACEQL_INVALID'],
    example: { query: example },
  });
}

const searched = { q: traceql, ...window, limit };
const tagValues = { query: { q: traceql, ...window, limit } };
const measured = { q: traceql, query: traceql, ...window };

export const tempoEcho = read('echo', 'whether the API answers', {
  response: z.string().meta({ examples: ['echo'] }),
  media: 'text/plain',
});
export const tempoBuildInfo = read('status/buildinfo', 'version', { response: z.looseObject({}) });
export const tempoTrace = read('traces/{trace_id}', 'read a trace');
export const tempoTraceV2 = read('v2/traces/{trace_id}', 'read a trace, with its status');
export const tempoSearch = read('search', 'find traces', {
  query: {
    ...searched,
    spss: text.meta({ description: 'most spans of one span set' }),
    tags: text.meta({ description: 'attributes in logfmt, without `q`' }),
    minDuration: text.meta({ description: 'shortest duration of a trace, without `q`' }),
    maxDuration: text.meta({ description: 'longest duration of a trace, without `q`' }),
  },
  example: { q: '{ status = error }', ...someWindow },
});
export const tempoTags = read('search/tags', 'list the names of attributes', { query: { scope: text, ...window } });
export const tempoTagsV2 = read('v2/search/tags', 'list the names of attributes by their scope', {
  query: { scope: text, ...searched },
});
export const tempoTagValues = read('search/tag/{name}/values', 'list the values of an attribute', tagValues);
export const tempoTagValuesV2 = read('v2/search/tag/{name}/values', 'list the typed values of an attribute', tagValues);
export const tempoMetricsRange = read('metrics/query_range', 'compute a metric of spans over time', {
  query: {
    ...measured,
    step: text.meta({ description: 'seconds, or a duration' }),
    exemplars: text.meta({ description: 'up to 1000; default 100' }),
  },
  example: { q: '{ status = error } | rate()', ...someWindow, step: '60s' },
});
export const tempoMetricsInstant = read('metrics/query', 'compute a metric of the spans of a window', {
  query: measured,
  example: { q: '{ status = error } | count_over_time()', ...someWindow },
});
