import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { authFeature, defaultLimits } from '../features/identity/auth/index.ts';
import type { OidcConfig } from '../features/identity/auth/oidc/providers.ts';
import { createLog } from '../platform/log.ts';
import { startTestApp, type TestAnswer, type TestApp, type TestRequest, testClock } from './test-app.ts';
import type { TestDatabase, TestStore } from './test-database.ts';
import { startLyingProvider, startTestOidcProvider, type TestOidcProvider, testClient } from './test-oidc-provider.ts';

export const callbackOf = (slug: string): string => `http://fanion.test/api/v1/auth/oidc/${slug}/callback`;

/** The response to a rejected sign-in. */
export const refused = (reason: RegExp) => ({
  status: 401,
  cookie: undefined,
  error: { code: 'SVC-2008', message: expect.stringMatching(reason) },
});
export const notBegun = refused(/not begun in this browser/);
export const refusedByProvider = refused(/the provider refused, or its answer is not valid/);

type Changes = Partial<OidcConfig> & { signup?: 'open' | 'invite' };

export interface OidcBench {
  /** A real provider, under the slugs `acme` and `other`; knows `ada` with a verified address. */
  readonly acme: TestOidcProvider;
  /** A provider that can lie, under the slug `liar`. */
  readonly liar: Awaited<ReturnType<typeof startLyingProvider>>;
  readonly database: TestDatabase;
  readonly clock: ReturnType<typeof testClock>;
  readonly app: TestApp;
  /** All log lines. */
  readonly lines: string[];
  /** Starts the server again with another configuration. */
  restart(changes: Changes): Promise<void>;
  /** Starts a sign-in: returns the redirect, and the cookie that the browser gets. */
  begin(slug?: string, query?: string, request?: TestRequest): Promise<{ location: URL; cookie: string }>;
  /** Completes a sign-in, without an `Origin`, since it is a navigation from the provider. */
  finish(back: URL, cookie: string | undefined, headers?: Record<string, string>): Promise<TestAnswer>;
  /** A whole sign-in through the provider. */
  signIn(subject?: string, options?: { query?: string; session?: string | undefined }): Promise<TestAnswer>;
  // biome-ignore lint/suspicious/noExplicitAny: the response of /auth/me, for tests to assert on
  me(cookie: string | undefined): Promise<any>;
}

/** Sets up providers, a store and a server for the tests of a `describe`: fresh accounts for each test. */
export function setUpOidc(startStore: () => Promise<TestStore>): OidcBench {
  let store: TestStore;
  let acme: TestOidcProvider;
  let liar: OidcBench['liar'];
  let database: TestDatabase;
  let clock: OidcBench['clock'];
  let app: TestApp;
  const lines: string[] = [];

  beforeAll(async () => {
    [store, acme, liar] = await Promise.all([
      startStore(),
      startTestOidcProvider([callbackOf('acme'), callbackOf('other')]),
      startLyingProvider(),
    ]);
  });
  afterAll(() => Promise.all([store.close(), acme.close(), liar.close()]));
  beforeEach(async () => {
    database = await store.fresh();
    clock = testClock(Date.now());
    lines.length = 0;
    liar.lie.current = {};
    acme.accounts.clear();
    acme.accounts.set('ada', { email: 'Ada@Example.com', email_verified: true, name: 'Ada Lovelace' });
    app = await start({});
  });
  afterEach(async () => {
    await app.close();
    await database.close();
  });

  function start({ signup = 'open', ...changes }: Changes): Promise<TestApp> {
    const provider = (slug: string, issuer: string) => ({ ...oidcConfig(slug, issuer), ...changes });
    const oidc = [provider('acme', acme.issuer), provider('other', acme.issuer), provider('liar', liar.issuer)];
    return startTestApp({
      db: database.db,
      clock,
      log: createLog('trace', { write: (line: string) => void lines.push(line) }),
      features: (dependencies) =>
        authFeature.routes({
          ...dependencies,
          config: { baseUrl: undefined, signup, oidc, secretKey: Buffer.alloc(32) },
          limits: defaultLimits,
        }),
    });
  }

  const bench: OidcBench = {
    get acme() {
      return acme;
    },
    get liar() {
      return liar;
    },
    get database() {
      return database;
    },
    get clock() {
      return clock;
    },
    get app() {
      return app;
    },
    lines,
    async restart(changes) {
      await app.close();
      app = await start(changes);
    },
    async begin(slug = 'acme', query = '', request = {}) {
      const answer = await app.call('GET', `/auth/oidc/${slug}/start${query}`, request);
      if (answer.status !== 302) throw new Error(`start: ${answer.status} ${answer.text}`);
      const cookie = answer.setCookies.find((line) => line.startsWith('svc_oidc='))?.split(';')[0] ?? '';
      return { location: new URL(String(answer.headers.location)), cookie };
    },
    finish: (back, cookie, headers = {}) =>
      app.call('GET', back.pathname + back.search, { headers: { ...(cookie && { cookie }), ...headers } }),
    async signIn(subject = 'ada', { query, session } = {}) {
      const { location, cookie } = await bench.begin('acme', query);
      const back = await acme.authorize(location.href, subject);
      return bench.finish(back, session === undefined ? cookie : `${cookie}; ${session}`);
    },
    me: async (cookie) => (await app.call('GET', '/auth/me', { cookie })).data,
  };
  return bench;
}

/** The configuration of a provider, without roles. */
export function oidcConfig(slug: string, issuer: string): OidcConfig {
  return {
    slug,
    name: slug,
    issuer,
    clientId: testClient.id,
    clientSecret: testClient.secret,
    workspace: undefined,
    groupsClaim: 'groups',
    groupRoles: new Map(),
    defaultRole: undefined,
  };
}
