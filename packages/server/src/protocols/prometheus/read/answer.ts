import type { FastifyReply, FastifyRequest } from 'fastify';
import { toFailure } from '../../../http/envelope.ts';
import type { Failure } from '../../../platform/fail.ts';

/** What an answer says besides its data. */
export interface Remarks {
  readonly warnings?: readonly string[];
  readonly infos?: readonly string[];
}

/** The start of Prometheus' envelope and its end, around the JSON of the data (`web/api/v1/api.go`, `Response`). */
export function enveloped(data: string, { warnings = [], infos = [] }: Remarks = {}): string {
  const remarks = [
    ...(warnings.length > 0 ? [`,"warnings":${JSON.stringify(warnings)}`] : []),
    ...(infos.length > 0 ? [`,"infos":${JSON.stringify(infos)}`] : []),
  ];
  return `{"status":"success","data":${data}${remarks.join('')}}`;
}

export function send(reply: FastifyReply, data: unknown, remarks?: Remarks): FastifyReply {
  return sendText(reply, enveloped(JSON.stringify(data), remarks));
}

export function sendText(reply: FastifyReply, body: string): FastifyReply {
  return reply.code(200).type('application/json').send(body);
}

/** Sends an error in the form of Prometheus. */
export function sendPrometheusFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(failure.status)
    .type('application/json')
    .send({ status: 'error', errorType: errorTypeOf(failure), error: failure.message });
}

/** Prometheus' own types; those of what it has no type for are words of HTTP. */
function errorTypeOf({ error, status }: Failure): string {
  if (error === 'QUERY_TOO_EXPENSIVE') return 'timeout';
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
    case 499:
      return 'canceled';
    default:
      return status < 500 ? 'bad_data' : 'internal';
  }
}
