import type { Message } from '@fanion/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failing } from '../../../http/failing.ts';
import { protobufOf, sendProtobuf, wantsProtobuf } from '../../read/protobuf.ts';
import type { ForeignRequest } from '../../read/request.ts';

/** Sends an error as Tempo does: its text. */
export function sendTempoFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { message } = failing(error, request, reply);
  return reply.type('text/plain; charset=utf-8').send(message);
}

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.code(200).type('application/json').send(JSON.stringify(body));
}

/** Sends an answer as JSON, or as protobuf to a client that asks for it. */
export async function sendAnswer({ request, reply }: ForeignRequest, message: Message, body: object): Promise<void> {
  if (wantsProtobuf(request)) sendProtobuf(reply, await protobufOf(message, body));
  else sendJson(reply, body);
}
