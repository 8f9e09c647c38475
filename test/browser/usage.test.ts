import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';
import { sendShop } from './support/telemetry.ts';

describeInBrowser('usage in the browser', () => {
  const app = useApp('grace');

  // The tests only look at this usage.
  beforeAll(async () => {
    const user = app.owner;
    await sendShop(user);
    const sender = testClient(app.base, { bearer: await user.token(['telemetry:ingest']) });
    const bad = { traceId: 'ab', spanId: 'cd', name: 'x', startTimeUnixNano: `${Date.now()}000000` };
    const old = { ...bad, traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), startTimeUnixNano: '1000000000' };
    const spans = [bad, bad, old];
    await sender.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
    for (let i = 0; i < 2; i++) await sender.post('/v1/logs', { resourceLogs: 7 });
    const record = { timeUnixNano: `${Date.now()}000000`, body: { stringValue: 'sent three times' } };
    for (let i = 0; i < 3; i++)
      await sender.post('/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    await user.patch(user.project, { retention: { logs: 90 } });
    // Counts of rejected items are stored every few seconds.
    await until(async () => {
      const { data } = await user.get(`${user.workspace}/usage`);
      return (
        data.projects[0].signals[0].rejected === 3 &&
        data.projects[0].signals[1].refused_requests === 2 &&
        data.projects[0].signals[1].repeated.requests === 2
      );
    });
  });

  const row = (page: Page, table: string, name: RegExp) =>
    page.getByRole('table', { name: table }).getByRole('row', { name });

  it('shows what each signal sent, what is stored and what was not accepted', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/usage') });
    await row(page, 'Usage by signal', /^traces 90 .* 3 0 0 0 30 days/).waitFor();
    await row(page, 'Usage by signal', /^logs 31 .* 2 0 0 0 2 90 days/).waitFor();
    await sees(page, '3 items and 2 entire requests of traces, logs were not accepted');
    await row(page, 'Reasons', /traces rejected trace_id is not 16 bytes, or all zero 2 items/).waitFor();
    await row(page, 'Reasons', /logs request rejected the body cannot be read 2 requests/).waitFor();
    await sees(page, '2 requests arrived again within 15 minutes');
    await screenshot(page, 'usage');
  });

  it('shows usage per hour, including what was not accepted', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/usage') });
    await page.getByRole('heading', { name: 'Per hour' }).waitFor();
    await page.getByRole('figure', { name: 'Items per hour' }).waitFor();
    await page.getByText('Not accepted', { exact: true }).click();
    await page.getByRole('figure', { name: 'Not accepted per hour' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('shows usage per day in a long window, in dark colors too', async () => {
    const path = pathOf(app.owner, '/usage?from=now-30d');
    const page = await app.open({ as: app.owner, path, colourScheme: 'dark' });
    await page.getByRole('heading', { name: 'Per day' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
