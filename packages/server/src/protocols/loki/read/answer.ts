import type { FastifyReply, FastifyRequest } from 'fastify';
import { toFailure } from '../../../http/envelope.ts';
import { fail } from '../../../platform/fail.ts';
import { LogqlError } from './logql/error.ts';

export function send(reply: FastifyReply, data: unknown): FastifyReply {
  return reply.code(200).type('application/json').send({ status: 'success', data });
}

/** Errors of LogQL as failures of the registry. */
export function explained(error: unknown): unknown {
  return error instanceof LogqlError ? fail('LOGQL_FAILED', { reason: error.message }, { cause: error }) : error;
}

/** Sends an error in JSON: Grafana shows `message`, logcli the body. */
export function sendLokiFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message, retryAfterSeconds } = toFailure(error, request);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterSeconds)));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .type('application/json')
    .send({ status: 'error', errorType: typeOf(status), error: message, message });
}

function typeOf(status: number): string {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 422:
      return 'execution';
    case 429:
    case 503:
      return 'unavailable';
    default:
      return status < 500 ? 'bad_data' : 'internal';
  }
}
