import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { useApp } from './support/app.ts';
import { describeInBrowser, PATIENCE_MS, sharedChromium } from './support/chromium.ts';
import { type ForeignSite, startForeignSite } from './support/foreign-site.ts';

describeInBrowser('the web SDK on a page of another origin', () => {
  const app = useApp('websdk');
  let site: ForeignSite;
  beforeAll(async () => {
    site = await startForeignSite('./sdk-web-page.ts');
  });
  afterAll(() => site?.stop());

  /** A page with the provider, and a flag that is true for professionals, and for others once it is turned on. */
  async function visit(options: { streaming?: boolean; pollIntervalMs?: number } = {}, allowed = [site.origin]) {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('simple');
    const turn = (on: boolean) =>
      flags.serve('simple', {
        rules: [{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' }],
        fallthrough: { variant: String(on) },
      });
    await turn(false);
    const clientKey = await user.sdkKey('production', { kind: 'client', allowed_origins: allowed });
    const context = await (await sharedChromium()).newContext();
    onTestFinished(() => context.close());
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const seen: string[] = [];
    page.on('response', (response) => {
      const { origin, pathname } = new URL(response.url());
      if (origin === app.base) seen.push(`${response.status()} ${pathname}`);
    });
    await page.goto(site.origin);
    await page.waitForFunction(() => 'fanion' in window);
    const failure = await page.evaluate(
      (given) => window.fanion.start(given, { targetingKey: 'visitor', plan: 'free' }),
      { endpoint: app.base, clientKey, ...options },
    );
    return { page, seen, turn, failure };
  }

  it('gets the flags of a context, follows the stream of changes, and does not poll', async () => {
    const { page, seen, turn, failure } = await visit({ pollIntervalMs: 200 });
    expect(failure).toBe('');
    await until(async () => seen.includes('200 /ofrep/v1/events'));
    expect(await page.evaluate(() => window.fanion.value('simple'))).toBe(false);
    await turn(true);
    await page.waitForFunction(() => window.fanion.changes.includes('simple'));
    expect(await page.evaluate(() => window.fanion.value('simple'))).toBe(true);
    await page.evaluate(() => window.fanion.setContext({ targetingKey: 'visitor', plan: 'pro' }));
    await page.evaluate(() => window.fanion.setContext({ targetingKey: 'visitor', plan: 'free' }));
    expect(seen).toContain('304 /ofrep/v1/evaluate/flags');
    expect(seen.filter((one) => one.endsWith('/ofrep/v1/events'))).toHaveLength(1);
  });

  it('polls without a stream, and gets nothing twice', async () => {
    const { page, seen, turn } = await visit({ streaming: false, pollIntervalMs: 100 });
    await until(async () => seen.filter((one) => one.startsWith('304')).length > 1);
    await turn(true);
    await page.waitForFunction(() => window.fanion.value('simple'));
    expect(seen.some((one) => one.endsWith('/ofrep/v1/events'))).toBe(false);
  });

  it('reports that the key does not allow the origin', async () => {
    const { failure } = await visit({}, ['https://shop.example']);
    expect(failure).toContain('Failed to fetch');
  });
});
