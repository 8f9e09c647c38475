import { expect, it } from 'vitest';
import { flagsOf } from '../flags/support.ts';
import { hasCount, isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendShop } from './support/telemetry.ts';

describeInBrowser('what is wrong and what changes', () => {
  const app = useApp('hedy');

  /** A flag with a ramp that serves 5 %. */
  async function withRamp() {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    await flags.serve('banner', { fallthrough: { variant: 'false' } });
    const steps = [
      { weight: 5_000, hold: '1h' },
      { weight: 10_000, hold: '2h' },
    ];
    const answer = await user.post(`${flags.path('banner')}/ramp`, { variant: 'true', steps });
    expect(answer.status, answer.text).toBe(201);
    return { user, flags };
  }

  it('Home is where people land, with the worst service, the ramps and the changes', async () => {
    const { user } = await withRamp();
    await sendShop(user, 12);
    const page = await app.open({ as: user, path: pathOf(user, '') });
    await isAt(page, /\/home$/);
    const services = page.getByRole('table', { name: 'Services, worst first' });
    await services.getByRole('row').nth(1).getByText('Failing').waitFor();
    await services.getByRole('row').nth(1).getByText('payments').waitFor();
    const state = page.getByRole('list', { name: 'State of the project' });
    await state.getByText('unhealthy of 2 services').waitFor();
    await state.getByText('rolling out').waitFor();
    const rollouts = page.getByRole('table', { name: 'Ramps, guarded releases and experiments' });
    await rollouts.getByText('5% true, step 1 of 2').waitFor();
    const changes = page.getByRole('table', { name: 'Latest flag changes' });
    await changes.getByRole('link', { name: 'banner: targeting changed' }).click();
    await isAt(page, /\/flags\/banner\?.*tab=history/);
  });

  it('Home of an empty project leads to the first steps', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/home') });
    await page.getByRole('link', { name: 'Send the first telemetry' }).click();
    await isAt(page, /\/first-steps/);
  });

  it('a ramp is paused, resumed and aborted in the list of all ramps', async () => {
    const { user, flags } = await withRamp();
    const statusOf = async () => (await user.get(`${flags.path('banner')}/ramp`)).data.status;
    const page = await app.open({ as: user, path: pathOf(user, '/releases') });
    const running = page.getByRole('table', { name: 'Running and planned' });
    await running.getByText('5% true, step 1 of 2').waitFor();
    await running.getByText(/^to 10% in/).waitFor();
    await page.getByRole('button', { name: 'Pause: banner in production' }).click();
    await running.getByText('Paused', { exact: true }).waitFor();
    expect(await statusOf()).toBe('paused');
    await page.getByRole('button', { name: 'Resume: banner in production' }).click();
    await running.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Roll back: banner in production' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    const ended = page.getByRole('table', { name: 'Ended' });
    await ended.getByText('Rolled back').waitFor();
    expect(await statusOf()).toBe('aborted');
  });

  it('an error is opened from its list, and resolved', async () => {
    const user = await app.workspace();
    await sendShop(user, 12);
    const page = await app.open({ as: user, path: pathOf(user, '/errors') });
    const errors = page.getByRole('table', { name: 'Errors' });
    await errors.getByText('card <b>declined</b>', { exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'card <b>declined</b>' });
    await hasCount(panel.getByRole('list', { name: 'Latest occurrences' }).getByRole('listitem'), 12);
    await panel.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('No open errors in this window').waitFor();
    await page.getByRole('radiogroup', { name: 'Which errors' }).getByText('Resolved').click();
    await errors.getByText('Resolved').waitFor();
    await panel.getByRole('button', { name: 'Reopen' }).waitFor();
    await panel.getByRole('link', { name: 'Open trace' }).first().click();
    await isAt(page, /\/traces\/[0-9a-f]{32}\?.*span=/);
  });

  it('the time line takes an annotation of a range, and deletes it', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/timeline') });
    await page.getByRole('button', { name: 'Add annotation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add annotation' });
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Load test');
    await dialog.getByLabel('Ends').fill('2020-01-31T12:00');
    await dialog.getByRole('button', { name: 'Add annotation' }).click();
    await dialog.getByText(/end must not be before time/).waitFor();
    await dialog.getByLabel('Ends').fill('2099-01-31T12:00');
    await dialog.getByRole('button', { name: 'Add annotation' }).click();
    await sees(page, 'The annotation is added');
    const row = page.getByRole('table', { name: 'Changes, latest first' }).getByRole('row', { name: /Load test/ });
    await row.getByRole('button', { name: 'Delete Load test' }).click();
    await page.getByRole('button', { name: 'Delete annotation' }).click();
    await sees(page, 'The annotation is deleted');
    await row.waitFor({ state: 'detached' });
  });

  it('the time line shows changes in lanes, filters them, and opens one', async () => {
    const { user } = await withRamp();
    await user.post(`${user.workspace}/annotations`, { time: 'now-10m', text: 'Database moved', project: 'default' });
    const page = await app.open({ as: user, path: pathOf(user, '/timeline') });
    await page.getByRole('list', { name: 'Notes' }).getByRole('listitem').waitFor();
    const list = page.getByRole('table', { name: 'Changes, latest first' });
    await hasCount(list.getByRole('row'), 4);
    await page.getByRole('radiogroup', { name: 'Which changes' }).getByText('Rollouts').click();
    await hasCount(list.getByRole('row'), 2);
    await isAt(page, /kind=ramp/);
    await page
      .getByRole('list', { name: 'Rollouts' })
      .getByRole('link', { name: /banner: ramp moved/ })
      .click();
    await isAt(page, /\/flags\/banner\?.*tab=history/);
  });
});
