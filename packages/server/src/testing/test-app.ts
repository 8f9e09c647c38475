import type { FastifyInstance } from 'fastify';
import type { FeatureDependencies } from '../features/dependencies.ts';
import { type AccessFeature, createAccess } from '../features/identity/access/index.ts';
import { createBodyThread } from '../http/body-thread.ts';
import type { MountedRoute } from '../http/context.ts';
import { createIdempotency } from '../http/idempotency.ts';
import { createServer } from '../http/server.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createLog, type Log } from '../platform/log.ts';
import type { Database } from '../platform/postgres/database.ts';

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape, and assert on them
  readonly data: any;
  readonly error: { code: string; message: string; status: number } | null;
  /** `svc_session=…`, in the form of a request; undefined: the response sets none. */
  readonly cookie: string | undefined;
  /** All `Set-Cookie` headers with their flags. */
  readonly setCookies: readonly string[];
}

export interface TestRequest {
  readonly body?: unknown;
  /** Cookie of a browser; `Origin` is then sent too. */
  readonly cookie?: string | undefined;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Address of the client's end of the connection. */
  readonly from?: string;
}

export interface TestApp {
  readonly app: FastifyInstance;
  readonly access: AccessFeature;
  /** A path below `/api/v1`, or a complete one with the prefix. */
  call(method: string, path: string, request?: TestRequest): Promise<TestAnswer>;
  close(): Promise<void>;
}

const host = 'fanion.test';

/**
 * Some features behind the real HTTP layer (cookies, origins, permissions, envelope), without a socket.
 */
export async function startTestApp(options: {
  db: Database;
  features: (dependencies: FeatureDependencies) => readonly MountedRoute[];
  clock?: Clock;
  log?: Log;
  baseUrl?: string | undefined;
}): Promise<TestApp> {
  const { db, clock = systemClock, log = createLog('silent'), baseUrl } = options;
  const access = createAccess({ db, clock });
  const app = await createServer({
    log,
    maxBodyBytes: 1024 ** 2,
    bodyThread: createBodyThread(),
    budgets: { refusal: () => undefined, spend() {} },
    requestsPerMinute: 1_000_000,
    trustProxy: false,
    webDirectory: undefined,
    routes: options.features({ db, clock, access, log }),
    plain: { sdkCaller: access.sdkCaller, answered() {} },
    hostNames: new Set([host, new URL(baseUrl ?? 'http://localhost').hostname]),
    mount: { access, idempotency: createIdempotency({ db, clock, log }), log, baseUrl },
    protocols: [],
    observe() {},
  });
  const at = baseUrl ?? `http://${host}`;
  return {
    app,
    access,
    async call(method, path, { body, cookie, bearer, headers, from } = {}) {
      const url = path.startsWith('/api/') ? path : `/api/v1${path}`;
      const response = await app.inject({
        method: method as 'GET',
        url,
        remoteAddress: from ?? '192.0.2.1',
        headers: {
          host: new URL(at).host,
          ...(cookie !== undefined && { cookie, origin: at }),
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      const setCookies = [response.headers['set-cookie'] ?? []].flat().map(String);
      const json = String(response.headers['content-type']).includes('json') ? JSON.parse(response.body) : undefined;
      return {
        status: response.statusCode,
        headers: response.headers,
        text: response.body,
        data: json?.data,
        error: json?.error ?? null,
        cookie: setCookies.find((line) => /^svc_session=[^;]/.test(line))?.split(';')[0],
        setCookies,
      };
    },
    close: () => app.close(),
  };
}

/** A clock that moves only when told. */
export function testClock(start = Date.UTC(2026, 10, 20, 9, 0)): Clock & { advance(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}
