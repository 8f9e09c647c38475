import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, hasCount, isAt, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendShop } from './support/telemetry.ts';

describeInBrowser('logs in the browser', () => {
  let app: App;
  let user: SignedUp;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'radia');
    await sendShop(user);
    open = await app.open({ as: user });
    page = open.page;
  }, 90_000);
  afterAll(() => app?.stop());

  async function log(...bodies: string[]): Promise<void> {
    const token = await user.token(['telemetry:ingest']);
    const answer = await fetch(`${user.base}/v1/logs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        resourceLogs: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'mailer' } }] },
            scopeLogs: [
              {
                logRecords: bodies.map((body) => ({
                  timeUnixNano: `${Date.now()}000000`,
                  severityNumber: 9,
                  body: { stringValue: body },
                })),
              },
            ],
          },
        ],
      }),
    });
    expect(answer.status).toBe(200);
  }

  it('finds log patterns, and links a pattern to its lines', async () => {
    await page.goto(pathOf(user, '/logs?view=patterns'));
    const row = page.getByRole('table', { name: 'Log patterns' }).getByRole('row', { name: /card declined for order/ });
    await row.getByText('100%').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await row.click();
    const pattern = page.getByRole('dialog', { name: 'Pattern' });
    await pattern
      .getByRole('region', { name: 'Examples' })
      .getByText(/card declined for order \d/)
      .first()
      .waitFor();
    await pattern.getByRole('button', { name: 'Show lines' }).click();
    await isAt(page, /q=shape/);
    await page.getByRole('table', { name: 'Log lines' }).getByText('card declined for order 3').first().waitFor();
  });

  it('follows lines as they arrive, holds them while paused, and shows a full line', async () => {
    await page.goto(pathOf(user, '/logs?view=live&service=mailer'));
    await sees(page, 'Live, 0 lines so far');
    await log('mail one sent');
    const table = page.getByRole('table', { name: 'Live log lines' });
    await table.getByText('mail one sent').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await log('mail two sent', 'mail three sent');
    await sees(page, 'Paused, 2 new lines');
    expect(await table.getByText('mail two sent').count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await table.getByText('mail two sent').click();
    await page.getByRole('dialog', { name: 'Log line' }).getByRole('rowheader', { name: 'body' }).waitFor();
  });

  it('filters lines by field values, and keeps the filters in the URL', async () => {
    await page.goto(pathOf(user, '/logs'));
    const fields = page.getByRole('region', { name: 'Fields' });
    const table = page.getByRole('table', { name: 'Log lines' });
    const services = fields.getByRole('list', { name: 'Values of service.name' });
    await services.getByRole('button', { name: /^mailer/ }).click();
    await table.getByText('mail one sent').waitFor();
    await isAt(page, /where=service\.name/);
    await page.reload();
    await table.getByText('mail one sent').waitFor();
    expect(await table.getByText(/card declined/).count()).toBe(0);
    // The other values of the field stay listed.
    await services.getByRole('button', { name: /^payments/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove the filter service.name == "mailer"' }).click();
    await table
      .getByText(/card declined/)
      .first()
      .waitFor();
    await services.getByRole('button', { name: 'Without service.name payments' }).click();
    await table.getByText('mail one sent').waitFor();
    await hasCount(table.getByText(/card declined/), 0);
  });

  it('opens a linked line even if it is no longer in the list', async () => {
    await page.goto(pathOf(user, '/logs'));
    await page
      .getByRole('table', { name: 'Log lines' })
      .getByText('card declined for order 7', { exact: true })
      .click();
    const line = page.getByRole('dialog', { name: 'Log line' });
    await line.getByText('card declined for order 7', { exact: true }).waitFor();
    await isAt(page, /log=\d{4}-/);
    await page.goto(`${page.url()}&q=nothing+like+it`);
    await line.getByText('card declined for order 7', { exact: true }).waitFor();
    await line.getByRole('button', { name: 'Only with this body' }).click();
    await isAt(page, /where=body/);
  });

  it('focuses the search on `/`, and the row when its line is closed', async () => {
    await page.goto(pathOf(user, '/logs'));
    const row = page.getByRole('table', { name: 'Log lines' }).getByRole('row').nth(2);
    await row.waitFor();
    await page.keyboard.press('/');
    const search = page.getByRole('textbox', { name: 'Words in the body, or a condition in OQL' });
    const hasFocus = (element: typeof row) => element.evaluate((one) => one === document.activeElement);
    await expect.poll(() => hasFocus(search)).toBe(true);
    await row.focus();
    await page.keyboard.press('Enter');
    const line = page.getByRole('dialog', { name: 'Log line' });
    await line.waitFor();
    await page.keyboard.press('Escape');
    await hasCount(line, 0);
    await expect.poll(() => hasFocus(row)).toBe(true);
    // Closing adds no history entry.
    await page.goBack();
    await hasCount(line, 0);
  });

  it('shows an error for an invalid condition', async () => {
    await page.goto(pathOf(user, '/logs?view=live&q=severity+%3E%3D'));
    await page.getByRole('alert').waitFor();
  });

  it('causes no errors in the page', () => expect(open.faults).toEqual([]));
});
