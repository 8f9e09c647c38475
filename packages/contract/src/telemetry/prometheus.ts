import { z } from 'zod';
import { route } from '../route.ts';
import { ForeignPlace, foreignRead, foreignReads } from './foreign-place.ts';

/*
 * The HTTP API of Prometheus 3 below /prometheus, for Grafana's data source and other clients of Prometheus. The schemas
 * are documentation only: parameters of clients that are not listed here are ignored, as Prometheus does.
 */

/** The envelope of Prometheus' answers. */
export const PrometheusAnswer = z.looseObject({
  status: z.literal('success'),
  data: z.unknown().optional(),
  warnings: z.array(z.string()).optional(),
  infos: z.array(z.string()).optional(),
});

export const PrometheusFailure = z.looseObject({
  status: z.literal('error'),
  errorType: z.string().meta({ examples: ['bad_data'] }),
  error: z.string().meta({ examples: ['what is wrong'] }),
});

const text = z.string().optional();
const time = text.meta({ description: 'Unix seconds, or a time of RFC 3339' });
const matches = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .meta({ description: 'selectors such as `up{job="api"}`; repeatable' });
const limit = text.meta({ description: 'most items to return; 0: all' });
const window = { start: time, end: time };
const evaluation = { timeout: text, lookback_delta: text, limit, stats: text };

const queried = {
  query: { query: text, time, ...evaluation },
  query_range: { query: text, ...window, step: text.meta({ description: 'seconds, or a duration' }), ...evaluation },
  series: { 'match[]': matches, ...window, limit },
  labels: { 'match[]': matches, ...window, limit },
  query_exemplars: { query: text, ...window },
  expression: { query: text },
};
const someWindow = { start: '1795422600', end: '1795426200' };

const { read, form } = foreignReads({
  product: 'prometheus',
  path: '/prometheus/api/v1',
  response: PrometheusAnswer,
  errors: ['PROMETHEUS_PARAMETER_INVALID', 'PROMQL_FAILED'],
});

const query = { query: '1 + 1' };
export const prometheusQuery = read('query', 'evaluate an expression at one time', queried.query, {
  ...query,
  time: '1795426200',
});
export const prometheusQueryForm = form(prometheusQuery);
export const prometheusQueryRange = read('query_range', 'evaluate an expression over time', queried.query_range, {
  ...query,
  ...someWindow,
  step: '60',
});
export const prometheusQueryRangeForm = form(prometheusQueryRange);
export const prometheusSeries = read('series', 'list series', queried.series, { 'match[]': 'up', ...someWindow });
export const prometheusSeriesForm = form(prometheusSeries);
export const prometheusLabels = read('labels', 'list label names', queried.labels);
export const prometheusLabelsForm = form(prometheusLabels);
export const prometheusLabelValues = read('label/{name}/values', 'list the values of a label', queried.labels);
export const prometheusExemplars = read('query_exemplars', 'list exemplars', queried.query_exemplars, {
  query: 'up',
  ...someWindow,
});
export const prometheusExemplarsForm = form(prometheusExemplars);
export const prometheusFormatQuery = read('format_query', 'format an expression', queried.expression, query);
export const prometheusFormatQueryForm = form(prometheusFormatQuery);
export const prometheusParseQuery = read('parse_query', 'parse an expression', queried.expression, query);
export const prometheusParseQueryForm = form(prometheusParseQuery);
export const prometheusMetadata = read('metadata', 'type, unit and description of metrics', {
  metric: text,
  limit,
  limit_per_metric: limit,
});
const texts = z.union([z.string(), z.array(z.string())]).optional();
export const prometheusRules = read(
  'rules',
  'list alert rules (with `alerts:read`) and recording rules (with `dashboards:read`)',
  {
    type: text.meta({ description: '`alert` or `record`' }),
    'rule_name[]': texts,
    'rule_group[]': texts,
    'file[]': texts,
    exclude_alerts: text,
  },
);
export const prometheusAlerts = read('alerts', 'list alerts that are pending or firing (with `alerts:read`)');
export const prometheusTargets = read('targets', 'list scrape targets; always none');
export const prometheusBuildInfo = read('status/buildinfo', 'version');
export const prometheusFlags = read('status/flags', 'flags; always none');
export const prometheusConfig = read('status/config', 'configuration; always empty');
export const prometheusRuntimeInfo = read('status/runtimeinfo', 'state of the server');
export const prometheusTsdb = read('status/tsdb', 'counts of series', { limit });

export const prometheusRead = route({
  id: 'prometheus.read',
  method: 'POST',
  path: '/prometheus/api/v1/read',
  prefix: '',
  summary: 'Prometheus: remote read of samples',
  description: 'A `ReadRequest` in protobuf, compressed with Snappy; answered as samples.',
  ...foreignRead,
  reads: true,
  status: 200,
  query: ForeignPlace,
  requestMedia: ['application/x-protobuf'],
  media: 'application/x-protobuf',
  body: z.unknown().optional(),
  response: z.string().meta({ examples: ['a ReadResponse in Snappy'] }),
  errors: ['PROMETHEUS_PARAMETER_INVALID', 'PROMQL_FAILED'],
});
