import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SIGNALS, type Signal } from '../../platform/wal/index.ts';
import { type DoorOptions, encodingOf, mediaTypeOf, receive, refuse, withRawBodies } from './door/receive.ts';
import { Refused, statusCode } from './door/refusal.ts';
import { responseBody, statusBody } from './otlp-status.ts';

/** How OTLP is written. */
type OtlpFormat = 'protobuf' | 'json';

const mediaTypes: Record<OtlpFormat, string> = { protobuf: 'application/x-protobuf', json: 'application/json' };

/** Where each signal is sent to; that of profiles is not stable yet. */
const paths: Record<Signal, string> = {
  traces: '/v1/traces',
  logs: '/v1/logs',
  metrics: '/v1/metrics',
  profiles: '/v1development/profiles',
};

/** Adds a POST for each signal as the OTLP/HTTP specification has it. */
export function registerOtlpHttp(app: FastifyInstance, options: DoorOptions): void {
  withRawBodies(app, (scope) => {
    for (const signal of SIGNALS) {
      scope.post(paths[signal], (request, reply) => answer(signal, request, reply, options));
    }
  });
}

async function answer(
  signal: Signal,
  request: FastifyRequest,
  reply: FastifyReply,
  options: DoorOptions,
): Promise<FastifyReply> {
  const format = formatOf(request);
  reply.header('content-type', mediaTypes[format ?? 'json']);
  try {
    return reply.send(await handleExport(signal, format, request, reply, options));
  } catch (error) {
    const { reason, message } = refuse(error, signal, request, reply, options);
    return reply.send(statusBody(format ?? 'json', statusCode[reason], message));
  }
}

async function handleExport(
  signal: Signal,
  format: OtlpFormat | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  options: DoorOptions,
): Promise<Buffer> {
  if (format === undefined) throw new Refused('unsupported', 'send application/x-protobuf or application/json');
  const encoding = encodingOf(request, ['gzip', 'identity']);
  const { principal, body } = await receive(request, encoding, reply, options);
  const { rejected, message } = await options.ingest.append({ signal, format, body, principal });
  return responseBody(format, signal, rejected, message);
}

function formatOf(request: FastifyRequest): OtlpFormat | undefined {
  const type = mediaTypeOf(request);
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return 'protobuf';
  return type === 'application/json' ? 'json' : undefined;
}
