import { type ErrorBody, errors } from '@fanion/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { storeErrorCode } from '../platform/clickhouse/index.ts';
import { Failure, fail } from '../platform/fail.ts';
import { isConnectionError, isUnstorableText } from '../platform/postgres/database.ts';

/** Maps any thrown error to a failure for the client. An unknown error becomes `INTERNAL`; its text goes only to the log. */
export function toFailure(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof Failure) return error;
  const fastify = error as Partial<FastifyError>;
  switch (fastify.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('BODY_TOO_LARGE', { limit: request.routeOptions.bodyLimit });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fail('UNSUPPORTED_MEDIA_TYPE', { type: String(request.headers['content-type']).slice(0, 100) });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return fail('MALFORMED_BODY', { reason: String(fastify.message) });
  }
  if (isUnstorableText(error)) return fail('INVALID_INPUT', { reason: 'text must not contain the character U+0000' });
  // A statement that the telemetry store rejects is a defect here, whatever words its message has.
  if (storeErrorCode(error) === undefined && isConnectionError(error)) {
    request.log.warn({ err: error }, 'the control plane is unreachable');
    return fail('STORE_UNAVAILABLE', { store: 'control plane' }, { retryAfterSeconds: 2, cause: error });
  }
  if (typeof fastify.statusCode === 'number' && fastify.statusCode >= 400 && fastify.statusCode < 500)
    return fail('MALFORMED_BODY', { reason: String(fastify.message).slice(0, 200) });
  request.log.error({ err: error }, 'request failed');
  return fail('INTERNAL', { request_id: request.id });
}

export function errorBody(failure: Failure): ErrorBody {
  return {
    code: failure.code,
    message: failure.message,
    status: errors[failure.error].status,
    ...(failure.details && { details: [...failure.details] }),
  };
}

/** Sends the error envelope. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(failure.status).send({ data: null, error: errorBody(failure), meta: { request_id: request.id } });
}
