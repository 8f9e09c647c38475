import type { FastifyReply, FastifyRequest } from 'fastify';
import { failing } from '../../../http/failing.ts';
import { type Failure, fail } from '../../../platform/fail.ts';

/** A part of an answer that failed, beside others that did not. */
export interface PartialError {
  readonly msg: string;
  readonly traceID: string;
}

/** The envelope of Jaeger's answers (`http_handler.go`, `structuredResponse`). */
export function enveloped(
  data: unknown,
  { total = 0, errors }: { total?: number; errors?: readonly PartialError[] } = {},
) {
  return { data, total, limit: 0, offset: 0, errors: errors === undefined || errors.length === 0 ? null : errors };
}

export function invalid(reason: string): Failure {
  return fail('JAEGER_REQUEST_INVALID', { reason });
}

/** Sends an error in the form of Jaeger. */
export function sendJaegerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = failing(error, request, reply);
  return reply.send({ data: null, total: 0, limit: 0, offset: 0, errors: [{ code: status, msg: message }] });
}

/** Sends an error in the form of Jaeger's API v3. */
export function sendJaegerV3Failure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = failing(error, request, reply);
  return reply.send({ error: { httpCode: status, message } });
}
