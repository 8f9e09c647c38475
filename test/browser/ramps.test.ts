import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('ramps in the browser', () => {
  let app: App;
  let user: SignedUp;
  let open: OpenPage;
  let page: Page;
  const targeting = () => `${user.project}/environments/production/flags/banner`;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'radia');
    open = await app.open({ as: user });
    page = open.page;
    await user.post(`${user.project}/flags`, { key: 'banner', name: 'Banner', kind: 'boolean' });
  }, 90_000);
  afterAll(() => app?.stop());

  const dialog = () => page.getByRole('dialog', { name: 'Start a ramp of banner in Production' });
  const progress = () => page.getByRole('status', { name: 'Progress of the ramp' });
  const plan = async (steps: readonly [percent: string, count: string, unit: string][]) => {
    await page.getByRole('button', { name: 'Start a ramp' }).click();
    // count() does not wait.
    await dialog().getByLabel('Step 1: percentage').waitFor();
    for (
      let last = await dialog()
        .getByLabel(/: percentage$/)
        .count();
      last > steps.length;
      last--
    )
      await dialog()
        .getByRole('button', { name: `Remove step ${last}` })
        .click();
    for (const [index, [percent, count, unit]] of steps.entries()) {
      await dialog()
        .getByLabel(`Step ${index + 1}: percentage`)
        .fill(percent);
      await dialog()
        .getByLabel(`Step ${index + 1}: how long it is held`)
        .fill(count);
      await dialog()
        .getByRole('combobox', { name: `Step ${index + 1}: unit of time` })
        .click();
      await page.getByRole('option', { name: unit, exact: true }).click();
    }
  };

  it('requires a flag that is on', async () => {
    await page.goto(pathOf(user, '/flags/banner?env=production'));
    expect(await page.getByRole('button', { name: 'Start a ramp' }).isDisabled()).toBe(true);
    await page.getByRole('switch', { name: 'Off in Production' }).click({ force: true });
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('tab', { name: 'Production on' }).waitFor();
    await choose('Everybody else gets', 'false');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page
      .getByRole('region', { name: 'Who is affected' })
      .getByText(/100% from true to false/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  });

  const choose = async (select: string, option: string) => {
    await page.getByRole('combobox', { name: select, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  it('does not start a ramp with decreasing steps, and shows the effect of valid ones', async () => {
    await plan([
      ['50', '1', 'hours'],
      ['10', '2', 'hours'],
    ]);
    await dialog().getByRole('button', { name: 'Start ramp' }).click();
    await dialog()
      .getByText(/above the previous step/)
      .waitFor();
    await dialog().getByLabel('Step 1: percentage').fill('5');
    await dialog()
      .getByText(/0% get true now, 5% immediately, 10% at the last step. The ramp takes 3h/)
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Start ramp' }).click();
    await sees(page, 'Ramp of true started in Production');
  });

  it('shows the progress and the time left', async () => {
    await progress()
      .getByText(/step 1 of 2, .*left; done in/)
      .waitFor();
    await sees(page, /The ramp serves 5% true instead of this/);
    expect(await page.getByRole('combobox', { name: 'Everybody else gets', exact: true }).isDisabled()).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('pauses, resumes and aborts a ramp', async () => {
    await page.getByRole('button', { name: 'Pause' }).click();
    await progress().getByText('paused at step 1 of 2').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await progress()
      .getByText(/step 1 of 2, .*left/)
      .waitFor();
    await page.getByRole('button', { name: 'Abort' }).click();
    await page.getByRole('dialog', { name: 'Abort the ramp?' }).getByRole('button', { name: 'Abort ramp' }).click();
    await sees(page, /The last one was aborted; it had served true 5%/);
    const after = await user.get(targeting());
    expect(after.data).toMatchObject({ ramp: null, fallthrough: { variant: 'false' } });
  });

  it('updates the editor while a ramp completes', async () => {
    await plan([
      ['50', '1', 'seconds'],
      ['100', '1', 'seconds'],
    ]);
    await dialog().getByRole('button', { name: 'Start ramp' }).click();
    await sees(page, /The last one served true 100%/);
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Everybody else gets', exact: true }).inputValue())
      .toBe('true');
    await page.getByRole('tab', { name: 'Production on' }).waitFor();
  });

  it('causes no errors in the page', () => expect(open.faults).toEqual([]));
});
