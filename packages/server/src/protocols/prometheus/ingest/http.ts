import { ingestRoutes } from '@fanion/contract';
import type { Written } from '@fanion/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  encodingOf,
  mediaTypeOf,
  type Receiver,
  Refused,
  receive,
  refuse,
  sendText,
  withRawBodies,
} from '../../../features/telemetry/ingest/index.ts';

/** Message names in the media type's parameter `proto`; the default is the first one. */
const messages = new Map<string, 'prometheus-1' | 'prometheus-2'>([
  ['prometheus.WriteRequest', 'prometheus-1'],
  ['io.prometheus.write.v2.Request', 'prometheus-2'],
]);

/**
 * Adds POST /prometheus/api/v1/write: remote write 1.0 and 2.0 (prometheus.io/docs/specs/prw). With every status, the
 * headers report what was written. A 4xx except 429 is final; senders retry 429 and 503.
 */
export function registerPrometheus(app: FastifyInstance, receiver: Receiver): void {
  withRawBodies(
    app,
    (scope) => {
      scope.post(ingestRoutes.prometheusWrite.path, async (request, reply) => answer(request, reply, receiver));
    },
    (error, request, reply) => {
      const { message } = refuse(error, 'metrics', request, reply, receiver);
      reply.headers(writtenHeaders({ samples: 0, histograms: 0, exemplars: 0 }));
      return sendText(reply, message);
    },
  );
}

async function answer(request: FastifyRequest, reply: FastifyReply, receiver: Receiver): Promise<FastifyReply> {
  const format = formatOf(request);
  const { principal, body } = await receive(request, encodingOf(request, ['snappy']), reply, receiver);
  const { rejected, message, written } = await receiver.append({ signal: 'metrics', format, body, principal });
  reply.headers(writtenHeaders(written ?? { samples: 0, histograms: 0, exemplars: 0 }));
  // Part of the request was stored: the status says that retrying the rest is useless.
  return rejected > 0 ? sendText(reply.code(400), message) : reply.code(204).send();
}

function writtenHeaders({ samples, histograms, exemplars }: Written): Record<string, string> {
  return {
    'x-prometheus-remote-write-samples-written': String(samples),
    'x-prometheus-remote-write-histograms-written': String(histograms),
    'x-prometheus-remote-write-exemplars-written': String(exemplars),
  };
}

function formatOf(request: FastifyRequest): 'prometheus-1' | 'prometheus-2' {
  const [, message = 'prometheus.WriteRequest'] =
    /;\s*proto\s*=\s*"?([\w.]+)"?/.exec(request.headers['content-type'] ?? '') ?? [];
  const format = messages.get(message);
  if (mediaTypeOf(request) !== 'application/x-protobuf' || format === undefined) {
    throw new Refused(
      'unsupported',
      `unsupported content type; use application/x-protobuf with one of proto=${[...messages.keys()].join(', ')}`,
    );
  }
  return format;
}
