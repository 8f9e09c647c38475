import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const limit = 60;

describe('requests per minute', () => {
  let server: TestServer;
  let user: SignedUp;
  let token: string;
  beforeAll(async () => {
    server = await startTestServer({ env: { FANION_REQUESTS_PER_MINUTE: String(limit), FANION_TRUST_PROXY: 'true' } });
    user = await signUp(server.base);
    token = await user.token(['flags:read']);
  });
  afterAll(() => server?.stop());

  /** Counts the requests that pass before the limit; each comes from a new address unless its headers name one. */
  async function passed(headersOf: (i: number) => Record<string, string>, path = '/api/v1/auth/me'): Promise<number> {
    let count = 0;
    for (let i = 0; i < limit + 20; i++) {
      const from = { 'x-forwarded-for': `192.0.2.${i}`, ...headersOf(i) };
      if ((await fetch(server.base + path, { headers: from })).status !== 429) count++;
    }
    return count;
  }

  it('are counted per token, for any spelling of its header', async () => {
    const spellings = ['Bearer', 'bearer', 'BEARER', 'bEARER'];
    const count = await passed((i) => ({ authorization: `${spellings[i % 4]}${' '.repeat(1 + (i % 7))}${token}` }));
    expect(count).toBe(limit);
  });
  it('are counted per user of a session, across addresses', async () => {
    expect(await passed(() => ({ cookie: user.cookie }))).toBeLessThanOrEqual(limit);
  });
  it('are counted per address if the cookie or token is unknown, on public routes too', async () => {
    const from = { 'x-forwarded-for': '198.51.100.7' };
    const meta = '/api/v1/meta';
    expect(await passed((i) => ({ ...from, cookie: `svc_session=random${i}` }), meta)).toBe(limit);
    expect(await passed((i) => ({ ...from, authorization: `Bearer svc_pat_${i}` }), meta)).toBe(0);
  });
});
