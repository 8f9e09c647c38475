import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SdkCaller } from '../../http/caller.ts';

const paths = [
  '/ofrep/v1/evaluate/flags',
  '/ofrep/v1/evaluate/flags/:key',
  '/api/v1/sdk/flags/evaluate',
  '/api/v1/sdk/flags/evaluate/:key',
];

/**
 * Preflights carry no credential, so they cannot know whose origins count: any origin may ask, and the answer to the
 * request itself is readable only where the key names the origin. Credentials (cookies) are never allowed.
 */
export function answerPreflights(app: FastifyInstance): void {
  for (const path of paths) {
    app.options(path, (request, reply) => {
      reply
        .headers({
          'access-control-allow-origin': request.headers.origin ?? '*',
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, X-API-Key',
          'access-control-max-age': '7200',
          vary: 'Origin',
        })
        .code(204)
        .send();
    });
  }
}

/** Lets a page of an origin that the key names read the answer. */
export function allowOrigin(caller: SdkCaller, request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  if (origin === undefined || !caller.allowedOrigins.includes(origin)) return;
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-expose-headers', 'ETag, Retry-After')
    .header('vary', 'Origin');
}
