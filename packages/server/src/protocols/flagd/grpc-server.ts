import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { contextLimits } from '@fanion/contract';
import { WireError } from '@fanion/telemetry';
import { logVerbosity, type Metadata, Server, ServerCredentials, setLogVerbosity, status } from '@grpc/grpc-js';
import type { Credentials } from '../../http/caller.ts';
import type { Tls } from '../../http/tls.ts';
import { Failure } from '../../platform/fail.ts';
import type { Log } from '../../platform/log.ts';
import { grpcCodeOf } from '../grpc.ts';
import { grpcListener } from '../otlp/ingest/grpc-connections.ts';
import { Refusal } from './resolve-rules.ts';

export interface FlagdGrpc {
  /** Returns the port. Throws if the address is in use. */
  listen(host: string, port: number): Promise<number>;
  /** Waits a few seconds at most for calls in progress. */
  stop(): Promise<void>;
}

interface GrpcServer {
  readonly server: Server;
  /** Takes over a connection. */
  take(socket: Socket): void;
  /** Waits a few seconds at most for calls in progress. */
  stop(): Promise<void>;
}

const stopMs = 5_000;

/** A gRPC server without services, which does not listen. @param ending called before it waits for calls */
export function createGrpcServer(ending: () => void): GrpcServer {
  // Errors are answered or thrown here; the library would also print them.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({
    'grpc.max_receive_message_length': contextLimits.server.bytes,
    'grpc.max_concurrent_streams': 100,
    // Detects peers that disappeared without closing, and drops their connections.
    'grpc.keepalive_time_ms': 60_000,
    'grpc.keepalive_timeout_ms': 20_000,
  });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return {
    server,
    take: (socket) => injector.injectConnection(socket),
    async stop() {
      ending();
      const force = setTimeout(() => server.forceShutdown(), stopMs);
      await new Promise<void>((done) => server.tryShutdown(() => done()));
      clearTimeout(force);
    },
  };
}

/** Makes a gRPC server listen on its own port. */
export function listening(
  { take, stop }: Omit<GrpcServer, 'server'>,
  { tls, log }: { readonly tls?: Tls | undefined; readonly log: Log },
): FlagdGrpc {
  const listener = grpcListener(tls, take);
  return {
    listen: (host, port) =>
      new Promise((found, reject) => {
        listener.once('error', reject);
        listener.listen({ host, port }, () => {
          listener.off('error', reject);
          listener.on('error', (error) => log.error({ err: error, port }, 'a listener of flagd failed'));
          const address = listener.address();
          found(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    async stop() {
      listener.close();
      await stop();
    },
  };
}

/** Ends a stream with an error: flagd's provider for Node does not connect again after a regular end. */
export function endStream(call: Writable, code: status, details: string): void {
  if (call.writable) call.emit('error', { code, details });
}

/** The key as `authorization` or `x-api-key`, or as the selector, which is all that some providers can send. */
export function credentialsIn(metadata: Metadata): Credentials {
  return credentialsBy((name) => metadata.get(name)[0]?.toString());
}

/** @param header the value of a header by its name in lower case */
export function credentialsBy(header: (name: string) => string | undefined): Credentials {
  const apiKey = header('x-api-key') ?? credentialsOfSelector(header('flagd-selector')).apiKey;
  return { cookie: undefined, authorization: header('authorization'), apiKey };
}

/** A selector that is not a key is ignored. */
export function credentialsOfSelector(selector: string | undefined): Credentials {
  const apiKey = selector?.startsWith('svc_sdk_') ? selector : undefined;
  return { cookie: undefined, authorization: undefined, apiKey };
}

/** Whether there is something to look up. */
export function hasCredential({ authorization, apiKey }: Credentials): boolean {
  return authorization !== undefined || apiKey !== undefined;
}

export function refusalOf(error: unknown, log: Log): { code: status; details: string } {
  if (error instanceof Refusal) return { code: error.code, details: error.message };
  if (error instanceof WireError) return { code: status.INVALID_ARGUMENT, details: error.message };
  if (error instanceof Failure) return { code: grpcCodeOf(error.status), details: error.message };
  log.error({ err: error }, 'a call of flagd failed');
  return { code: status.INTERNAL, details: 'the call failed' };
}
