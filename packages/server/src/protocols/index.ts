/**
 * Telemetry in: an endpoint authenticates a request, applies the limits and decompresses it (`receive`), checks each
 * item on the wire format (`packages/telemetry`), appends it to the write-ahead log, and returns 200 after one fsync
 * for all waiting requests (`receiver.append`).
 *
 * OTLP is stored as it was sent. Remote write that holds only samples stays in Snappy
 * (`packages/telemetry/src/remote-write`); every other protocol is converted to OTLP first
 * (`packages/telemetry/src/convert`).
 */

import { ingestRoutes, routesOf } from '@fanion/contract';
import type { FastifyInstance } from 'fastify';
import type { Receiver } from '../features/telemetry/ingest/index.ts';
import type { MountedRoute } from '../http/context.ts';
import { jaegerGrpcMethods } from './jaeger/read/grpc.ts';
import { jaegerReadRoutes } from './jaeger/read/index.ts';
import { registerLoki } from './loki/ingest/http.ts';
import { lokiReadRoutes } from './loki/read/index.ts';
import { registerOtlpHttp } from './otlp/ingest/http.ts';
import { registerPprof } from './pprof/ingest/http.ts';
import { registerPrometheus } from './prometheus/ingest/http.ts';
import { prometheusReadRoutes } from './prometheus/read/index.ts';
import { tempoGrpcMethods } from './tempo/read/grpc.ts';
import { tempoReadRoutes } from './tempo/read/index.ts';
import { registerZipkin } from './zipkin/ingest/http.ts';

/** Routes that read telemetry as other products do. */
export function readRoutes(parts: ReadParts): MountedRoute[] {
  return [
    ...prometheusReadRoutes(parts),
    ...lokiReadRoutes(parts),
    ...tempoReadRoutes(parts),
    ...jaegerReadRoutes(parts),
  ];
}

/** What clients of these products ask over gRPC. */
export const readGrpcMethods = [...tempoGrpcMethods, ...jaegerGrpcMethods];

type PartsOf<Door extends (parts: never) => unknown> = Parameters<Door>[0];
type ReadParts = PartsOf<typeof prometheusReadRoutes> &
  PartsOf<typeof lokiReadRoutes> &
  PartsOf<typeof tempoReadRoutes> &
  PartsOf<typeof jaegerReadRoutes>;

/** The declared routes of {@link registerIngestProtocols}. */
export const ingestProtocolRoutes = routesOf(ingestRoutes);

export { connectMethodsOf, sendConnectFailure } from './flagd/connect.ts';
export { flagdReasons } from './flagd/convert-rules.ts';
export { createFlagdEvaluation, type FlagdEvaluation } from './flagd/evaluation.ts';
export type { FlagdGrpc } from './flagd/grpc-server.ts';
export { createFlagdSync } from './flagd/sync.ts';
export { createOtlpGrpc, type OtlpGrpc } from './otlp/ingest/grpc.ts';
export { createReadGrpc, type ReadGrpc } from './read/grpc.ts';

/** Adds the routes of every HTTP ingest protocol; may be called for several servers. */
export function registerIngestProtocols(app: FastifyInstance, receiver: Receiver): void {
  registerOtlpHttp(app, receiver);
  registerPprof(app, receiver);
  registerPrometheus(app, receiver);
  registerLoki(app, receiver);
  registerZipkin(app, receiver);
}
