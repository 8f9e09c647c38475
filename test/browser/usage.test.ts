import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';
import { sendShop } from './support/telemetry.ts';

describeInBrowser('usage in the browser', () => {
  let app: App;
  let user: SignedUp;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'grace');
    await sendShop(user);
    const sender = testClient(app.base, { bearer: await user.token(['telemetry:ingest']) });
    const bad = { traceId: 'ab', spanId: 'cd', name: 'x', startTimeUnixNano: `${Date.now()}000000` };
    const old = { ...bad, traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), startTimeUnixNano: '1000000000' };
    const spans = [bad, bad, old];
    await sender.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
    for (let i = 0; i < 2; i++) await sender.post('/v1/logs', { resourceLogs: 7 });
    await user.patch(user.project, { retention: { logs: 90 } });
    // Counts of rejected items are stored every few seconds.
    await until(async () => {
      const { data } = await user.get(`${user.workspace}/usage`);
      return data.projects[0].signals[0].rejected === 3 && data.projects[0].signals[1].refused_requests === 2;
    });
    open = await app.open({ as: user });
    page = open.page;
  }, 90_000);
  afterAll(() => app?.stop());

  const row = (table: string, name: RegExp) => page.getByRole('table', { name: table }).getByRole('row', { name });

  it('shows what each signal sent, what is stored and what was not accepted', async () => {
    await page.goto(pathOf(user, '/usage'));
    await row('Usage by signal', /^traces 90 .* 3 0 0 0 30 days/).waitFor();
    await row('Usage by signal', /^logs 30 .* 0 0 0 2 90 days/).waitFor();
    await sees(page, '3 items and 2 entire requests of traces, logs were not accepted');
    await row('Reasons', /traces rejected trace_id is not 16 bytes, or all zero 2 items/).waitFor();
    await row('Reasons', /logs request rejected the body cannot be read 2 requests/).waitFor();
    await screenshot(page, 'usage');
  });

  it('shows usage per hour, including what was not accepted', async () => {
    await page.getByRole('heading', { name: 'Per hour' }).waitFor();
    await page.getByRole('figure', { name: 'Items per hour' }).waitFor();
    await page.getByText('Not accepted', { exact: true }).click();
    await page.getByRole('figure', { name: 'Not accepted per hour' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('shows usage per day in a long window, in dark colors too', async () => {
    const dark = await app.open({ as: user, path: pathOf(user, '/usage?from=now-30d'), colourScheme: 'dark' });
    await dark.page.getByRole('heading', { name: 'Per day' }).waitFor();
    expect(await seriousViolations(dark.page)).toEqual([]);
    expect(dark.faults).toEqual([]);
    await dark.context.close();
  });

  it('causes no errors in the pages', () => expect(open.faults).toEqual([]));
});
