import { expect, it } from 'vitest';
import { flagsOf } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { pathOf, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('experiments in the browser', () => {
  const app = useApp('emmy');

  it('begin with a metric, are planned, and start with what they serve', async () => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    await flags.serve('banner', { fallthrough: { variant: 'false' } });
    const page = await app.open({ as: user, path: pathOf(user, '/flag-metrics/new'), provokes: /422/ });
    await page.getByLabel('Name').fill('Purchase');
    await page
      .getByRole('textbox', { name: 'Rows: each row is an event of a unit' })
      .fill('logs | where body == "bought"');
    await page.getByRole('status', { name: 'Rows that count' }).getByText('The query returned no rows.').waitFor();
    await page.getByRole('button', { name: 'Create metric' }).click();
    await page.getByRole('heading', { name: 'Purchase' }).waitFor();

    await page.goto(pathOf(user, '/experiments/new?flag=banner&env=production'));
    await page.getByLabel('Name').fill('Banner on top');
    await page.getByLabel('Share of true').fill('40');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByText('Choose at least one metric that decides').waitFor();
    await page.getByRole('combobox', { name: 'Metrics that decide' }).click();
    await page.getByRole('option', { name: 'Purchase' }).click();
    await page.getByText('There is no own traffic to plan with').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByRole('heading', { name: 'Banner on top' }).waitFor();

    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Start Banner on top' });
    await takesFocus(dialog);
    await dialog.getByRole('cell', { name: 'after: 60% false, 40% true, measured' }).waitFor();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    expect((await flags.targeting('banner')).holder.kind).toBe('experiment');
  });
});
