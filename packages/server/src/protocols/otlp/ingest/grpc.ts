import { SIGNALS, type Signal } from '@fanion/telemetry';
import {
  logVerbosity,
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  type ServerUnaryCall,
  type StatusObject,
  type sendUnaryData,
  setLogVerbosity,
  status,
} from '@grpc/grpc-js';
import {
  type Held,
  holdMore,
  type IngestLog,
  type IngestPrincipal,
  type Receiver,
  Refused,
  refusalOf,
  refusedCaller,
} from '../../../features/telemetry/ingest/index.ts';
import type { Tls } from '../../../http/tls.ts';
import { addressOfPeer, bytesMethod } from '../../grpc.ts';
import { createGrpcConnections, type GrpcConnections } from './grpc-connections.ts';
import { responseBody, statusBody, statusCode } from './status.ts';

export interface OtlpGrpcOptions extends Receiver {
  log: IngestLog;
  tls?: Tls | undefined;
}

export interface OtlpGrpc {
  /**
   * @returns the port, which differs from the given one if that is 0.
   * @throws if the address is in use.
   */
  listen(host: string, port: number): Promise<number>;
  /** Waits a few seconds at most for calls in progress. */
  stop(): Promise<void>;
}

/** The methods of `opentelemetry/proto/collector/*\/*_service.proto`. */
const methods: Record<Signal, string> = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  profiles: '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export',
};

/** Concurrent calls of one connection; a batching exporter has one or two in progress. */
const MAX_STREAMS = 100;
/** From the headers to the end of the call; the same limit as for an HTTP request. */
const CALL_MS = 60_000;
const STOP_MS = 5_000;

type Call = ServerUnaryCall<Buffer, Buffer>;

/**
 * OTLP/gRPC. Messages are not decoded here: their bytes go to the same scan and log as those of OTLP/HTTP. Unlike there,
 * the size limit applies only after decompression. Messages that are still arriving are counted by connection.
 */
export function createOtlpGrpc(options: OtlpGrpcOptions): OtlpGrpc {
  // Errors are reported to the sender or thrown here; the library would also print them.
  setLogVerbosity(logVerbosity.NONE);
  const callers = new WeakMap<Metadata, IngestPrincipal>();
  const server = new Server({
    'grpc.max_receive_message_length': options.limits.inflatedBytes,
    'grpc.max_concurrent_streams': MAX_STREAMS,
    // Detects peers that disappeared without closing, and drops their connections.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
    interceptors: [authenticating(options, callers, () => connections)],
  });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const connections = createGrpcConnections(options, (socket) => injector.injectConnection(socket));
  for (const [signal, path] of Object.entries(methods) as [Signal, string][]) {
    server.addService(
      { Export: bytesMethod(path, false) },
      { Export: (call: Call, answer: sendUnaryData<Buffer>) => void handle(signal, call, answer, options, callers) },
    );
  }
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        const { server: listener } = connections;
        listener.once('error', reject);
        listener.listen({ host, port }, () => {
          listener.off('error', reject);
          const address = listener.address();
          resolve(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    async stop() {
      connections.server.close();
      const force = setTimeout(() => server.forceShutdown(), STOP_MS);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(force);
    },
  };
}

/** Identifies the caller before reading any of the message, and ends a call that takes too long to send it. */
function authenticating(
  { admit, authenticate, limits, refused, log }: OtlpGrpcOptions,
  callers: WeakMap<Metadata, IngestPrincipal>,
  connections: () => GrpcConnections,
): ServerInterceptor {
  const brokenOff = new Refused('too_large', `message incomplete, or larger than ${limits.inflatedBytes} bytes`);
  return ({ path }, nextCall) => {
    const signal = SIGNALS.find((one) => methods[one] === path);
    let timer: NodeJS.Timeout | undefined;
    let sender: IngestPrincipal | undefined;
    let isWhole = false;
    let isAnswered = false;
    /** Stops counting the received bytes of the message. */
    let received = () => {};
    const count = (refusal: Refused) => {
      if (sender !== undefined && signal !== undefined) refused(sender, signal, refusal);
    };
    const refuse = (error: unknown) => {
      const refusal = refusalOf(error, (err) => logFault(log, err));
      count(refusal);
      call.sendStatus(statusOf(refusal));
    };
    const call = new ServerInterceptingCall(nextCall, {
      start(next) {
        timer = setTimeout(() => {
          call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: 'the message did not arrive within a minute' });
        }, CALL_MS).unref();
        next(
          new ServerListenerBuilder()
            .withOnReceiveMetadata((metadata, receive) => {
              callerOf(metadata, addressOfPeer(call.getPeer()))
                .then((caller) => {
                  sender = caller;
                  admit(caller);
                  callers.set(metadata, caller);
                  received = connections().receiving({ peer: call.getPeer(), project: caller.project, refuse });
                  receive(metadata);
                })
                .catch(refuse);
            })
            .withOnReceiveHalfClose((receive) => {
              isWhole = true;
              received();
              clearTimeout(timer);
              receive();
            })
            .withOnCancel(() => {
              received();
              clearTimeout(timer);
              // The library rejects a message that is too large without notifying this code.
              if (!isWhole && !isAnswered) count(brokenOff);
            })
            .build(),
        );
      },
      sendStatus(ended, next) {
        isAnswered = true;
        received();
        clearTimeout(timer);
        next(ended);
      },
    });
    return call;
  };

  async function callerOf(metadata: Metadata, address: string): Promise<IngestPrincipal> {
    const [authorization] = metadata.get('authorization');
    const caller = await authenticate(authorization?.toString(), address);
    if ('denied' in caller) throw refusedCaller(caller);
    return caller;
  }
}

async function handle(
  signal: Signal,
  call: Call,
  answer: sendUnaryData<Buffer>,
  { append, log, bodies, refused }: OtlpGrpcOptions,
  callers: WeakMap<Metadata, IngestPrincipal>,
): Promise<void> {
  const principal = callers.get(call.metadata);
  let held: Held | undefined;
  try {
    if (principal === undefined) throw new Refused('unauthenticated', 'no valid token');
    held = bodies.hold(principal.project);
    holdMore(held, call.request.length);
    const { rejected, message } = await append({ signal, format: 'protobuf', body: call.request, principal });
    answer(null, responseBody('protobuf', signal, rejected, message));
  } catch (error) {
    const refusal = refusalOf(error, (err) => logFault(log, err));
    if (principal !== undefined) refused(principal, signal, refusal);
    answer(statusOf(refusal));
  } finally {
    held?.release();
  }
}

/** The details of a retryable status contain the delay: OTLP, "OTLP/gRPC Throttling". */
function statusOf({ reason, message, retryAfter }: Refused): StatusObject {
  const code = statusCode[reason];
  const metadata = new Metadata();
  if (retryAfter !== undefined) {
    metadata.set('grpc-status-details-bin', statusBody('protobuf', code, message, retryAfter));
  }
  return { code, details: message, metadata };
}

function logFault(log: IngestLog, error: unknown): void {
  log.error({ err: error }, 'telemetry could not be accepted');
}
