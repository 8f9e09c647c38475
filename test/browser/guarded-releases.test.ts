import { expect, it } from 'vitest';
import { flagsOf, half } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { pathOf, sees, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('guarded releases in the browser', () => {
  const app = useApp('grace');

  async function withFlag() {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    await flags.serve('banner', { fallthrough: { variant: 'false' } });
    const open = (tab: string) =>
      app.open({ as: user, path: pathOf(user, `/flags/banner?env=production${tab && `&tab=${tab}`}`) });
    return { user, flags, open };
  }

  it('are planned, started and rolled back on the page of the flag', async () => {
    const { flags, open, user } = await withFlag();
    const page = await open('guarded');
    await page.getByRole('button', { name: 'Plan a guarded release' }).click();
    const dialog = page.getByRole('dialog', { name: 'Guarded release of banner in Production' });
    await takesFocus(dialog);
    await dialog.getByLabel('Step 3: percentage').fill('100');
    await dialog.getByText('at most 99%').waitFor();
    await dialog.getByLabel('Step 3: percentage').fill('80');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const state = page.getByRole('status', { name: 'State of the guarded release' });
    await expect.poll(() => state.textContent()).toMatch(/^Draft: nothing changes until it is started/);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await expect
      .poll(() => state.textContent())
      .toMatch(/^Started.*true gets 1%, measured against 25% as many units with false/);
    expect((await flags.targeting('banner')).holder.kind).toBe('guarded_release');
    await page.getByRole('row', { name: /Started.*started it/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog', { name: 'Roll back banner?' }).getByRole('button', { name: 'Roll back' }).click();
    await expect.poll(() => state.textContent()).toMatch(/^Ended by a person/);
    const ended = await user.get(`${flags.path('banner')}/guarded-release`);
    expect(ended.data).toMatchObject({ state: 'disarmed', steps: [{ weight: 1_000 }, {}, { weight: 80_000 }] });
  });

  it('set what everyone else gets where a split leaves no control group', async () => {
    const { flags, open } = await withFlag();
    await flags.serve('banner', { fallthrough: { rollout: { weights: half } } });
    const page = await open('guarded');
    await page.getByRole('button', { name: 'Plan a guarded release' }).click();
    const dialog = page.getByRole('dialog', { name: 'Guarded release of banner in Production' });
    await dialog.getByText('there is no control group').waitFor();
    await dialog.getByLabel('Guard 1: how much worse is tolerated').fill('5 %');
    await dialog.getByRole('button', { name: 'Set it now: false for everyone else' }).click();
    await dialog.getByText('there is no control group').waitFor({ state: 'detached' });
    expect((await flags.targeting('banner')).fallthrough).toMatchObject({ variant: 'false' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  });

  it('say on the targeting that they serve everybody else, and the rollout explains that nothing was seen', async () => {
    const { user, flags, open } = await withFlag();
    const release = { variant: 'true', steps: [{ weight: 1_000, hold: '1h' }], guards: [{ metric: 'error_rate' }] };
    await user.put(`${flags.path('banner')}/guarded-release`, release);
    expect((await user.post(`${flags.path('banner')}/guarded-release/arm`)).status).toBe(200);
    const page = await open('');
    await sees(page, 'A guarded release serves everybody else');
    await page.getByRole('tab', { name: 'Rollout' }).click();
    await sees(page, 'No evaluation of this flag arrived in this window.');
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('show before they begin what their guards will see, and ask again', async () => {
    const { user, flags, open } = await withFlag();
    const release = { variant: 'true', steps: [{ weight: 1_000, hold: '1h' }], guards: [{ metric: 'error_rate' }] };
    expect((await user.put(`${flags.path('banner')}/guarded-release`, release)).status).toBe(200);
    const page = await open('guarded');
    await sees(page, 'so nothing could be replayed');
    const error = { code: 'SVC-5002', status: 422, message: 'the query exceeded a limit: too many units' };
    await page.route(/\/backtest$/, (route) => route.fulfill({ status: 422, json: { error } }), { times: 1 });
    await page.getByRole('button', { name: 'Run again' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'SVC-5002' });
    await alert.getByRole('button', { name: 'Try again' }).click();
    await sees(page, 'so nothing could be replayed');
    await page
      .getByRole('table', { name: 'Backtest' })
      .getByRole('row', { name: /1% for 1 hour.*needs 100 units/ })
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
