import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';

/** The target of telemetry requests. */
export interface Target {
  readonly base: string;
  readonly grpc: Client;
  readonly token: string;
}

export const grpcCode = {
  ok: status.OK,
  invalidArgument: status.INVALID_ARGUMENT,
  resourceExhausted: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
} as const;

/** The result of a call. */
export interface Answer {
  readonly code: number;
  readonly message: string;
  readonly body: Buffer;
  /** `google.rpc.Status` of the trailers. */
  readonly details: Buffer | undefined;
}

const services = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  profiles: '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export',
} as const;

/** Calls one of OTLP's services with the bytes of a message. Never rejects. */
export function exportOver(
  { grpc, token }: Pick<Target, 'grpc' | 'token'>,
  signal: keyof typeof services,
  body: Buffer,
): Promise<Answer> {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const asIs = (bytes: Buffer) => bytes;
  const options = { deadline: Date.now() + 20_000 };
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, answer?: Buffer) => {
      const details = error?.metadata?.get('grpc-status-details-bin')[0];
      resolve({
        code: error?.code ?? status.OK,
        message: error?.details ?? '',
        body: answer ?? Buffer.alloc(0),
        details: Buffer.isBuffer(details) ? details : undefined,
      });
    };
    try {
      grpc.makeUnaryRequest(services[signal], asIs, asIs, body, metadata, options, done);
    } catch (error) {
      // The channel was closed, since the test has ended.
      resolve({ code: status.CANCELLED, message: String(error), body: Buffer.alloc(0), details: undefined });
    }
  });
}
