import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DoorOptions, encodingOf, holdMore, inflateBody, receive, refuse, withRawBodies } from './door/receive.ts';
import { Refused, statusCode } from './door/refusal.ts';
import { responseBody, statusBody } from './otlp-status.ts';

/** Query parameters with a meaning of their own, and the attribute that each stands for. */
const named = new Map([
  ['service', 'service.name'],
  ['environment', 'deployment.environment.name'],
]);
const MAX_LABELS = 50;

/**
 * Adds POST /v1development/profiles/pprof: a `profile.proto`, gzipped as pprof writes it or plain. `service` and
 * `environment` tell where it is from; every other query parameter becomes an attribute of the resource.
 */
export function registerPprof(app: FastifyInstance, options: DoorOptions): void {
  withRawBodies(app, (scope) => {
    scope.post('/v1development/profiles/pprof', async (request, reply) => answer(request, reply, options));
  });
}

async function answer(request: FastifyRequest, reply: FastifyReply, options: DoorOptions): Promise<FastifyReply> {
  reply.header('content-type', 'application/json');
  try {
    const resource = resourceOf(request);
    const { principal, body, held } = await receive(request, encodingOf(request, ['gzip', 'identity']), reply, options);
    const isGzip = body[0] === 0x1f && body[1] === 0x8b;
    const profile = isGzip ? await inflateBody(body, options.limits.inflatedBytes) : body;
    if (isGzip) holdMore(held, profile.length);
    const { rejected, message } = await options.ingest.append({
      signal: 'profiles',
      format: 'pprof',
      body: profile,
      resource,
      principal,
    });
    return reply.send(responseBody('json', 'profiles', rejected, message));
  } catch (error) {
    const { reason, message } = refuse(error, 'profiles', request, reply, options);
    return reply.send(statusBody('json', statusCode[reason], message));
  }
}

function resourceOf(request: FastifyRequest): Record<string, string> {
  const { searchParams } = new URL(request.url, 'http://localhost');
  if (searchParams.size > MAX_LABELS) throw new Refused('malformed', `more than ${MAX_LABELS} query parameters`);
  return Object.fromEntries([...searchParams].map(([name, value]) => [named.get(name) ?? name, value]));
}
