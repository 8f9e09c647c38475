import { keyValue, message } from '@fanion/telemetry';

/*
 * The answers of Tempo in protobuf (`pkg/tempopb/tempo.proto`, Apache-2.0), by the names that their JSON has. Parts that are
 * never sent are missing.
 */

const metrics = message('SearchMetrics', { inspectedTraces: [1, 'uint32'] });

const span = message('Span', {
  spanID: [1, 'string'],
  name: [2, 'string'],
  startTimeUnixNano: [3, 'uint64'],
  durationNanos: [4, 'uint64'],
  attributes: [5, keyValue, 'repeated'],
});
const spanSet = message('SpanSet', {
  spans: [1, span, 'repeated'],
  matched: [2, 'uint32'],
  attributes: [3, keyValue, 'repeated'],
});
const serviceStats = message('ServiceStatsEntry', {
  key: [1, 'string'],
  value: [2, message('ServiceStats', { spanCount: [1, 'uint32'], errorCount: [2, 'uint32'] })],
});
const foundTrace = message('TraceSearchMetadata', {
  traceID: [1, 'string'],
  rootServiceName: [2, 'string'],
  rootTraceName: [3, 'string'],
  startTimeUnixNano: [4, 'uint64'],
  durationMs: [5, 'uint32'],
  spanSet: [6, spanSet],
  spanSets: [7, spanSet, 'repeated'],
  serviceStats: [8, serviceStats, 'map'],
});
export const searchResponse = message('SearchResponse', {
  traces: [1, foundTrace, 'repeated'],
  metrics: [2, metrics],
});

const metadata = message('MetadataMetrics', {});
export const tagsResponse = message('SearchTagsResponse', {
  tagNames: [1, 'string', 'repeated'],
  metrics: [2, metadata],
});
export const tagsV2Response = message('SearchTagsV2Response', {
  scopes: [1, message('SearchTagsV2Scope', { name: [1, 'string'], tags: [2, 'string', 'repeated'] }), 'repeated'],
  metrics: [2, metadata],
});
export const tagValuesResponse = message('SearchTagValuesResponse', {
  tagValues: [1, 'string', 'repeated'],
  metrics: [2, metadata],
});
export const tagValuesV2Response = message('SearchTagValuesV2Response', {
  tagValues: [1, message('TagValue', { type: [1, 'string'], value: [2, 'string'] }), 'repeated'],
  metrics: [2, metadata],
});

const labels = [1, keyValue, 'repeated'] as const;
const sample = message('Sample', { value: [1, 'double'], timestampMs: [2, 'int64'] });
const exemplar = message('Exemplar', { labels, value: [2, 'double'], timestampMs: [3, 'int64'] });
export const rangeResponse = message('QueryRangeResponse', {
  series: [
    1,
    message('TimeSeries', { labels, samples: [2, sample, 'repeated'], exemplars: [4, exemplar, 'repeated'] }),
    'repeated',
  ],
  metrics: [2, metrics],
});
export const instantResponse = message('QueryInstantResponse', {
  series: [1, message('InstantSeries', { labels, value: [2, 'double'] }), 'repeated'],
  metrics: [2, metrics],
});
