import type { FastifyReply, FastifyRequest } from 'fastify';
import { failing } from '../../../http/failing.ts';
import { errorTypeOf } from '../../read/failure.ts';

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
  const failure = failing(error, request, reply);
  return reply.send({ status: 'error', errorType: errorTypeOf(failure), error: failure.message });
}
