import type { FastifyInstance } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';

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

/** The headers that let a page of an origin that the key names read the answer; undefined: it may not. */
export function allowedOrigin(
  caller: SdkCaller,
  origin: string | undefined,
): Readonly<Record<string, string>> | undefined {
  if (origin === undefined || !caller.allowedOrigins.includes(origin)) return undefined;
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'ETag, Retry-After',
    vary: 'Origin',
  };
}
