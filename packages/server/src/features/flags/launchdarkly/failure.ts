import type { FastifyReply, FastifyRequest } from 'fastify';
import { toFailure } from '../../../http/envelope.ts';

/** SDKs read the status, and people the message. */
export function sendLaunchDarklyFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
  return reply
    .code(failure.status)
    .type('application/json')
    .send({ code: failure.error.toLowerCase(), message: failure.message });
}
