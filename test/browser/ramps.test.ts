import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { flagsOf } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { choose, isDisabled, pathOf, sees, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

type Step = readonly [percent: string, count: string, unit: string];

describeInBrowser('ramps in the browser', () => {
  const app = useApp('radia');

  /** The page of a flag that is on and serves false. */
  async function withFlag() {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    await flags.serve('banner', { fallthrough: { variant: 'false' } });
    const open = () => app.open({ as: user, path: pathOf(user, '/flags/banner?env=production') });
    return { user, flags, open };
  }
  /** The same, with a ramp at 5 % in an hour-long step, whose last step is 10 %. */
  async function withRamp() {
    const { user, flags, open } = await withFlag();
    const steps = [
      { weight: 5000, hold: '1h' },
      { weight: 10_000, hold: '2h' },
    ];
    const answer = await user.post(`${flags.path('banner')}/ramp`, { variant: 'true', steps });
    expect(answer.status, answer.text).toBe(201);
    return { flags, page: await open() };
  }

  const dialog = (page: Page) => page.getByRole('dialog', { name: /^Set banner true to .* in Production$/ });
  const progress = (page: Page) => page.getByRole('status', { name: 'Release now' });
  async function plan(page: Page, steps: readonly Step[]): Promise<void> {
    await page.getByRole('button', { name: 'all', exact: true }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByText('Ramp to it').click();
    // count() does not wait.
    await dialog(page).getByLabel('Step 1: percentage').waitFor();
    for (
      let last = await dialog(page)
        .getByLabel(/: percentage$/)
        .count();
      last > steps.length;
      last--
    )
      await dialog(page)
        .getByRole('button', { name: `Remove step ${last}` })
        .click();
    for (const [index, [percent, count, unit]] of steps.entries()) {
      await dialog(page)
        .getByLabel(`Step ${index + 1}: percentage`)
        .fill(percent);
      await dialog(page)
        .getByLabel(`Step ${index + 1}: how long it is held`)
        .fill(count);
      await dialog(page)
        .getByRole('combobox', { name: `Step ${index + 1}: unit of time` })
        .click();
      await page.getByRole('option', { name: unit, exact: true }).click();
    }
  }

  it('requires a flag that is on', async () => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/banner?env=production') });
    await page.getByRole('button', { name: 'all', exact: true }).click();
    await dialog(page).getByText('Ramp to it').click();
    await dialog(page).getByText('Turn it on first').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Start ramp' }).count()).toBe(0);
  });

  it('shows who is affected by another variant for everybody', async () => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    await flags.serve('banner');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/banner?env=production') });
    await choose(page, 'Everybody else gets', 'false');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page
      .getByRole('region', { name: 'Who is affected' })
      .getByText(/100% from true to false/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  });

  it('does not start a ramp with decreasing steps, and shows the effect of valid ones', async () => {
    const { flags, open } = await withFlag();
    const page = await open();
    await plan(page, [
      ['50', '1', 'hours'],
      ['10', '2', 'hours'],
    ]);
    await dialog(page).getByRole('button', { name: 'Start ramp' }).click();
    await dialog(page)
      .getByText(/above the previous step/)
      .waitFor();
    expect((await flags.targeting('banner')).ramp).toBe(null);
    await dialog(page).getByLabel('Step 1: percentage').fill('5');
    await dialog(page)
      .getByText(/0% get true now, 5% immediately, 10% at the last step. The ramp takes 3h/)
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Start ramp' }).click();
    await sees(page, 'Ramp of true started in Production');
  });

  it('shows the progress and the time left', async () => {
    const { page } = await withRamp();
    await progress(page)
      .getByText(/5% true, step 1 of 2, by a ramp; to 10% in/)
      .waitFor();
    await sees(page, /The ramp serves 5% true instead of this/);
    await isDisabled(page.getByRole('combobox', { name: 'Everybody else gets', exact: true }));
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('pauses, resumes and aborts a ramp', async () => {
    const { page, flags } = await withRamp();
    const release = page.getByRole('region', { name: 'Release' });
    await release.getByRole('button', { name: 'Pause' }).click();
    await release.getByText('Paused', { exact: true }).waitFor();
    await release.getByRole('button', { name: 'Resume' }).click();
    await progress(page)
      .getByText(/step 1 of 2, .*to 10% in/)
      .waitFor();
    await release.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog', { name: 'Roll back banner?' }).getByRole('button', { name: 'Roll back' }).click();
    await progress(page).getByText('Everybody gets false.').waitFor();
    expect(await flags.targeting('banner')).toMatchObject({ ramp: null, fallthrough: { variant: 'false' } });
  });

  it('follows a ramp in the editor until it completes', async () => {
    const { open } = await withFlag();
    const page = await open();
    await plan(page, [
      ['50', '1', 'seconds'],
      ['100', '1', 'seconds'],
    ]);
    await dialog(page).getByRole('button', { name: 'Start ramp' }).click();
    await progress(page).getByText('Everybody gets true.').waitFor();
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Everybody else gets', exact: true }).inputValue())
      .toBe('true');
    await page.getByRole('tab', { name: 'Production on' }).waitFor();
  });
});
