import type { FastifyInstance } from 'fastify';

const ownHeaders = 'Authorization, Content-Type, If-None-Match, X-API-Key';
const launchDarklyHeaders = [
  ownHeaders,
  ...['Event-Schema', 'Payload-ID', 'User-Agent', 'Wrapper', 'Tags'].map((name) => `X-LaunchDarkly-${name}`),
].join(', ');

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
    headers: ownHeaders,
  },
  {
    paths: ['', '/', '/client/register', '/client/metrics'].map((end) => `/unleash/api/frontend${end}`),
    methods: 'GET, POST',
    // SDKs of before 2025 begin the names with `X-`.
    headers: `Authorization, Content-Type, If-None-Match, ${['AppName', 'Connection-Id', 'SDK']
      .flatMap((name) => [`Unleash-${name}`, `X-Unleash-${name}`])
      .join(', ')}`,
  },
  {
    paths: [
      ...['/sdk/evalx/:sdk_key/contexts/*', '/sdk/goals/:sdk_key', '/eval/:sdk_key/*'],
      ...['/sdk/poll/eval/*', '/sdk/stream/eval/*'],
    ],
    methods: 'GET',
    headers: launchDarklyHeaders,
  },
  {
    paths: ['/sdk/evalx/:sdk_key/context', '/eval/:sdk_key'],
    methods: 'POST, REPORT',
    headers: launchDarklyHeaders,
  },
  {
    paths: ['/events/bulk/:sdk_key', '/events/diagnostic/:sdk_key', '/sdk/poll/eval', '/sdk/stream/eval'],
    methods: 'POST',
    headers: launchDarklyHeaders,
  },
];

interface Preflight {
  readonly paths: readonly string[];
  readonly methods: string;
  readonly headers: string;
}

export function answerPreflights(app: FastifyInstance): void {
  allowPreflights(app, preflights);
}

/**
 * Preflights carry no credential, so the key's origins are unknown: every origin gets a yes, and only the origins of
 * the key may read the response to the request itself. Credentials (cookies) are never allowed.
 */
export function allowPreflights(app: FastifyInstance, preflights: readonly Preflight[]): void {
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
