import { expect, it } from 'vitest';
import type { SignedUp } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendShop } from './support/telemetry.ts';

const query = 'spans | stats value=ratio(status == error) by service.name';

describeInBrowser('alerts', () => {
  const app = useApp('grete');

  /** A workspace with a shop whose payments fail. */
  async function withShop() {
    const user = await app.workspace();
    await sendShop(user);
    return user;
  }

  async function createRule(user: SignedUp, name: string) {
    const answer = await user.post(`${user.workspace}/alert-rules`, {
      name,
      project: 'default',
      query,
      condition: { op: '>', threshold: 0.5 },
      window: '1h',
      every: '10s',
      offset: '0s',
      labels: { team: 'shop' },
    });
    expect(answer.status, answer.text).toBe(201);
    return answer.data as { id: string };
  }

  it('creates a rule after its preview has shown what would have fired', async () => {
    const user = await withShop();
    const page = await app.open({
      as: user,
      path: pathOf(user, `/alerts/rules/new?q=${encodeURIComponent(query)}`),
    });
    await page.getByLabel('Name').fill('Payments fail');
    await page.getByRole('textbox', { name: 'Threshold' }).fill('0.5');
    await page.getByLabel('Window').fill('5m');
    await page.getByRole('figure', { name: /^Values of the rule/ }).waitFor();
    const line = page.getByRole('slider', { name: 'Threshold' });
    await line.press('ArrowUp');
    await expect.poll(() => page.getByRole('textbox', { name: 'Threshold' }).inputValue()).not.toBe('0.5');
    await page.getByRole('button', { name: 'Run over the past' }).click();
    const backtest = page.getByRole('region', { name: 'Backtest' });
    await backtest.getByText(/It would have fired \d+ times? in \d+ evaluations/).waitFor();
    await backtest.getByText('service.name=payments').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await isAt(page, /\/alerts\/rules\/[0-9a-f-]{36}/);
    await page.getByRole('heading', { name: 'Payments fail' }).waitFor();
  });

  it('shows where a query is wrong, and keeps what was written', async () => {
    const user = await app.workspace();
    const page = await app.open({
      as: user,
      path: pathOf(user, `/alerts/rules/new?q=${encodeURIComponent('spans | wher x == 1')}`),
    });
    await page.getByLabel('Name').fill('Wrong');
    await page.getByRole('textbox', { name: 'Threshold' }).fill('1');
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await sees(page, /Line 1, column 9: There is no stage/);
    expect(await page.getByLabel('Name').inputValue()).toBe('Wrong');
  });

  it('lists what fires, and opens its instance with the timeline', async () => {
    const user = await withShop();
    await createRule(user, 'Shop fails');
    const page = await app.open({ as: user, path: pathOf(user, '/alerts') });
    const firing = page.getByRole('table', { name: 'Firing and pending alerts' });
    const row = firing.getByRole('row', { name: /Firing Shop fails.*service\.name=payments/ });
    await row.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await row.click();
    await isAt(page, /\/alerts\/[0-9a-f-]{36}/);
    const timeline = page.getByRole('table', { name: 'Timeline' });
    await timeline.getByRole('row', { name: /Firing/ }).waitFor();
    await page.getByRole('link', { name: query }).waitFor();
    const traces = page.getByRole('region', { name: 'Example traces' });
    await traces.getByRole('link', { name: 'POST /charge' }).first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('turns a rule off and deletes it', async () => {
    const user = await app.workspace();
    const { id } = await createRule(user, 'Short lived');
    const page = await app.open({ as: user, path: pathOf(user, `/alerts/rules/${id}`) });
    await page.getByRole('switch', { name: 'On' }).click({ force: true });
    await sees(page, 'Short lived is off');
    await expect.poll(() => page.getByRole('switch', { name: 'On' }).isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete alert rule' }).click();
    await isAt(page, /\/alerts$/);
    const answer = await user.get(`${user.workspace}/alert-rules/${id}`);
    expect(answer.status).toBe(404);
  });
});
