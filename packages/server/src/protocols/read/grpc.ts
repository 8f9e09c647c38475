import type { Socket } from 'node:net';
import { WireError } from '@fanion/telemetry';
import {
  logVerbosity,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  setLogVerbosity,
  status,
} from '@grpc/grpc-js';
import type { Log } from '../../platform/log.ts';
import { addressOfPeer, bytesMethod, grpcCodeOf } from '../grpc.ts';
import { GrpcFields } from './grpc-fields.ts';
import { messagesOf } from './grpc-rules.ts';

/** A method of gRPC that asks what a route asks over HTTP. */
export interface GrpcMethod {
  /** `/package.Service/Method` */
  readonly path: string;
  readonly isStream: boolean;
  /** Address of the same request, below the server's. */
  readonly address: (request: GrpcFields) => string;
  /** What the body of an error says. */
  readonly reasonOf: (body: string) => string;
  /** An answer without a message instead of the error 404. */
  readonly isEmptyIfNotFound?: boolean;
  /** What clients look for in the text of the error 404. */
  readonly notFoundPrefix?: string;
  /** What a field of the answer belongs to; a message has fields of one group. Absent: all belong together. */
  readonly groupOf?: (field: Buffer) => string;
}

/** A request of HTTP that this server answers itself. */
export interface OwnRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the client. */
  readonly remoteAddress: string;
  readonly signal: AbortSignal;
}

export interface OwnResponse {
  readonly statusCode: number;
  readonly rawPayload: Buffer;
}

export interface ReadGrpc {
  /** Takes over a connection that begins with HTTP/2. */
  take(socket: Socket): void;
  /** Waits a few seconds at most for calls in progress. */
  stop(): Promise<void>;
}

type Unary = ServerUnaryCall<Buffer, Buffer>;
type Stream = ServerWritableStream<Buffer, Buffer>;

interface Refusal {
  readonly code: status;
  readonly details: string;
}

/** Requests are a query and a few conditions, and are read before the caller is known. */
const maxRequestBytes = 64 * 1024;
const maxStreams = 100;
const stopMs = 5_000;

/** Says who asks, and what for. */
const passedOn = ['authorization', 'x-forwarded-for', 'x-query-tags', 'x-dashboard-uid', 'x-panel-id'];

/**
 * gRPC on the server's own port, where Grafana and clients of Jaeger look for it. Each call becomes a request of HTTP to the
 * route that answers the same question in protobuf, so that callers, limits, errors and metrics are those of the route.
 *
 * @param options.request answers a request of HTTP
 */
export function createReadGrpc(options: {
  readonly methods: readonly GrpcMethod[];
  readonly request: (request: OwnRequest) => Promise<OwnResponse>;
  readonly log: Log;
}): ReadGrpc {
  // Errors are answered here; the library would also print them.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({
    'grpc.max_receive_message_length': maxRequestBytes,
    'grpc.max_concurrent_streams': maxStreams,
    // Detects peers that disappeared without closing, and drops their connections.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
  });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  for (const method of options.methods) {
    const definition = { call: bytesMethod(method.path, method.isStream) };
    if (method.isStream) server.addService(definition, { call: (call: Stream) => void stream(call, method, options) });
    else
      server.addService(definition, {
        call: (call: Unary, done: sendUnaryData<Buffer>) => void unary(call, done, method, options),
      });
  }
  return {
    take: (socket) => injector.injectConnection(socket),
    async stop() {
      const force = setTimeout(() => server.forceShutdown(), stopMs);
      await new Promise<void>((done) => server.tryShutdown(() => done()));
      clearTimeout(force);
    },
  };
}

type Options = Parameters<typeof createReadGrpc>[0];

async function unary(call: Unary, done: sendUnaryData<Buffer>, method: GrpcMethod, options: Options): Promise<void> {
  const answer = await answerOf(call, method, options);
  if (Buffer.isBuffer(answer)) done(null, answer);
  else done(answer);
}

async function stream(call: Stream, method: GrpcMethod, options: Options): Promise<void> {
  const answer = await answerOf(call, method, options);
  if (!Buffer.isBuffer(answer)) {
    call.emit('error', answer);
    return;
  }
  for (const message of messagesOf(answer, method.groupOf)) call.write(message);
  call.end();
}

async function answerOf(
  call: Unary | Stream,
  method: GrpcMethod,
  { request, log }: Options,
): Promise<Buffer | Refusal> {
  const left = new AbortController();
  call.on('cancelled', () => left.abort());
  try {
    const { statusCode, rawPayload } = await request({
      url: method.address(new GrpcFields(call.request)),
      headers: headersOf(call.metadata),
      remoteAddress: addressOfPeer(call.getPeer()),
      signal: left.signal,
    });
    if (statusCode === 200) return rawPayload;
    if (statusCode === 404 && method.isEmptyIfNotFound === true) return Buffer.alloc(0);
    const prefix = statusCode === 404 ? (method.notFoundPrefix ?? '') : '';
    return { code: grpcCodeOf(statusCode), details: prefix + method.reasonOf(rawPayload.toString('utf8')) };
  } catch (error) {
    if (error instanceof WireError) return { code: status.INVALID_ARGUMENT, details: error.message };
    if (left.signal.aborted) return { code: status.CANCELLED, details: 'the client has left' };
    log.error({ err: error, method: method.path }, 'a call over gRPC failed');
    return { code: status.INTERNAL, details: 'the call failed' };
  }
}

/** Host names are checked for browsers, which cannot send this. */
function headersOf(metadata: Metadata): Record<string, string> {
  const headers: Record<string, string> = { host: 'localhost', accept: 'application/protobuf' };
  for (const name of passedOn) {
    const [value] = metadata.get(name);
    if (value !== undefined) headers[name] = value.toString();
  }
  return headers;
}
