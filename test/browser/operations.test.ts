import { expect, it } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';

describeInBrowser('operations in the browser, with self-telemetry', () => {
  const app = useApp('operator', {
    FANION_SELF_TELEMETRY: 'on',
    FANION_SELF_TELEMETRY_SECONDS: '1',
    // Room for all metrics in a second.
    FANION_SELF_TELEMETRY_ITEMS_PER_SECOND: '2000',
  });

  it('shows what is wrong, the servers, and the course of their figures', async () => {
    await until(async () => {
      const { data } = await app.owner.get(`${app.owner.workspace}/operations`);
      return data.operations.self_telemetry.stored > 0;
    });
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/operations') });
    await sees(page, 'Nothing is wrong.');
    const servers = page.getByRole('table', { name: 'Servers' });
    await servers.getByRole('row', { name: /answers this page api, ingest, flags, jobs \d+\.\d+\.\d+/ }).waitFor();
    await page.getByRole('figure', { name: 'Requests per second, by status' }).waitFor();
    await page.getByRole('figure', { name: 'Memory' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await screenshot(page, 'operations');
    await page.getByRole('link', { name: 'Explore the project fanion' }).click();
    await page.waitForURL(/\/fanion\/explore/);
  });

  it('says in another workspace where it is', async () => {
    const other = await app.workspace();
    const page = await app.open({ as: other, path: pathOf(other, '/operations') });
    await page.getByRole('heading', { name: 'Shown in another workspace' }).waitFor();
  });
});

describeInBrowser('operations in the browser, without self-telemetry', () => {
  const app = useApp('operator', { FANION_SELF_TELEMETRY: 'off' });

  it('shows how to turn it on', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/operations') });
    await page.getByRole('heading', { name: 'No history yet' }).waitFor();
    await sees(page, 'FANION_SELF_TELEMETRY=on');
    await screenshot(page, 'operations-off');
  });
});
