import { expect, it } from 'vitest';
import { seriousViolations } from './support/accessibility.ts';
import { editorIn, hasCount, isAt, pathOf, sees, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';
import { shopToLookAt } from './support/shop.ts';
import { sendShop } from './support/telemetry.ts';

describeInBrowser('writing queries', () => {
  const app = useApp('barbara');

  async function visitShop(path: string) {
    const { user } = await shopToLookAt(app.base);
    return app.open({ as: user, path: pathOf(user, path) });
  }
  /** A workspace with nine spans. */
  async function withSpans() {
    const user = await app.workspace();
    await sendShop(user, 3);
    return user;
  }

  it.each([
    ['attributes', 'spans | where http.ro', 'http.route'],
    ['values of an attribute', 'spans | where http.route == ', '/checkout'],
  ])('suggests known %s', async (_, typed, suggested) => {
    const page = await visitShop('/explore');
    await (await editorIn(page)).click();
    await page.keyboard.type(typed);
    await page.getByRole('option', { name: suggested }).first().waitFor();
  });

  it('completes in the trace search field, where Enter alone searches', async () => {
    const page = await visitShop('/traces');
    const field = await editorIn(page, 'Condition on spans in OQL');
    await field.click();
    await page.keyboard.type('service.name == "pay');
    await page.getByRole('option', { name: 'payments' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.innerText()).toBe('service.name == "payments"');
    await page.keyboard.press('Enter');
    await isAt(page, /q=service\.name\+%3D%3D\+%22payments%22/);
  });

  it('saves a query with its range, opens it again, and deletes it', async () => {
    const user = await withSpans();
    const page = await app.open({ as: user, path: pathOf(user, '/explore?from=now-3h&q=spans+%7C+limit+3') });
    await sees(page, '3 rows');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save query' });
    await takesFocus(dialog);
    await dialog.getByLabel('Name').fill('Three spans');
    await dialog.getByLabel(/Include the time range/).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.goto(pathOf(user, '/explore'));
    await page.getByRole('button', { name: 'Queries' }).click();
    const saved = page.getByRole('list', { name: 'Saved queries' });
    await saved.getByRole('button', { name: /^Three spans/ }).click();
    await isAt(page, /from=now-3h/);
    await sees(page, '3 rows');
    await page.getByRole('button', { name: 'Queries' }).click();
    await page.getByRole('button', { name: 'Delete Three spans' }).click();
    await page.getByRole('button', { name: 'Delete query' }).click();
    await sees(page, 'No saved queries yet');
  });

  it('saves a query in PromQL, and opens it in its language', async () => {
    const user = await withSpans();
    const page = await app.open({ as: user, path: pathOf(user, '/explore?q=vector(7)&lang=promql') });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save query' });
    await dialog.getByLabel('Name').fill('Seven');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.goto(pathOf(user, '/explore'));
    await page.getByRole('button', { name: 'Queries' }).click();
    await page.getByRole('button', { name: /^Seven/ }).click();
    await isAt(page, /lang=promql/);
    expect(await page.getByRole('textbox', { name: 'PromQL query' }).inputValue()).toBe('vector(7)');
  });

  it('hands a query in PromQL on to dashboards, alert rules and SLOs', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/explore?q=vector(7)&lang=promql') });
    await page.getByRole('figure', { name: 'value over time' }).waitFor();
    await page.getByRole('button', { name: 'Add to dashboard' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to dashboard' });
    await dialog.getByLabel('Title of the panel').fill('Seven');
    await dialog.getByLabel('Name of the dashboard').fill('Numbers');
    await dialog.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByRole('figure', { name: /^Seven/ }).waitFor();
    const [{ id }] = (await user.get(`${user.workspace}/dashboards`)).data;
    const [panel] = (await user.get(`${user.workspace}/dashboards/${id}`)).data.panels;
    expect(panel).toMatchObject({ type: 'time_series', query: 'vector(7)', query_language: 'promql' });

    await page.goto(pathOf(user, '/explore?q=vector(7)&lang=promql'));
    await page.getByRole('figure', { name: 'value over time' }).waitFor();
    await screenshot(page, 'explore-promql');
    await page.getByRole('link', { name: 'Create alert' }).click();
    await isAt(page, /\/alerts\/rules\/new\?.*lang=promql/);
    expect(await page.getByRole('textbox', { name: 'PromQL query' }).inputValue()).toBe('vector(7)');
    expect(await page.getByRole('combobox', { name: 'Value is' }).inputValue()).toBe('Whatever is returned');
    await screenshot(page, 'alert-rule-promql');
    await page.goBack();
    await page.getByRole('link', { name: 'Create SLO' }).click();
    await isAt(page, /\/slos\/new\?.*lang=promql/);
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('vector(7)');
    await page.getByText('Write a query', { exact: true }).waitFor();
    await screenshot(page, 'slo-promql');
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('lists past queries and reruns one', async () => {
    const user = await withSpans();
    const page = await app.open({ as: user, path: pathOf(user, '/explore?q=spans+%7C+limit+7') });
    await sees(page, '7 rows');
    await page.getByRole('button', { name: 'Queries' }).click();
    await expect
      .poll(async () => {
        await page.getByRole('tab', { name: 'Saved' }).click();
        await page.getByRole('tab', { name: 'History' }).click();
        await page.getByLabel('Search the history').fill('limit 7');
        return page.getByRole('list', { name: 'Query history' }).getByRole('button').count();
      })
      .toBe(1);
    await page.goto(pathOf(user, '/explore'));
    await page.getByRole('button', { name: 'Queries' }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await page
      .getByRole('list', { name: 'Query history' })
      .getByRole('button', { name: /limit 7/ })
      .first()
      .click();
    await sees(page, '7 rows');
    await hasCount(page.getByRole('dialog'), 0);
  });
});
