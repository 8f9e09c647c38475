import { WireWriter } from '@fanion/telemetry';
import type { RefusalReason } from '../../../features/telemetry/ingest/index.ts';

/** Codes of google.rpc.Code that OTLP responses use. */
export const rpcCode = {
  invalidArgument: 3,
  permissionDenied: 7,
  resourceExhausted: 8,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Codes of gRPC, which are those of google.rpc.Status. */
export const statusCode: Record<RefusalReason, number> = {
  malformed: rpcCode.invalidArgument,
  unauthenticated: rpcCode.unauthenticated,
  forbidden: rpcCode.permissionDenied,
  too_large: rpcCode.resourceExhausted,
  unsupported: rpcCode.invalidArgument,
  limited: rpcCode.resourceExhausted,
  unavailable: rpcCode.unavailable,
};

/**
 * `google.rpc.Status`, the body of every error (OTLP/HTTP, "Failures").
 * @param retryAfter seconds; adds a `google.rpc.RetryInfo`, which tells gRPC clients to retry.
 */
export function statusBody(
  format: 'protobuf' | 'json',
  code: number,
  message: string,
  retryAfter: number | undefined = undefined,
): Buffer {
  if (format === 'json') return Buffer.from(JSON.stringify({ code, message }));
  const writer = new WireWriter();
  writer.varint(8);
  writer.varint(code);
  writer.varint(18);
  writer.string(message);
  if (retryAfter !== undefined) {
    writer.varint(26);
    writer.nested(() => {
      writer.varint(10);
      writer.string('type.googleapis.com/google.rpc.RetryInfo');
      writer.varint(18);
      writer.nested(() => {
        writer.varint(10);
        writer.nested(() => {
          writer.varint(8);
          writer.varint(retryAfter);
        });
      });
    });
  }
  return writer.result();
}

/** The name of the count of rejected items in each response. */
const rejectedNames = {
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
  profiles: 'rejectedProfiles',
} as const;

/** `Export…ServiceResponse`: empty when everything was accepted, else with `partial_success`. */
export function responseBody(
  format: 'protobuf' | 'json',
  signal: keyof typeof rejectedNames,
  rejected: number,
  message: string,
): Buffer {
  if (format === 'json') {
    const partialSuccess = { [rejectedNames[signal]]: String(rejected), errorMessage: message };
    return Buffer.from(JSON.stringify(rejected === 0 ? {} : { partialSuccess }));
  }
  const writer = new WireWriter();
  if (rejected > 0) {
    writer.varint(10);
    writer.nested(() => {
      writer.varint(8);
      writer.varint(rejected);
      writer.varint(18);
      writer.string(message);
    });
  }
  return writer.result();
}
