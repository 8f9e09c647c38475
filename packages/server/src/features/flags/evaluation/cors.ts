import type { FastifyInstance } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';

const paths = [
  '/ofrep/v1/evaluate/flags',
  '/ofrep/v1/evaluate/flags/:key',
  '/api/v1/sdk/flags/evaluate',
  '/api/v1/sdk/flags/evaluate/:key',
  '/growthbook/api/eval/:sdk_key',
];

/**
 * Preflights carry no credential, so the key's origins are unknown: every origin gets a yes, and only the origins of
 * the key may read the response to the request itself. Credentials (cookies) are never allowed.
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

/** The headers that let a page of an allowed origin read the response; undefined: it may not. */
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
