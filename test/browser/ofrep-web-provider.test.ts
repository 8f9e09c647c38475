import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type SignedUp, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { useApp } from './support/app.ts';
import { describeInBrowser, PATIENCE_MS, sharedChromium } from './support/chromium.ts';
import { type ForeignSite, startForeignSite } from './support/foreign-site.ts';

/**
 * The published web provider, unchanged, in a browser, on a page of another origin: the browser sends each of its
 * requests only if the server's CORS headers allow it.
 */
describeInBrowser('the stock OFREP web provider on a page of another origin', () => {
  const app = useApp('foreign');
  let site: ForeignSite;
  beforeAll(async () => {
    site = await startForeignSite('./ofrep-page.ts');
  });
  afterAll(() => site?.stop());

  /** A workspace with the flag `simple`: true for professionals, and false for others until they are turned on. */
  async function withFlag() {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('simple');
    const turn = (on: boolean) =>
      flags.serve('simple', {
        rules: [{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' }],
        fallthrough: { variant: String(on) },
      });
    await turn(false);
    return { user, turn };
  }

  interface Seen {
    readonly path: string;
    readonly status: number;
  }

  /** A page with the provider: its evaluations, and the result of its start. */
  async function visit(
    user: SignedUp,
    options: { changeDetection: 'sse' | 'polling' | 'none'; pollInterval?: number },
    allowed: readonly string[] = [site.origin],
  ): Promise<{ page: Page; seen: Seen[]; failure: string }> {
    const key = await user.sdkKey('production', { kind: 'client', allowed_origins: allowed });
    const context = await (await sharedChromium()).newContext();
    onTestFinished(() => context.close());
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const seen: Seen[] = [];
    page.on('response', (response) => {
      const { origin, pathname } = new URL(response.url());
      if (origin === app.base) seen.push({ path: pathname, status: response.status() });
    });
    await page.goto(site.origin);
    await page.waitForFunction(() => 'provider' in window);
    const settings = {
      baseUrl: app.base,
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
    const { user } = await withFlag();
    const { page, failure } = await visit(user, { changeDetection: 'none' });
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
    const { user, turn } = await withFlag();
    const { page, seen, failure } = await visit(user, { changeDetection: 'polling', pollInterval: 100 });
    expect(failure).toBe('');
    await until(async () => seen.filter(({ status }) => status === 304).length > 1);
    await turn(true);
    await page.waitForFunction(() => window.provider.changes.length > 0);
    expect(await value(page)).toBe(true);
  });

  it('receives a change over the event stream and does not poll', async () => {
    const { user, turn } = await withFlag();
    const { page, seen, failure } = await visit(user, { changeDetection: 'sse' });
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
    const { user } = await withFlag();
    for (const allowed of [[], ['https://shop.example']]) {
      const { failure } = await visit(user, { changeDetection: 'none' }, allowed);
      expect(failure).toMatch(/OFREPApiFetchError/);
    }
  });

  it('can read error details and Retry-After', async () => {
    const { user } = await withFlag();
    const key = await user.sdkKey('production', { kind: 'client', allowed_origins: [site.origin] });
    const { page } = await visit(user, { changeDetection: 'none' });
    const wrong = await page.evaluate(
      async ({ url, key }) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const response = await fetch(url, { method: 'POST', headers, body: '{"context":{"targetingKey":1}}' });
        return { status: response.status, body: await response.json() };
      },
      { url: `${app.base}/ofrep/v1/evaluate/flags`, key },
    );
    expect(wrong).toMatchObject({ status: 400, body: { errorCode: 'INVALID_CONTEXT' } });
    const headers = { authorization: `Bearer ${key}`, origin: site.origin };
    const answer = await fetch(`${app.base}/ofrep/v1/evaluate/flags`, { method: 'POST', headers });
    expect(answer.headers.get('access-control-expose-headers')).toBe('ETag, Retry-After');
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
  });
});
