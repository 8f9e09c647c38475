import { z } from 'zod';
import { route } from '../route.ts';
import { ForeignPlace, foreignRead, foreignReads } from './foreign-place.ts';

/*
 * The read part of Loki's HTTP API, for Grafana's data source and logcli. The schemas are documentation only: parameters of
 * clients that are not listed here are ignored, as Loki does.
 */

/** Loki's answers; those without an envelope have other fields. */
export const LokiAnswer = z.looseObject({
  status: z.literal('success').optional(),
  data: z
    .unknown()
    .optional()
    .meta({ examples: [{ resultType: 'vector', result: [{ metric: {}, value: [1_795_426_200, '2'] }] }] }),
});

export const LokiFailure = z.looseObject({
  status: z.literal('error'),
  errorType: z.string().meta({ examples: ['bad_data'] }),
  error: z.string().meta({ examples: ['what is wrong'] }),
  message: z.string().meta({ examples: ['what is wrong'] }),
});

const text = z.string().optional();
const time = text.meta({ description: 'Unix nanoseconds, Unix seconds, or a time of RFC 3339' });
const window = {
  start: time,
  end: time,
  since: text.meta({ description: 'without `start`: how long before `end` the window begins; default: 1h' }),
};
const query = text.meta({ description: 'LogQL' });
const selector = text.meta({ description: 'a selector such as `{service_name="cart"}`' });
const limit = text.meta({ description: 'most items to return' });
const direction = text.meta({ description: '`backward` (newest lines first, the default) or `forward`' });

const queried = {
  query: { query, time, limit, direction },
  query_range: {
    ...{ query, ...window, limit, direction },
    step: text.meta({ description: 'seconds, or a duration' }),
    interval: text.meta({ description: 'of log queries: least time between two returned lines' }),
  },
  labels: { ...window, query: selector },
  series: { 'match[]': z.union([z.string(), z.array(z.string())]).optional(), ...window },
};
const someWindow = { start: '1795422600', end: '1795426200' };

const { read, form } = foreignReads({
  product: 'loki',
  path: '/loki/api/v1',
  response: LokiAnswer,
  errors: ['LOKI_PARAMETER_INVALID', 'LOGQL_FAILED'],
});

const constant = { query: 'vector(1)+vector(1)' };
export const lokiQuery = read('query', 'evaluate a metric query at one time', queried.query, {
  ...constant,
  time: '1795426200',
});
export const lokiQueryForm = form(lokiQuery);
export const lokiQueryRange = read('query_range', 'lines, or a metric query over time', queried.query_range, {
  ...constant,
  ...someWindow,
  step: '60',
});
export const lokiQueryRangeForm = form(lokiQueryRange);
export const lokiLabels = read('labels', 'list labels', queried.labels);
export const lokiLabelsForm = form(lokiLabels);
export const lokiLabelValues = read('label/{name}/values', 'list the values of a label', queried.labels);
export const lokiSeries = read('series', 'list streams', queried.series, { 'match[]': '{service_name=~".+"}' });
export const lokiSeriesForm = form(lokiSeries);
export const lokiFormatQuery = read('format_query', 'format a query', { query }, constant);
export const lokiFormatQueryForm = form(lokiFormatQuery);
export const lokiBuildInfo = read('status/buildinfo', 'version');

/** A message of `tail`. */
export const LokiTailMessage = z.looseObject({
  streams: z
    .array(z.looseObject({ stream: z.record(z.string(), z.string()), values: z.array(z.array(z.unknown())) }))
    .meta({ examples: [[{ stream: { service_name: 'cart' }, values: [['1795426200000000000', 'payment timeout']] }]] }),
  dropped_entries: z
    .array(z.looseObject({ timestamp: z.string(), labels: z.record(z.string(), z.string()) }))
    .optional(),
});

export const lokiTail = route({
  id: 'loki.tail',
  example: { query: { query: '{service_name=~".+"}' } },
  method: 'GET',
  path: '/loki/api/v1/tail',
  prefix: '',
  summary: 'Loki: lines as they arrive (WebSocket)',
  description: [
    'Begins with the newest lines since `start`, and then polls once a second. Omits lines that arrive more than 30 s after',
    'their time. If more than 500 lines match in one poll, the newest are sent, and `dropped_entries` has the time from which',
    'lines are missing. The server sends a ping at least every 15 s, disconnects a client that leaves 1 MB unread, and',
    'closes with 1001 when it stops, 1008 when access has ended, and 1011 when it cannot continue.',
  ].join(' '),
  ...foreignRead,
  status: 101,
  query: {
    query: text.meta({ description: 'LogQL that selects lines' }),
    start: text.meta({ description: 'time of the first line; default: 1 hour ago' }),
    limit: text.meta({ description: 'most lines at the beginning; default: 100' }),
    delay_for: text.meta({ description: 'seconds, at most 5, by which lines are held back for late ones; default: 0' }),
    ...ForeignPlace,
  },
  response: LokiTailMessage,
  errors: ['LOKI_PARAMETER_INVALID', 'LOGQL_FAILED', 'QUERY_QUEUE_FULL'],
});

const step = text.meta({ description: 'seconds, or a duration' });
const volumes = {
  ...{ query: selector, ...window, limit },
  targetLabels: text.meta({
    description: 'labels to aggregate by, separated by commas; default: those of the selector',
  }),
  aggregateBy: text.meta({ description: '`series` (the default), or `labels`: by the names of labels' }),
};
const lines = text.meta({ description: 'how many of the newest lines to look at; default: 100' });
const chosen = { query: '{service_name=~".+"}' };

export const lokiIndexStats = read('index/stats', 'count streams, lines and bytes', queried.labels, chosen);
export const lokiVolume = read('index/volume', 'bytes of lines by label', volumes, chosen);
export const lokiVolumeRange = read(
  'index/volume_range',
  'bytes of lines by label over time',
  { ...volumes, step },
  { ...chosen, ...someWindow, step: '60' },
);
export const lokiPatterns = read('patterns', 'templates of lines', { ...queried.labels, step }, chosen);
export const lokiDetectedLabels = read('detected_labels', 'labels and how many values each has', queried.labels);
export const lokiDetectedFields = read(
  'detected_fields',
  'fields of the newest lines',
  { query, ...window, limit, line_limit: lines },
  chosen,
);
export const lokiDetectedFieldValues = read(
  'detected_field/{name}/values',
  'values of a field in the newest lines',
  { query, ...window, limit, line_limit: lines },
  chosen,
);
/** An answer that is not JSON. */
function written(of: ReturnType<typeof read>, media: string, example: string, path = of.path) {
  const response = z.string().meta({ examples: [example] });
  return route({ ...of, path, media, response, callerWorkspace: true, query: of.query.shape });
}
export const lokiRules = written(read('rules', 'rule groups; always none'), 'application/yaml', '{}');
export const lokiReady = written(read('ready', 'whether it answers'), 'text/plain', 'ready', '/loki/ready');
