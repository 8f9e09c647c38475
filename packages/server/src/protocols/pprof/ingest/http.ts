import { ingestRoutes } from '@fanion/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  encodingOf,
  holdMore,
  inflateBody,
  type Receiver,
  Refused,
  receive,
  refuse,
  withRawBodies,
} from '../../../features/telemetry/ingest/index.ts';
import { responseBody, statusBody, statusCode } from '../../otlp/ingest/status.ts';

/** Query parameters with a special meaning, and the attribute that each one sets. */
const named = new Map([
  ['service', 'service.name'],
  ['environment', 'deployment.environment.name'],
]);
const MAX_LABELS = 50;

/**
 * Adds POST /v1development/profiles/pprof: a `profile.proto`, gzipped as pprof writes it, or plain. `service` and
 * `environment` name its origin; every other query parameter becomes an attribute of the resource.
 */
export function registerPprof(app: FastifyInstance, receiver: Receiver): void {
  withRawBodies(
    app,
    (scope) => {
      scope.post(ingestRoutes.pprofProfile.path, async (request, reply) => answer(request, reply, receiver));
    },
    (error, request, reply) => {
      const { reason, message } = refuse(error, 'profiles', request, reply, receiver);
      return reply.header('content-type', 'application/json').send(statusBody('json', statusCode[reason], message));
    },
  );
}

async function answer(request: FastifyRequest, reply: FastifyReply, receiver: Receiver): Promise<FastifyReply> {
  reply.header('content-type', 'application/json');
  const resource = resourceOf(request);
  const { principal, body, held } = await receive(request, encodingOf(request, ['gzip', 'identity']), reply, receiver);
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const profile = isGzip ? await inflateBody(body, receiver.limits.inflatedBytes) : body;
  if (isGzip) holdMore(held, profile.length);
  const { rejected, message } = await receiver.append({
    signal: 'profiles',
    format: 'pprof',
    body: profile,
    resource,
    principal,
  });
  return reply.send(responseBody('json', 'profiles', rejected, message));
}

function resourceOf(request: FastifyRequest): Record<string, string> {
  const { searchParams } = new URL(request.url, 'http://localhost');
  if (searchParams.size > MAX_LABELS) throw new Refused('malformed', `more than ${MAX_LABELS} query parameters`);
  return Object.fromEntries([...searchParams].map(([name, value]) => [named.get(name) ?? name, value]));
}
