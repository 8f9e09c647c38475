import { expect, it } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { editorIn, isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendShop } from './support/telemetry.ts';

const query = 'spans | stats value=count() by service.name';

describeInBrowser('recording rules', () => {
  const app = useApp('anita');

  it('creates a rule that also writes the past, changes it, turns it off and deletes it', async () => {
    const user = await app.workspace();
    await sendShop(user);
    const page = await app.open({ as: user, path: pathOf(user, '/recording-rules') });
    await page.getByRole('heading', { name: 'No recording rules yet' }).waitFor();
    await page.getByRole('link', { name: 'Create recording rule' }).first().click();
    await isAt(page, /\/recording-rules\/new/);

    await (await editorIn(page)).fill('spans | stats value=count() by bucket(1m)');
    await page.getByLabel('Name').fill('shop.requests');
    await page.getByRole('button', { name: 'Create recording rule' }).click();
    await sees(page, 'SVC-5001');
    // An empty form: replacing text that is underlined as wrong, the browser would keep its style.
    await page.reload();
    await (await editorIn(page)).fill(query);
    await page.getByLabel('Name').fill('shop.requests');
    await page.getByLabel('Every').fill('1h');
    await sees(page, /^[12] series in the step from/);
    await page.getByRole('figure', { name: /^Values of the last 60 steps/ }).waitFor();
    await page.getByRole('combobox', { name: 'Past' }).click();
    await page.getByRole('option', { name: 'Also the last day' }).click();
    await page.getByRole('button', { name: 'Create recording rule' }).click();
    await isAt(page, /\/recording-rules\/[0-9a-f-]{36}/);
    const [, id = ''] = /recording-rules\/([0-9a-f-]{36})/.exec(page.url()) ?? [];
    const one = `${user.workspace}/recording-rules/${id}`;
    await until(async () => (await user.get(one)).data.backfill.state === 'done', 180_000);
    await page
      .getByRole('region', { name: 'What is written' })
      .getByText('written', { exact: false })
      .first()
      .waitFor();

    await page.getByLabel('Group', { exact: true }).fill('shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await sees(page, 'shop.requests is saved');
    await page.getByRole('switch', { name: 'On' }).click({ force: true });
    await sees(page, 'shop.requests is off');
    expect((await user.get(one)).data).toMatchObject({ group: 'shop', enabled: false, query, every: '1h' });

    await page.getByRole('link', { name: 'Recording rules' }).last().click();
    const row = page
      .getByRole('table', { name: 'Rules of the group shop' })
      .getByRole('row', { name: /Off shop.requests/ });
    await row.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await row.press('Enter');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete recording rule' }).click();
    await page.getByRole('heading', { name: 'No recording rules yet' }).waitFor();
    expect((await user.get(one)).status).toBe(404);
  });
});
