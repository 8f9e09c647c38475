import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf } from '../flags/support.ts';
import { chromiumPath, describeInBrowser } from './support/chromium.ts';
import { type ForeignSite, startForeignSite } from './support/foreign-site.ts';

/**
 * The published web provider, unchanged, in a browser, on a page of another origin: the browser sends each of its
 * requests only if the server's CORS headers allow it.
 */
describeInBrowser('the stock OFREP web provider on a page of another origin', () => {
  let server: TestServer;
  let site: ForeignSite;
  let browser: Browser;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  const open: BrowserContext[] = [];

  beforeAll(async () => {
    [server, site] = await Promise.all([startTestServer(), startForeignSite('./ofrep-page.ts')]);
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox', '--disable-gpu'] });
    user = await signUp(server.base, 'foreign');
    flags = flagsOf(user);
    await flags.create('simple');
    await turn(false);
  });
  afterEach(async () => {
    for (const context of open.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
    await server?.stop();
  });

  const turn = (on: boolean) =>
    flags.serve('simple', {
      rules: [{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' }],
      fallthrough: { variant: String(on) },
    });

  interface Seen {
    readonly path: string;
    readonly status: number;
  }

  /** A page with the provider: its evaluations, and the result of its start. */
  async function visit(
    options: { changeDetection: 'sse' | 'polling' | 'none'; pollInterval?: number },
    allowed: readonly string[] = [site.origin],
  ): Promise<{ page: Page; seen: Seen[]; failure: string }> {
    const key = await user.sdkKey('production', { kind: 'client', allowed_origins: allowed });
    const context = await browser.newContext();
    open.push(context);
    const page = await context.newPage();
    const seen: Seen[] = [];
    page.on('response', (response) => {
      const { origin, pathname } = new URL(response.url());
      if (origin === server.base) seen.push({ path: pathname, status: response.status() });
    });
    await page.goto(site.origin);
    await page.waitForFunction(() => 'provider' in window);
    const settings = {
      baseUrl: server.base,
      headers: [['Authorization', `Bearer ${key}`]] as [string, string][],
      cacheMode: 'disabled' as const,
      ...options,
    };
    const failure = await page.evaluate(
      (given) => window.provider.start(given, { targetingKey: 'visitor', plan: 'free' }),
      settings,
    );
    return { page, seen, failure };
  }

  const value = (page: Page) => page.evaluate(() => window.provider.value('simple'));

  it('gets flags, and different ones for another context', async () => {
    await turn(false);
    const { page, failure } = await visit({ changeDetection: 'none' });
    expect(failure).toBe('');
    expect(await page.evaluate(() => window.provider.details('simple'))).toMatchObject({
      value: false,
      reason: 'DEFAULT',
      flagMetadata: { flagVersion: expect.any(Number) },
    });
    await page.evaluate(() => window.provider.setContext({ targetingKey: 'visitor', plan: 'pro' }));
    expect(await value(page)).toBe(true);
  });

  it('reads the ETag of a response, so that unchanged flags are not sent again and changes are', async () => {
    await turn(false);
    const { page, seen, failure } = await visit({ changeDetection: 'polling', pollInterval: 100 });
    expect(failure).toBe('');
    await until(async () => seen.filter(({ status }) => status === 304).length > 1);
    await turn(true);
    await page.waitForFunction(() => window.provider.changes.length > 0);
    expect(await value(page)).toBe(true);
  });

  it('receives a change over the event stream and does not poll', async () => {
    await turn(false);
    const { page, seen, failure } = await visit({ changeDetection: 'sse' });
    expect(failure).toBe('');
    await until(async () => seen.some(({ path, status }) => path === '/ofrep/v1/events' && status === 200));
    expect(await value(page)).toBe(false);
    await turn(true);
    await page.waitForFunction(() => window.provider.changes.includes('true'));
    expect(await value(page)).toBe(true);
    // One for the start and one for the event, or for the gap between them.
    const asked = seen.filter(({ path }) => path === '/ofrep/v1/evaluate/flags');
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('gets nothing when the key does not allow its origin', async () => {
    for (const allowed of [[], ['https://shop.example']]) {
      const { failure } = await visit({ changeDetection: 'none' }, allowed);
      expect(failure).toMatch(/OFREPApiFetchError/);
    }
  });

  it('can read error details and Retry-After', async () => {
    const key = await user.sdkKey('production', { kind: 'client', allowed_origins: [site.origin] });
    const { page } = await visit({ changeDetection: 'none' });
    const wrong = await page.evaluate(
      async ({ url, key }) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const response = await fetch(url, { method: 'POST', headers, body: '{"context":{"targetingKey":1}}' });
        return { status: response.status, body: await response.json() };
      },
      { url: `${server.base}/ofrep/v1/evaluate/flags`, key },
    );
    expect(wrong).toMatchObject({ status: 400, body: { errorCode: 'INVALID_CONTEXT' } });
    const headers = { authorization: `Bearer ${key}`, origin: site.origin };
    const answer = await fetch(`${server.base}/ofrep/v1/evaluate/flags`, { method: 'POST', headers });
    expect(answer.headers.get('access-control-expose-headers')).toBe('ETag, Retry-After');
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
  });
});
