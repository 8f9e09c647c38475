import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../platform/fail.ts';
import { toFailure } from './envelope.ts';

/** The failure of a request, whose status and headers are set; its body is in the form of a product. */
export function failing(error: unknown, request: FastifyRequest, reply: FastifyReply): Failure {
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(failure.status).type('application/json');
  return failure;
}
