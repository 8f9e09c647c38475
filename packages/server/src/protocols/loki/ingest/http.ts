import { ingestRoutes } from '@fanion/contract';
import type { BodyFormat } from '@fanion/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  encodingOf,
  mediaTypeOf,
  type Receiver,
  Refused,
  receive,
  refuse,
  sendText,
  withRawBodies,
} from '../../../features/telemetry/ingest/index.ts';

/**
 * Adds POST /loki/api/v1/push: JSON, plain or gzipped, and protobuf in Snappy. Like Loki, it returns 400 when lines were
 * rejected, although the others are stored.
 */
export function registerLoki(app: FastifyInstance, receiver: Receiver): void {
  withRawBodies(
    app,
    (scope) => {
      scope.post(ingestRoutes.lokiPush.path, async (request, reply) => answer(request, reply, receiver));
    },
    (error, request, reply) => sendText(reply, refuse(error, 'logs', request, reply, receiver).message),
  );
}

async function answer(request: FastifyRequest, reply: FastifyReply, receiver: Receiver): Promise<FastifyReply> {
  const format = formatOf(request);
  // Agents send protobuf in Snappy without declaring the encoding.
  const encoding = format === 'loki-json' ? encodingOf(request, ['gzip', 'identity']) : snappyOf(request);
  const { principal, body } = await receive(request, encoding, reply, receiver);
  const { rejected, message } = await receiver.append({ signal: 'logs', format, body, principal });
  return rejected > 0 ? sendText(reply.code(400), message) : reply.code(204).send();
}

function snappyOf(request: FastifyRequest): 'snappy' {
  encodingOf(request, ['snappy', 'identity']);
  return 'snappy';
}

function formatOf(request: FastifyRequest): Extract<BodyFormat, `loki-${string}`> {
  const type = mediaTypeOf(request);
  if (type === 'application/json') return 'loki-json';
  if (type === 'application/x-protobuf') return 'loki-protobuf';
  throw new Refused('unsupported', 'unsupported content type; use application/json or application/x-protobuf');
}
