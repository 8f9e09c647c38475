import type { FastifyReply, FastifyRequest } from 'fastify';
import { toFailure } from '../../../http/envelope.ts';

/** Sends an error as Tempo does: its text. */
export function sendTempoFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(failure.status).type('text/plain; charset=utf-8').send(failure.message);
}

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.code(200).type('application/json').send(JSON.stringify(body));
}

/** Whether a client asks for protobuf, as Grafana does for traces. */
export function wantsProtobuf({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('application/protobuf');
}
