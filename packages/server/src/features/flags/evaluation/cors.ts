import type { FastifyInstance } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';

/** What pages of other origins may call, and with which headers. */
const preflights = [
  {
    paths: [
      '/ofrep/v1/evaluate/flags',
      '/ofrep/v1/evaluate/flags/:key',
      '/api/v1/sdk/flags/evaluate',
      '/api/v1/sdk/flags/evaluate/:key',
      '/growthbook/api/eval/:sdk_key',
      '/growthbook/track',
    ],
    methods: 'POST',
    headers: 'Authorization, Content-Type, If-None-Match, X-API-Key',
  },
  {
    paths: ['/unleash/api/frontend', '/unleash/api/frontend/'],
    methods: 'GET, POST',
    // SDKs of before 2025 begin the names with `X-`.
    headers: `Authorization, Content-Type, If-None-Match, ${['AppName', 'Connection-Id', 'SDK']
      .flatMap((name) => [`Unleash-${name}`, `X-Unleash-${name}`])
      .join(', ')}`,
  },
];

/**
 * Preflights carry no credential, so the key's origins are unknown: every origin gets a yes, and only the origins of
 * the key may read the response to the request itself. Credentials (cookies) are never allowed.
 */
export function answerPreflights(app: FastifyInstance): void {
  for (const { paths, methods, headers } of preflights)
    for (const path of paths)
      app.options(path, (request, reply) => {
        reply
          .headers({
            'access-control-allow-origin': request.headers.origin ?? '*',
            'access-control-allow-methods': methods,
            'access-control-allow-headers': headers,
            'access-control-max-age': '7200',
            vary: 'Origin',
          })
          .code(204)
          .send();
      });
}

/** The headers that let a page of an allowed origin read the response; undefined: it may not. */
export function allowedOrigin(
  caller: SdkCaller,
  origin: string | undefined,
): Readonly<Record<string, string>> | undefined {
  if (origin === undefined || !caller.allowedOrigins.includes(origin)) return undefined;
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'ETag, Retry-After, X-SSE-Support',
    vary: 'Origin',
  };
}
