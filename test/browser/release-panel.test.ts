import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type SignedUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { isDisabled, pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { countClicks } from './support/clicks.ts';
import { sendOtlp } from './support/otlp.ts';
import { screenshot } from './support/screenshot.ts';

describeInBrowser('the release panel of a flag', () => {
  const app = useApp('barbara');

  async function withFlag(fallthrough: object = { variant: 'false' }) {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    await flags.serve('banner', { fallthrough });
    const page = await app.open({ as: user, path: pathOf(user, '/flags/banner?env=production') });
    await now(page).waitFor();
    return { user, flags, page };
  }
  const now = (page: Page) => page.getByRole('status', { name: 'Release now' });
  const dialog = (page: Page) => page.getByRole('dialog', { name: /banner/ });

  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

  /** Evaluates the flag for units in traces of their own; the requests with `true` fail. */
  async function sendRequests(user: SignedUp, units: number): Promise<void> {
    const sdk = testClient(user.base, { bearer: await user.sdkKey() });
    const at = BigInt(Date.now()) * 1_000_000n;
    const spans = await Promise.all(
      Array.from({ length: units }, async (_, i) => {
        const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
        const answer = await sdk.post(
          '/ofrep/v1/evaluate/flags/banner',
          { context: { targetingKey: `unit-${i}` } },
          { traceparent: `00-${traceId}-${spanId}-01` },
        );
        return {
          ...{ traceId, spanId, name: 'GET /', kind: 2 },
          startTimeUnixNano: String(at),
          endTimeUnixNano: String(at + 20_000_000n),
          status: answer.json.variant === 'true' ? { code: 2 } : {},
        };
      }),
    );
    const attributes = [
      { key: 'service.name', value: { stringValue: 'shop' } },
      { key: 'deployment.environment.name', value: { stringValue: 'production' } },
    ];
    await sendOtlp(user, '/v1/traces', {
      resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'test' }, spans }] }],
    });
  }

  it('sets a flag to 10%, shows its numbers, and undoes that, in three clicks', async () => {
    const { user, flags, page } = await withFlag();
    const clicks = await countClicks(page);
    await press(page, '10%');
    await dialog(page).getByRole('region', { name: 'Who is affected' }).getByText('10% from false to true').waitFor();
    await screenshot(page, 'release-set');
    await press(page, 'Set to 10%');
    await now(page).getByText('Everybody gets 10% true, 90% false.').waitFor();
    const { fallthrough } = await flags.targeting('banner');
    expect(fallthrough.rollout.weights).toContainEqual({ variant: 'true', weight: 10_000 });

    await sendRequests(user, 60);
    const numbers = page.getByRole('table', { name: 'Last hour by variant' });
    await numbers.getByRole('row', { name: /^false .* 0% 20 ms$/ }).waitFor();
    await numbers.getByRole('row', { name: /^true .* 100% 20 ms$/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await screenshot(page, 'release-watched');

    await press(page, 'Undo my change');
    await now(page).getByText('Everybody gets false.').waitFor();
    expect(await clicks()).toBe(3);
    // Taking the undo back would release the variant again, which has a review.
    await page.getByRole('button', { name: 'Roll back', exact: true }).waitFor();
    expect((await flags.targeting('banner')).fallthrough).toEqual({ variant: 'false' });
    const [latest] = (await user.get(`${user.project}/flags/banner/changes`)).data;
    expect(latest).toMatchObject({ kind: 'targeting', comment: 'restored version 2' });
    expect((await flags.audited())[0]).toBe('flags.restore');
  });

  it('does not undo over a change of somebody else', async () => {
    const { flags, page } = await withFlag();
    await press(page, '10%');
    await press(page, 'Set to 10%');
    const undo = page.getByRole('button', { name: 'Undo my change' });
    await undo.waitFor();
    // Just before the request, so that the page does not know yet.
    const request = /\/flags\/banner\/.*restore$/;
    await page.route(
      request,
      async (route) => {
        await flags.serve('banner', { fallthrough: { variant: 'true' } });
        await route.continue();
      },
      { times: 1 },
    );
    await undo.click();
    await page
      .getByRole('alert')
      .getByText(/version/)
      .first()
      .waitFor();
    expect((await flags.targeting('banner')).fallthrough).toEqual({ variant: 'true' });
    await undo.waitFor({ state: 'detached' });
  });

  it('reviews the rollback of a change that is not from this visit, in two clicks', async () => {
    const { flags, page } = await withFlag();
    await flags.serve('banner', {
      fallthrough: {
        rollout: {
          weights: [
            { variant: 'true', weight: 10_000 },
            { variant: 'false', weight: 90_000 },
          ],
        },
      },
    });
    await page.reload();
    const back = page.getByRole('button', { name: 'Roll back', exact: true });
    await back.waitFor();
    const clicks = await countClicks(page);
    await back.click();
    await dialog(page).getByRole('table', { name: 'Changes' }).getByText('10% true, 90% false').waitFor();
    await dialog(page).getByRole('button', { name: 'Roll back' }).click();
    await now(page).getByText('Everybody gets false.').waitFor();
    expect(await clicks()).toBe(2);
  });

  it('starts a guarded release in at most four clicks, which rolls back by itself and says why', async () => {
    const { user, flags, page } = await withFlag();
    const clicks = await countClicks(page);
    await press(page, '50%');
    await dialog(page).getByText('Guard it', { exact: true }).click();
    await dialog(page).getByLabel('Step 1: percentage').waitFor();
    expect(await dialog(page).getByLabel('Step 1: percentage').inputValue()).toBe('50');
    await screenshot(page, 'release-guard');
    await press(page, 'Save');
    await page.getByText('A guarded release of true is planned: 50%, all.').waitFor();
    await press(page, 'Start');
    await now(page).getByText('50% true, step 1 of 1, by a guarded release').waitFor();
    expect(await clicks()).toBeLessThanOrEqual(4);
    await isDisabled(page.getByRole('button', { name: '10%', exact: true }));
    await sendRequests(user, 400);
    await page.getByText(/The guarded release of true rolled back .*: Error rate is worse/).waitFor();
    await now(page).getByText('Everybody gets false.').waitFor();
    await page.getByRole('list', { name: 'Verdicts of the guards' }).getByText('harm', { exact: true }).waitFor();
    await screenshot(page, 'release-rolled-back');
    expect(await flags.targeting('banner')).toMatchObject({ holder: null, fallthrough: { variant: 'false' } });
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('ramps to a percentage that the line does not have, and follows it in the editor', async () => {
    const { flags, page } = await withFlag();
    await page.getByLabel('Another percentage').fill('25');
    await page.getByRole('button', { name: 'Set 25%' }).click();
    await dialog(page).getByText('Ramp to it', { exact: true }).click();
    const steps = dialog(page).getByLabel(/: percentage$/);
    await expect
      .poll(async () => Promise.all((await steps.all()).map((step) => step.inputValue())))
      .toEqual(['1', '10', '25']);
    await dialog(page).getByRole('button', { name: 'Start ramp' }).click();
    await now(page).getByText('1% true, step 1 of 3, by a ramp').waitFor();
    await page.getByText('The ramp serves 1% true instead of this').waitFor();
    expect((await flags.targeting('banner')).ramp).toMatchObject({ status: 'running', weight: 1_000 });
  });

  it('turns a flag off and back to what it served', async () => {
    const half = [
      { variant: 'true', weight: 30_000 },
      { variant: 'false', weight: 70_000 },
    ];
    const { flags, page } = await withFlag({ rollout: { weights: half } });
    await page.getByText('now 30%').waitFor();
    await page.getByRole('button', { name: 'off', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Turn off' }).click();
    await now(page).getByText('Off: everybody gets false.').waitFor();
    await page.getByRole('switch', { name: 'Off in Production' }).waitFor();
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Roll back' }).click();
    await now(page).getByText('Everybody gets 30% true, 70% false.').waitFor();
    expect(await flags.targeting('banner')).toMatchObject({
      enabled: true,
      fallthrough: { rollout: { weights: half } },
    });
  });

  it('has no rollback for a flag without an earlier version', async () => {
    const { page } = await withFlag();
    await page.getByRole('button', { name: '10%', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Roll back' }).count()).toBe(0);
  });
});
