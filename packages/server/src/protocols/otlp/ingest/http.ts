import { ingestRoutes } from '@fanion/contract';
import { SIGNALS, type Signal } from '@fanion/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  encodingOf,
  mediaTypeOf,
  type Receiver,
  Refused,
  receive,
  refuse,
  withRawBodies,
} from '../../../features/telemetry/ingest/index.ts';
import { responseBody, statusBody, statusCode } from './status.ts';

/** Encodings of OTLP. */
type OtlpFormat = 'protobuf' | 'json';

const mediaTypes: Record<OtlpFormat, string> = { protobuf: 'application/x-protobuf', json: 'application/json' };

/** The path of each signal; the one for profiles is not stable yet. */
const paths: Record<Signal, string> = {
  traces: ingestRoutes.otlpTraces.path,
  logs: ingestRoutes.otlpLogs.path,
  metrics: ingestRoutes.otlpMetrics.path,
  profiles: ingestRoutes.otlpProfiles.path,
};

/** Adds a POST route for each signal, as specified by OTLP/HTTP. */
export function registerOtlpHttp(app: FastifyInstance, receiver: Receiver): void {
  for (const signal of SIGNALS)
    withRawBodies(
      app,
      (scope) => {
        scope.post(paths[signal], (request, reply) => answer(signal, request, reply, receiver));
      },
      (error, request, reply) => {
        const format = formatOf(request) ?? 'json';
        const { reason, message } = refuse(error, signal, request, reply, receiver);
        return reply.header('content-type', mediaTypes[format]).send(statusBody(format, statusCode[reason], message));
      },
    );
}

async function answer(
  signal: Signal,
  request: FastifyRequest,
  reply: FastifyReply,
  receiver: Receiver,
): Promise<FastifyReply> {
  const format = formatOf(request);
  if (format === undefined)
    throw new Refused('unsupported', 'unsupported content type; use application/x-protobuf or application/json');
  const encoding = encodingOf(request, ['gzip', 'identity']);
  const { principal, body } = await receive(request, encoding, reply, receiver);
  const { rejected, message } = await receiver.append({ signal, format, body, principal });
  return reply.header('content-type', mediaTypes[format]).send(responseBody(format, signal, rejected, message));
}

function formatOf(request: FastifyRequest): OtlpFormat | undefined {
  const type = mediaTypeOf(request);
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return 'protobuf';
  return type === 'application/json' ? 'json' : undefined;
}
