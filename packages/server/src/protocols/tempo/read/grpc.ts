import type { GrpcMethod } from '../../read/grpc.ts';
import type { GrpcFields } from '../../read/grpc-fields.ts';

/** The text of a number or text; undefined: none. */
type Value = bigint | string | undefined;

/** `tempopb.StreamingQuerier` (`pkg/tempopb/tempo.proto`): what Grafana asks when "Streaming" is on. */
export const tempoGrpcMethods: readonly GrpcMethod[] = [
  method('Search', (request) =>
    address('search', {
      q: request.text(8),
      tags: logfmtOf(request.map(1)),
      minDuration: withUnit(request.whole(2), 'ms'),
      maxDuration: withUnit(request.whole(3), 'ms'),
      limit: request.whole(4),
      start: request.whole(5),
      end: request.whole(6),
      spss: request.whole(9),
    }),
  ),
  method('SearchTags', (request) => address('search/tags', tagsOf(request))),
  method('SearchTagsV2', (request) => address('v2/search/tags', tagsOf(request))),
  method('SearchTagValues', (request) => address(`search/tag/${tagIn(request)}/values`, valuesOf(request))),
  method('SearchTagValuesV2', (request) => address(`v2/search/tag/${tagIn(request)}/values`, valuesOf(request))),
  method('MetricsQueryRange', (request) =>
    address('metrics/query_range', {
      ...measured(request),
      step: withUnit(request.whole(4), 'ns'),
      exemplars: request.whole(16),
    }),
  ),
  method('MetricsQueryInstant', (request) => address('metrics/query', measured(request))),
];

function method(name: string, of: (request: GrpcFields) => string): GrpcMethod {
  return {
    path: `/tempopb.StreamingQuerier/${name}`,
    isStream: true,
    address: of,
    reasonOf: (body) => body,
  };
}

function tagsOf(request: GrpcFields): Record<string, Value> {
  return {
    scope: request.text(1),
    q: request.text(2),
    start: request.whole(3),
    end: request.whole(4),
    limit: request.whole(5),
  };
}

function valuesOf(request: GrpcFields): Record<string, Value> {
  return { q: request.text(2), start: request.whole(4), end: request.whole(5), limit: request.whole(6) };
}

/** Paths encode a tag twice. */
function tagIn(request: GrpcFields): string {
  return encodeURIComponent(encodeURIComponent(request.text(1) ?? ''));
}

/** Their times are in nanoseconds. */
function measured(request: GrpcFields): Record<string, Value> {
  return { q: request.text(1), start: request.whole(2), end: request.whole(3) };
}

function logfmtOf(tags: readonly (readonly [key: string, value: string])[]): Value {
  if (tags.length === 0) return undefined;
  return tags.map(([key, value]) => `${key}="${value.replace(/["\\]/g, '\\$&')}"`).join(' ');
}

function withUnit(amount: bigint | undefined, unit: string): Value {
  return amount === undefined ? undefined : `${amount}${unit}`;
}

function address(path: string, values: Readonly<Record<string, Value>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return `/tempo/api/${path}?${query}`;
}
