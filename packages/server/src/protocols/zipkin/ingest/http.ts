import { ingestRoutes } from '@fanion/contract';
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
 * Adds POST /api/v2/spans: Zipkin v2 JSON. Zipkin cannot report partial success: the response is 202 even when some spans
 * were rejected, which are counted, and 400 with the reasons when all were rejected.
 */
export function registerZipkin(app: FastifyInstance, receiver: Receiver): void {
  withRawBodies(
    app,
    (scope) => {
      scope.post(ingestRoutes.zipkinSpans.path, async (request, reply) => answer(request, reply, receiver));
    },
    (error, request, reply) => sendText(reply, refuse(error, 'traces', request, reply, receiver).message),
  );
}

async function answer(request: FastifyRequest, reply: FastifyReply, receiver: Receiver): Promise<FastifyReply> {
  if (mediaTypeOf(request) !== 'application/json')
    throw new Refused('unsupported', 'unsupported content type; use application/json');
  const { principal, body } = await receive(request, encodingOf(request, ['gzip', 'identity']), reply, receiver);
  const { accepted, rejected, message } = await receiver.append({
    signal: 'traces',
    format: 'zipkin',
    body,
    principal,
  });
  return accepted === 0 && rejected > 0 ? sendText(reply.code(400), message) : reply.code(202).send();
}
