import { formatNs } from '../../../platform/time-window.ts';
import type { GrpcMethod } from '../../read/grpc.ts';
import { firstBytes, type GrpcFields } from '../../read/grpc-fields.ts';

/** `jaeger.api_v3.QueryService` (`proto/api_v3/query_service.proto` of `jaeger-idl`). */
export const jaegerGrpcMethods: readonly GrpcMethod[] = [
  {
    ...streamed('GetTrace', (request) =>
      address(`v3/traces/${encodeURIComponent(request.text(1) ?? '')}`, {
        start_time: timeIn(request, 2),
        end_time: timeIn(request, 3),
      }),
    ),
    notFoundPrefix: 'trace not found: ',
  },
  {
    ...streamed('FindTraces', (request) => address('v3/traces', searchOf(request))),
    ...{ isEmptyIfNotFound: true, groupOf: traceOf },
  },
  streamed('FindTraceSummaries', (request) => address('v3/trace-summaries', searchOf(request))),
  single('GetServices', () => address('v3/services', {})),
  single('GetOperations', (request) =>
    address('v3/operations', { service: request.text(1), span_kind: request.text(2) }),
  ),
  single('GetDependencies', (request) => {
    const [fromNs, toNs] = [nanosecondsIn(request, 1), nanosecondsIn(request, 2)];
    return address('dependencies', {
      endTs: millisecondsOf(toNs),
      lookback: fromNs === undefined || toNs === undefined ? undefined : millisecondsOf(toNs - fromNs),
    });
  }),
];

/** The trace of `ResourceSpans`. Jaeger's clients join the spans of one message, and of adjacent ones, by their first span. */
function traceOf(resourceSpans: Buffer): string {
  const [scopeSpans, spans, traceId] = [2, 2, 1];
  return firstBytes(resourceSpans, [scopeSpans, spans, traceId])?.toString('hex') ?? '';
}

type Address = (request: GrpcFields) => string;

function streamed(name: string, of: Address): GrpcMethod {
  return { path: `/jaeger.api_v3.QueryService/${name}`, isStream: true, address: of, reasonOf };
}

function single(name: string, of: Address): GrpcMethod {
  return { ...streamed(name, of), isStream: false };
}

function searchOf(request: GrpcFields): Record<string, string | undefined> {
  const query = request.nested(1);
  if (query === undefined) return {};
  const attributes = query.map(3);
  return {
    'query.service_name': query.text(1),
    'query.operation_name': query.text(2),
    'query.attributes': attributes.length === 0 ? undefined : JSON.stringify(Object.fromEntries(attributes)),
    'query.start_time_min': timeIn(query, 4),
    'query.start_time_max': timeIn(query, 5),
    'query.duration_min': durationIn(query, 6),
    'query.duration_max': durationIn(query, 7),
    'query.search_depth': depthIn(query),
    // An expression, which the route refuses by this name.
    'query.filter': query.nested(10) && 'expression',
  };
}

/** A depth of 0 or less is the default, as in Jaeger (`apiv3/grpc_handler.go`, `traceQueryParams`). */
function depthIn(query: GrpcFields): string | undefined {
  const depth = query.whole(8);
  return depth === undefined || BigInt.asIntN(32, depth) <= 0n ? undefined : String(depth);
}

/** The zero of Go's `time.Time`, at the beginning of year 1: its clients send it for a time that was not set. */
const unsetNs = -62_135_596_800_000_000_000n;
/** The end of the times of RFC 3339, in the year 9999. */
const lastNs = 253_402_300_799_999_999_999n;

/** What RFC 3339 cannot say is left as a number, which the route refuses by the name of its parameter. */
function timeIn(request: GrpcFields, field: number): string | undefined {
  const ns = nanosecondsIn(request, field);
  if (ns === undefined) return undefined;
  return ns >= 0n && ns <= lastNs ? formatNs(ns) : String(ns);
}

function nanosecondsIn(request: GrpcFields, field: number): bigint | undefined {
  const ns = request.nanoseconds(field);
  return ns === unsetNs ? undefined : ns;
}

function durationIn(request: GrpcFields, field: number): string | undefined {
  const ns = request.nanoseconds(field);
  return ns === undefined ? undefined : `${ns}ns`;
}

function millisecondsOf(ns: bigint | undefined): string | undefined {
  return ns === undefined ? undefined : String(ns / 1_000_000n);
}

function address(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  return `/jaeger/api/${path}?${query}`;
}

/** Errors of version 3 have a message; those of version 1, several. */
function reasonOf(body: string): string {
  try {
    const failure = JSON.parse(body);
    return String(failure.error?.message ?? failure.errors?.[0]?.msg ?? body);
  } catch {
    return body;
  }
}
