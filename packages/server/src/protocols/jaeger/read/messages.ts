import { message, otlpRequests } from '@fanion/telemetry';
import type { Protobuf } from './answering.ts';

/*
 * The answers of version 3 in protobuf (`proto/api_v3/query_service.proto` of `jaeger-idl`, Apache-2.0), by the names that
 * their JSON has.
 */

/** `TracesData` of OTLP has the fields of its request. */
export const tracesData: Protobuf<{ readonly result: object }> = {
  message: otlpRequests.traces,
  body: ({ result }) => result,
};

const service = message('ServiceSummary', {
  name: [1, 'string'],
  spanCount: [2, 'uint32'],
  errorSpanCount: [3, 'uint32'],
});
const summary = message('TraceSummary', {
  traceId: [1, 'string'],
  rootServiceName: [2, 'string'],
  rootOperationName: [3, 'string'],
  minStartTimeUnixNano: [4, 'fixed64'],
  maxEndTimeUnixNano: [5, 'fixed64'],
  spanCount: [6, 'uint32'],
  errorSpanCount: [7, 'uint32'],
  orphanSpanCount: [8, 'uint32'],
  services: [9, service, 'repeated'],
});
export const summaries = {
  message: message('FindTraceSummariesResponse', { summaries: [1, summary, 'repeated'] }),
} satisfies Protobuf<object>;

export const services = {
  message: message('GetServicesResponse', { services: [1, 'string', 'repeated'] }),
} satisfies Protobuf<object>;

const operation = message('Operation', { name: [1, 'string'], spanKind: [2, 'string'] });
/** Spans without a kind have none over gRPC, but are `internal` over HTTP (`apiv3/http_gateway.go`, `getOperations`). */
export const operations: Protobuf<{ readonly operations: readonly { name: string; spanKind: string }[] }> = {
  message: message('GetOperationsResponse', { operations: [1, operation, 'repeated'] }),
  json: ({ operations }) => ({
    operations: operations.map(({ name, spanKind }) => ({ name, spanKind: spanKind || 'internal' })),
  }),
};

const dependency = message('Dependency', { parent: [1, 'string'], child: [2, 'string'], callCount: [3, 'uint64'] });
export const dependencies: Protobuf<{ readonly data: unknown }> = {
  message: message('DependenciesResponse', { dependencies: [1, dependency, 'repeated'] }),
  body: ({ data }) => ({ dependencies: data }),
};
