import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/*
 * The services that clients of Tempo and Jaeger call, in their own numbering: Tempo's `pkg/tempopb/tempo.proto` and Jaeger's
 * `proto/api_v3/query_service.proto` (both Apache-2.0), and `opentelemetry/proto/trace/v1/trace.proto`.
 */
const { root } = protobuf.parse(
  `syntax = "proto3";
  message AnyValue { oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message OtlpSpan { bytes trace_id = 1; bytes span_id = 2; string name = 5; fixed64 start_time_unix_nano = 7; }
  message ScopeSpans { repeated OtlpSpan spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message TracesData { repeated ResourceSpans resource_spans = 1; }
  message Timestamp { int64 seconds = 1; int32 nanos = 2; }

  message SearchRequest { map<string, string> Tags = 1; uint32 MinDurationMs = 2; uint32 MaxDurationMs = 3;
    uint32 Limit = 4; uint32 start = 5; uint32 end = 6; string Query = 8; uint32 SpansPerSpanSet = 9; }
  message Span { string spanID = 1; string name = 2; uint64 startTimeUnixNano = 3; uint64 durationNanos = 4;
    repeated KeyValue attributes = 5; }
  message SpanSet { repeated Span spans = 1; uint32 matched = 2; repeated KeyValue attributes = 3; }
  message ServiceStats { uint32 spanCount = 1; uint32 errorCount = 2; }
  message FoundTrace { string traceID = 1; string rootServiceName = 2; string rootTraceName = 3;
    uint64 startTimeUnixNano = 4; uint32 durationMs = 5; SpanSet spanSet = 6; repeated SpanSet spanSets = 7;
    map<string, ServiceStats> serviceStats = 8; }
  message SearchMetrics { uint32 inspectedTraces = 1; }
  message SearchResponse { repeated FoundTrace traces = 1; SearchMetrics metrics = 2; }
  message SearchTagsRequest { string scope = 1; string query = 2; uint32 start = 3; uint32 end = 4; }
  message SearchTagsResponse { repeated string tagNames = 1; }
  message TagScope { string name = 1; repeated string tags = 2; }
  message SearchTagsV2Response { repeated TagScope scopes = 1; }
  message SearchTagValuesRequest { string tagName = 1; string query = 2; uint32 start = 4; uint32 end = 5; }
  message SearchTagValuesResponse { repeated string tagValues = 1; }
  message TagValue { string type = 1; string value = 2; }
  message SearchTagValuesV2Response { repeated TagValue tagValues = 1; }
  message QueryRangeRequest { string query = 1; uint64 start = 2; uint64 end = 3; uint64 step = 4;
    uint32 exemplars = 16; }
  message Exemplar { repeated KeyValue labels = 1; double value = 2; int64 timestampMs = 3; }
  message Sample { double value = 1; int64 timestampMs = 2; }
  message TimeSeries { repeated KeyValue labels = 1; repeated Sample samples = 2; repeated Exemplar exemplars = 4; }
  message QueryRangeResponse { repeated TimeSeries series = 1; }
  message QueryInstantRequest { string query = 1; uint64 start = 2; uint64 end = 3; }
  message InstantSeries { repeated KeyValue labels = 1; double value = 2; }
  message QueryInstantResponse { repeated InstantSeries series = 1; }

  message GetTraceRequest { string trace_id = 1; Timestamp start_time = 2; Timestamp end_time = 3; }
  message TraceQuery { string service_name = 1; string operation_name = 2; map<string, string> attributes = 3;
    Timestamp start_time_min = 4; Timestamp start_time_max = 5; Timestamp duration_min = 6; Timestamp duration_max = 7;
    int32 search_depth = 8; }
  message FindTracesRequest { TraceQuery query = 1; }
  message Empty {}
  message GetServicesResponse { repeated string services = 1; }
  message GetOperationsRequest { string service = 1; string span_kind = 2; }
  message Operation { string name = 1; string span_kind = 2; }
  message GetOperationsResponse { repeated Operation operations = 1; }
  message GetDependenciesRequest { Timestamp start_time = 1; Timestamp end_time = 2; }
  message Dependency { string parent = 1; string child = 2; uint64 call_count = 3; }
  message DependenciesResponse { repeated Dependency dependencies = 1; }
  message ServiceSummary { string name = 1; int32 span_count = 2; int32 error_span_count = 3; }
  message TraceSummary { string trace_id = 1; string root_service_name = 2; string root_operation_name = 3;
    fixed64 min_start_time_unix_nano = 4; fixed64 max_end_time_unix_nano = 5; int32 span_count = 6;
    int32 error_span_count = 7; int32 orphan_span_count = 8; repeated ServiceSummary services = 9; }
  message FindTraceSummariesResponse { repeated TraceSummary summaries = 1; }`,
  { keepCase: true },
);

const methods: Readonly<Record<string, readonly [request: string, response: string]>> = {
  '/tempopb.StreamingQuerier/Search': ['SearchRequest', 'SearchResponse'],
  '/tempopb.StreamingQuerier/SearchTags': ['SearchTagsRequest', 'SearchTagsResponse'],
  '/tempopb.StreamingQuerier/SearchTagsV2': ['SearchTagsRequest', 'SearchTagsV2Response'],
  '/tempopb.StreamingQuerier/SearchTagValues': ['SearchTagValuesRequest', 'SearchTagValuesResponse'],
  '/tempopb.StreamingQuerier/SearchTagValuesV2': ['SearchTagValuesRequest', 'SearchTagValuesV2Response'],
  '/tempopb.StreamingQuerier/MetricsQueryRange': ['QueryRangeRequest', 'QueryRangeResponse'],
  '/tempopb.StreamingQuerier/MetricsQueryInstant': ['QueryInstantRequest', 'QueryInstantResponse'],
  '/jaeger.api_v3.QueryService/GetTrace': ['GetTraceRequest', 'TracesData'],
  '/jaeger.api_v3.QueryService/FindTraces': ['FindTracesRequest', 'TracesData'],
  '/jaeger.api_v3.QueryService/FindTraceSummaries': ['FindTracesRequest', 'FindTraceSummariesResponse'],
  '/jaeger.api_v3.QueryService/GetServices': ['Empty', 'GetServicesResponse'],
  '/jaeger.api_v3.QueryService/GetOperations': ['GetOperationsRequest', 'GetOperationsResponse'],
  '/jaeger.api_v3.QueryService/GetDependencies': ['GetDependenciesRequest', 'DependenciesResponse'],
};

/** What a call was answered with: its messages as JSON, or its error. */
export interface CallAnswer {
  readonly messages: readonly Record<string, unknown>[];
  readonly error?: Pick<ServiceError, 'code' | 'details'>;
}

/** A client that calls by the paths of methods. */
export function queryClient(address: string, token: string | undefined, channel = credentials.createInsecure()) {
  const client = new Client(address, channel);
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  return {
    /** Calls every method as if it streamed, which a single answer is for a client. */
    call(path: string, request: object): Promise<CallAnswer> {
      const [asked, answered] = methods[path] ?? ['Empty', 'Empty'];
      const [Request, Response] = [root.lookupType(asked), root.lookupType(answered)];
      const messages: Record<string, unknown>[] = [];
      const call = client.makeServerStreamRequest(
        path,
        (value: object) => Buffer.from(Request.encode(Request.fromObject(value)).finish()),
        (bytes: Buffer) => Response.toObject(Response.decode(bytes), { longs: String, bytes: String, json: true }),
        request,
        metadata,
      );
      return new Promise((resolve) => {
        call.on('data', (message: Record<string, unknown>) => messages.push(message));
        call.on('error', ({ code, details }: ServiceError) => resolve({ messages, error: { code, details } }));
        call.on('end', () => resolve({ messages }));
      });
    },
    close: () => client.close(),
  };
}
