import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type SignedUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { choose, isAt, pathOf, sees, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { reviewAndSave, turnOnInProduction } from './support/flags.ts';
import { sendOtlp } from './support/otlp.ts';

/** Blue for ada and Germans, and for most of the others. */
const targeting = {
  targets: [{ variant: 'blue', values: ['ada'] }],
  rules: [
    {
      description: 'Germans',
      clauses: [{ attribute: 'country', op: 'in', values: ['DE'] }],
      variant: 'blue',
    },
  ],
  fallthrough: {
    rollout: {
      weights: [
        { variant: 'red', weight: 12_500 },
        { variant: 'blue', weight: 87_500 },
      ],
    },
  },
};

describeInBrowser('flags in the browser', () => {
  const app = useApp('edsger');

  /** A workspace with the flag `colour`, which is off. */
  async function withColour() {
    const user = await app.workspace();
    const flags = flagsOf(user);
    const variants = [
      { key: 'red', value: '#f00' },
      { key: 'blue', value: '#00f' },
    ];
    await flags.create('colour', { kind: 'string', name: 'Colour', variants, off_variant: 'red' });
    return { user, flags };
  }
  /** The same, on in production with `targeting`, and the page of the flag. */
  async function withTargeting() {
    const { user, flags } = await withColour();
    await flags.serve('colour', targeting);
    return { user, flags, page: await openColour(user) };
  }
  async function openColour(user: SignedUp): Promise<Page> {
    return app.open({ as: user, path: pathOf(user, '/flags/colour?env=production') });
  }
  const testResult = (page: Page) => page.getByRole('status', { name: 'Result of the test' });

  it('says of a rule that has just been added that it is unfinished, and shows no error', async () => {
    const { page } = await withTargeting();
    await testResult(page).getByText('blue', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await testResult(page).getByText('Not tested yet: rule 2, condition 1 is unfinished.').waitFor();
    expect(await page.getByText('PARSE_ERROR').count()).toBe(0);
    await page.getByLabel('Rule 2, condition 1: attribute').fill('plan');
    const values = page.getByRole('combobox', { name: 'Rule 2, condition 1: values' });
    await values.fill('pro');
    await values.press('Enter');
    await testResult(page).getByText('blue', { exact: true }).waitFor();
  });

  it('shows what the flag does to requests, and replays the last hour in the review', async () => {
    const { user, page } = await withTargeting();
    const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
    const now = Date.now();
    await sendOtlp(user, '/v1/logs', {
      resourceLogs: [
        {
          resource: {
            attributes: [attribute('service.name', 'shop'), attribute('deployment.environment.name', 'production')],
          },
          scopeLogs: [
            {
              logRecords: ['ada', 'bob', 'eve'].map((unit) => ({
                timeUnixNano: `${now - 60_000}000000`,
                eventName: 'feature_flag.evaluation',
                attributes: [
                  attribute('feature_flag.key', 'colour'),
                  attribute('feature_flag.result.variant', unit === 'ada' ? 'blue' : 'red'),
                  attribute('feature_flag.context.id', unit),
                ],
              })),
            },
          ],
        },
      ],
    });
    await until(async () => {
      const body = { query: 'flags "colour" | stats n=count_distinct(unit)', project: 'default' };
      return (await user.post(`${user.workspace}/query`, body)).data?.rows?.[0]?.[0] === 3;
    });
    await page.reload();
    const effect = page.getByRole('region', { name: 'What it does to requests' });
    await effect.getByText(/^In the last 24 hours, .* evaluations? served/).waitFor();
    await effect.getByRole('figure', { name: /^Evaluations by variant/ }).waitFor();
    await page.getByRole('button', { name: 'Delete rule 1' }).click();
    await page.getByRole('button', { name: 'Remove target 1' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const replay = page.getByRole('dialog').getByRole('region', { name: 'Replay of the last hour' });
    await replay.getByText(/^Of 3 units evaluated in the last hour, /).waitFor();
  });

  it('shows the next step in an empty list', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/flags') });
    await page.getByRole('link', { name: 'Create the first flag' }).click();
    await isAt(page, /\/flags\/new$/);
  });

  it('creates a flag with variants, and shows an invalid value at its field', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/flags/new') });
    await page.getByLabel('Name', { exact: true }).fill('Colour');
    await page.getByRole('radiogroup', { name: 'Kind' }).getByText('JSON').click();
    await page.getByLabel('Value of variant 1').fill('{');
    await page.getByRole('button', { name: 'Create flag' }).click();
    await sees(page, /Not JSON/);
    await page.getByRole('radiogroup', { name: 'Kind' }).getByText('String').click();
    await page.getByLabel('Key of variant 1').fill('red');
    await page.getByLabel('Value of variant 1').fill('#f00');
    await page.getByLabel('Key of variant 2').fill('blue');
    await page.getByLabel('Value of variant 2').fill('#00f');
    await choose(page, 'Served while the flag is off', 'red');
    await page.getByRole('button', { name: 'Create flag' }).click();
    await isAt(page, /\/flags\/colour/);
    await page.getByRole('tab', { name: 'Production off' }).waitFor();
    expect((await user.get(`${user.project}/flags/colour`)).data).toMatchObject({
      kind: 'string',
      variants: [
        { key: 'red', value: '#f00' },
        { key: 'blue', value: '#00f' },
      ],
    });
  });

  it('shows the difference before turning a flag on, and resets the switch on cancel', async () => {
    const { user } = await withColour();
    const page = await openColour(user);
    await page.getByRole('switch', { name: 'Off in Production' }).click({ force: true });
    const review = page.getByRole('dialog', { name: 'Save colour in Production' });
    await review.getByRole('row', { name: /State.*off.*on/ }).waitFor();
    await review.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('switch', { name: 'Off in Production' }).waitFor();
  });

  it('turns a flag on with a rule, a target and a percentage, and the server evaluates them', async () => {
    const { user } = await withColour();
    const page = await openColour(user);
    await turnOnInProduction(page);

    await page.getByRole('button', { name: 'Add target' }).click();
    await choose(page, 'Target 1: variant', 'blue');
    await page.getByRole('combobox', { name: 'Target 1: values' }).fill('ada');
    await page.keyboard.press('Enter');

    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Rule 1: description').fill('Germans');
    await page.getByLabel('Rule 1, condition 1: attribute').fill('country');
    await page.getByRole('combobox', { name: 'Rule 1, condition 1: values' }).fill('DE');
    await page.keyboard.press('Enter');
    await choose(page, 'Rule 1: serve', 'blue');

    await choose(page, 'Everybody else gets', 'a percentage split');
    await page.getByLabel('Everybody else gets: percentage of red').fill('12.5');
    await expect.poll(() => page.getByLabel('Everybody else gets: percentage of blue').inputValue()).toBe('87.5');

    await page.getByRole('button', { name: 'Review and save' }).click();
    const changes = page.getByRole('table', { name: 'Changes' });
    await changes.getByText('with ada').waitFor();
    await changes.getByText('Germans: if country is one of DE, serve blue').waitFor();
    await changes.getByText('12.5% red, 87.5% blue').waitFor();
    await page
      .getByText('SDKs of Unleash, GrowthBook, and flagd that evaluate themselves will not get the flag')
      .click();
    const without = page.getByRole('list', { name: 'Why they do not get it' });
    await without.getByText('flagd: the flag divides units by its own hash').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await sees(page, 'colour is saved in Production');

    const sdk = testClient(app.base, { bearer: await user.sdkKey() });
    const evaluate = async (context: Record<string, unknown>) =>
      (await sdk.post('/api/v1/sdk/flags/evaluate/colour', { context })).data;
    // The message may still be that of the first save, which turned the flag on.
    await expect
      .poll(() => evaluate({ targetingKey: 'ada' }), { timeout: 20_000 })
      .toMatchObject({ variant: 'blue', reason: 'TARGET_MATCH' });
    expect(await evaluate({ targetingKey: 'x', country: 'DE' })).toMatchObject({
      variant: 'blue',
      reason: 'RULE_MATCH',
    });
    expect(await evaluate({ targetingKey: 'x' })).toMatchObject({ reason: 'FALLTHROUGH' });
  });

  it('offers the code default instead of a variant, and tests it before saving', async () => {
    const { page } = await withTargeting();
    const result = testResult(page);
    await page.getByLabel('Targeting key').fill('nobody');
    await page.getByLabel('Attributes (JSON)').fill('{}');
    await choose(page, 'Everybody else gets', 'the code default');
    await result.getByText('the code default').waitFor();
    await result.getByText('programs use their own default').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('table', { name: 'Changes' }).getByText('the code default').waitFor();
  });

  it('shows who gets what, including unsaved changes', async () => {
    const { page } = await withTargeting();
    const result = testResult(page);
    await page.getByLabel('Targeting key').fill('ada');
    await result.getByText('TARGET_MATCH').waitFor();
    await page.getByLabel('Targeting key').fill('somebody');
    await page.getByLabel('Attributes (JSON)').fill('{"country": "FR"}');
    await result.getByText(/12.5% red, 87.5% blue by targetingKey: somebody is at/).waitFor();
    await result.getByText('country ("FR") is one of 1 value').waitFor();
    await page.getByLabel('Rule 1, condition 1: attribute').fill('nation');
    await page.getByLabel('Attributes (JSON)').fill('{"nation": "DE"}');
    await result.getByText(/RULE_MATCH/).waitFor();
  });

  it('does not save invalid targeting, and shows where the error is', async () => {
    const { page } = await withTargeting();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page
      .getByRole('alert')
      .getByText(/Rule 2, condition 1/)
      .waitFor();
  });

  it('handles a change that someone else saved first', async () => {
    const { page, flags } = await withTargeting();
    await page.getByLabel('Rule 1: description').fill('People from Germany');
    await flags.serve('colour', { ...targeting, enabled: false });
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('dialog', { name: 'Someone else changed this' });
    await conflict
      .getByRole('table', { name: 'Their changes' })
      .getByRole('row', { name: /State.*on.*off/ })
      .waitFor();
    await conflict.getByRole('button', { name: 'Review mine over theirs' }).click();
    await page
      .getByRole('dialog', { name: /^Save / })
      .getByRole('button', { name: 'Save', exact: true })
      .click();
    await sees(page, 'colour is saved in Production');
    expect(await flags.targeting('colour')).toMatchObject({
      enabled: true,
      rules: [{ description: 'People from Germany' }],
    });
  });

  it('asks before leaving unsaved changes', async () => {
    const { page } = await withTargeting();
    await page.getByLabel('Rule 1: description').fill('unsaved');
    await page.getByRole('link', { name: 'Flags' }).first().click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(page.url()).toContain('/flags/colour');
    expect(await page.getByLabel('Rule 1: description').inputValue()).toBe('unsaved');
  });

  it('targets environments separately', async () => {
    const { page, flags } = await withTargeting();
    await page.getByRole('tab', { name: 'Development off' }).click();
    await isAt(page, /env=development/);
    await page.getByRole('switch', { name: 'Off in Development' }).waitFor();
    await choose(page, 'While off, everybody gets', 'blue');
    await reviewAndSave(page);
    await sees(page, 'colour is saved in Development');
    expect(await flags.targeting('colour', 'development')).toMatchObject({ enabled: false, off_variant: 'blue' });
    expect(await flags.targeting('colour')).toMatchObject({ enabled: true, off_variant: 'red' });
  });

  it('lists the state per environment, and searches', async () => {
    const { user, flags } = await withColour();
    await flags.serve('colour', targeting);
    await flags.create('other');
    const page = await app.open({ as: user, path: pathOf(user, '/flags') });
    const row = page.getByRole('row', { name: /colour/ });
    await row.getByText('Production: 87.5%').waitFor({ state: 'attached' });
    await row.getByText('Development: off').waitFor({ state: 'attached' });
    await page.getByLabel('Search flags').fill('oth');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /other/ }).waitFor();
    await isAt(page, /q=oth/);
  });

  it('edits, archives and deletes a flag', async () => {
    const user = await app.workspace();
    await flagsOf(user).create('other');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/other') });
    const more = () => page.getByRole('button', { name: 'More about this flag' }).click();
    await more();
    await page.getByRole('menuitem', { name: 'Edit details' }).click();
    await takesFocus(page.getByRole('dialog'));
    await page.getByRole('dialog').getByLabel('Description').fill('Nobody needs it');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await sees(page, 'Nobody needs it');
    await more();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive flag' }).click();
    await sees(page, /This flag is archived/);
    await more();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await takesFocus(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('textbox').fill('other');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete flag' }).click();
    await isAt(page, /\/flags$/);
    expect((await user.get(`${user.project}/flags/other`)).status).toBe(404);
  });
});
