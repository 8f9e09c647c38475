import type { FastifyReply, FastifyRequest } from 'fastify';
import { failing } from '../../../http/failing.ts';

/** SDKs read the status, and people the message. */
export function sendLaunchDarklyFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error: name, message } = failing(error, request, reply);
  return reply.send({ code: name.toLowerCase(), message });
}
