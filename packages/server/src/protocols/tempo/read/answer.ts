import type { FastifyReply, FastifyRequest } from 'fastify';
import { failing } from '../../../http/failing.ts';

/** Sends an error as Tempo does: its text. */
export function sendTempoFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { message } = failing(error, request, reply);
  return reply.type('text/plain; charset=utf-8').send(message);
}

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.code(200).type('application/json').send(JSON.stringify(body));
}

/** Whether a client asks for protobuf, as Grafana does for traces. */
export function wantsProtobuf({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('application/protobuf');
}
