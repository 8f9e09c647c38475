import type { FastifyReply, FastifyRequest } from 'fastify';
import { failing } from '../../../http/failing.ts';
import { fail } from '../../../platform/fail.ts';
import { errorTypeOf } from '../../read/failure.ts';
import { LogqlError } from './logql/error.ts';

export function send(reply: FastifyReply, data: unknown): FastifyReply {
  return reply.code(200).type('application/json').send({ status: 'success', data });
}

/** Some answers of Loki are not in an envelope. */
export function sendBare(reply: FastifyReply, data: unknown): FastifyReply {
  return reply.code(200).type('application/json').send(data);
}

/** Errors of LogQL as failures of the registry. */
export function explained(error: unknown): unknown {
  return error instanceof LogqlError ? fail('LOGQL_FAILED', { reason: error.message }, { cause: error }) : error;
}

/** Sends an error in JSON: Grafana shows `message`, logcli the body. */
export function sendLokiFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = failing(error, request, reply);
  const { message } = failure;
  return reply.send({ status: 'error', errorType: errorTypeOf(failure), error: message, message });
}
