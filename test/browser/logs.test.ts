import { expect, it } from 'vitest';
import { stored } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { act, choose, editorIn, hasCount, hasFocus, isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendEvaluations, sendLogs, sendOtlp } from './support/otlp.ts';
import { shopToLookAt } from './support/shop.ts';

describeInBrowser('logs in the browser', () => {
  const app = useApp('radia');

  async function visitShop(path: string) {
    const { user } = await shopToLookAt(app.base);
    return app.open({ as: user, path: pathOf(user, path) });
  }

  it('finds log patterns, and links a pattern to its lines', async () => {
    const page = await visitShop('/logs?view=patterns');
    const row = page.getByRole('table', { name: 'Log patterns' }).getByRole('row', { name: /card declined for order/ });
    await row.getByText('100%').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await row.click();
    const pattern = page.getByRole('complementary', { name: 'Pattern' });
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
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/logs?view=live&service=mailer') });
    await sees(page, 'Live, 0 lines so far');
    await sendLogs(user, 'mailer', 'mail one sent');
    const table = page.getByRole('table', { name: 'Live log lines' });
    await table.getByText('mail one sent').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await sendLogs(user, 'mailer', 'mail two sent', 'mail three sent');
    await sees(page, 'Paused, 2 new lines');
    expect(await table.getByText('mail two sent').count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await table.getByText('mail two sent').click();
    await page.getByRole('complementary', { name: 'Log line' }).getByRole('rowheader', { name: 'body' }).waitFor();
  });

  it('leaves out flag evaluations, says how many, and shows them when asked', async () => {
    const user = await app.workspace();
    await sendLogs(user, 'mailer', 'mail one sent');
    await sendEvaluations(user, 'mailer', 'new-checkout is on', 'new-checkout is off');
    await stored(app.base);
    const page = await app.open({ as: user, path: pathOf(user, '/logs') });
    const table = page.getByRole('table', { name: 'Log lines' });
    await table.getByText('mail one sent').waitFor();
    expect(await table.getByText(/new-checkout/).count()).toBe(0);
    await page.getByRole('button', { name: '2 flag evaluations hidden. Show' }).click();
    await table.getByText('new-checkout is off').waitFor();
    await page.getByRole('button', { name: 'Hide flag evaluations' }).click();
    await page.getByRole('button', { name: '2 flag evaluations hidden. Show' }).waitFor();
    await hasCount(table.getByText(/new-checkout/), 0);
    await page.goto(pathOf(user, '/logs?view=patterns'));
    await page.getByText('1 pattern in 1 line').waitFor();
  });

  it('filters lines by field values, and keeps the filters in the URL', async () => {
    const user = await app.workspace();
    await sendLogs(user, 'mailer', 'mail one sent');
    await sendLogs(user, 'payments', 'card declined', 'card declined again');
    await stored(app.base);
    const page = await app.open({ as: user, path: pathOf(user, '/logs') });
    const fields = page.getByRole('region', { name: 'Fields' });
    const table = page.getByRole('table', { name: 'Log lines' });
    const services = fields.getByRole('list', { name: 'Values of service.name' });
    await services.getByRole('button', { name: /^mailer/ }).click();
    await table.getByText('mail one sent').waitFor();
    await isAt(page, /where=service\.name/);
    await page.reload();
    await table.getByText('mail one sent').waitFor();
    await hasCount(table.getByText(/card declined/), 0);
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
    const page = await visitShop('/logs');
    await page
      .getByRole('table', { name: 'Log lines' })
      .getByText('card declined for order 7', { exact: true })
      .click();
    const line = page.getByRole('complementary', { name: 'Log line' });
    await line.getByRole('table').getByText('card declined for order 7', { exact: true }).waitFor();
    await isAt(page, /log=\d{4}-/);
    await page.goto(`${page.url()}&q=nothing+like+it`);
    await line.getByRole('table').getByText('card declined for order 7', { exact: true }).waitFor();
    await line.getByRole('button', { name: 'Only with this body' }).click();
    await isAt(page, /where=body/);
  });

  it('focuses the search on `/`, and the row when its line is closed', async () => {
    const page = await visitShop('/logs');
    const row = page.getByRole('table', { name: 'Log lines' }).getByRole('row').nth(2);
    await row.waitFor();
    await page.keyboard.press('/');
    await hasFocus(await editorIn(page, 'Words in the body, or a condition in OQL'));
    await row.focus();
    await page.keyboard.press('Enter');
    const line = page.getByRole('complementary', { name: 'Log line' });
    await line.waitFor();
    await page.keyboard.press('Escape');
    await hasCount(line, 0);
    await hasFocus(row);
    // Closing adds no history entry.
    await page.goBack();
    expect(page.url()).not.toMatch(/log=/);
    await hasCount(line, 0);
  });

  it('keeps the list usable beside an open line, and moves on with the arrow keys', async () => {
    const page = await visitShop('/logs');
    const table = page.getByRole('table', { name: 'Log lines' });
    const line = page.getByRole('complementary', { name: 'Log line' });
    const message = (order: number) => line.getByText(`card declined for order ${order}`, { exact: true }).first();
    await table.getByText('card declined for order 20', { exact: true }).click();
    await message(20).waitFor();
    await page.keyboard.press('ArrowDown');
    await message(19).waitFor();
    await line.getByRole('button', { name: 'Next row' }).click();
    await message(18).waitFor();
    // From the panel, too.
    await page.keyboard.press('ArrowUp');
    await message(19).waitFor();
    await table.getByText('card declined for order 22', { exact: true }).click();
    await message(22).waitFor();
    const edge = line.getByRole('separator', { name: 'Width of the panel' });
    const width = async () => (await line.boundingBox())?.width;
    expect(await width()).toBe(420);
    await edge.press('ArrowLeft');
    await expect.poll(width).toBe(440);
    expect(await seriousViolations(page)).toEqual([]);
    await line.getByRole('button', { name: 'Close' }).click();
    await hasCount(line, 0);
  });

  it('filters, groups and copies by the value under the pointer', async () => {
    const page = await visitShop('/logs');
    const table = page.getByRole('table', { name: 'Log lines' });
    const service = table.getByText('payments').first();
    const actions = page.getByRole('toolbar', { name: 'Actions for service.name' });
    await act(service, actions.getByRole('button', { name: 'Only with this service.name' }));
    await isAt(page, /where=service\.name\+%3D%3D\+%22payments%22/);
    await page.getByRole('button', { name: /Remove the filter service\.name/ }).waitFor();
    await act(service, actions.getByRole('button', { name: 'Group by service.name' }));
    await isAt(page, /explore\?.*q=logs.*by\+service\.name/);
  });

  it('shows times in the zone that the user chose, and remembers it', async () => {
    const user = await app.workspace();
    await sendLogs(user, 'mailer', 'mail one sent');
    await stored(app.base);
    const page = await app.open({ as: user, path: pathOf(user, '/logs') });
    const time = page.getByRole('table', { name: 'Log lines' }).locator('time').first();
    await time.waitFor();
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Time zone: local' }).click();
    await choose(page, 'Show times in', 'Asia/Tokyo');
    await page.getByRole('button', { name: 'Apply' }).click();
    const sent = new Date((await time.getAttribute('datetime')) ?? '');
    const there = new Date(sent.getTime() + 9 * 3_600_000).toISOString().slice(11, 19);
    await expect.poll(() => time.innerText()).toContain(there);
    await page.reload();
    await expect.poll(() => time.innerText()).toContain(there);
    await page.getByRole('button', { name: /^Time range/ }).click();
    await page.getByText('Asia/Tokyo').waitFor();
  });

  it('shows a field as a column, wraps lines, and counts the lines of the window', async () => {
    const user = await app.workspace();
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const logRecords = ['o-1', 'o-2'].map((id) => ({
      timeUnixNano: `${Date.now()}000000`,
      severityNumber: 17,
      body: { stringValue: 'card declined' },
      attributes: [text('order.id', id)],
    }));
    const resource = { attributes: [text('service.name', 'payments')] };
    await sendOtlp(user, '/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
    await stored(app.base);
    const page = await app.open({ as: user, path: pathOf(user, '/logs') });
    const table = page.getByRole('table', { name: 'Log lines' });
    await page.getByRole('list', { name: 'Series' }).getByRole('button', { name: 'error 2' }).waitFor();
    await page.getByRole('button', { name: 'Show order.id as a column' }).click();
    await isAt(page, /cols=order\.id/);
    const row = table.getByRole('row', { name: /payments o-2 card declined/ });
    await row.waitFor();
    expect((await row.boundingBox())?.height).toBe(22);
    await page.getByRole('button', { name: 'Wrap' }).click();
    await expect.poll(async () => (await row.boundingBox())?.height).toBe(64);
  });

  it('shows an error for an invalid condition', async () => {
    const page = await visitShop('/logs?view=live&q=severity+%3E%3D');
    await page.getByRole('alert').waitFor();
  });
});
