import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { type App, isAt, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('flags in the browser', () => {
  let app: App;
  let user: SignedUp;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'edsger');
    open = await app.open({ as: user });
    page = open.page;
  }, 90_000);
  afterAll(() => app?.stop());

  const save = async () => {
    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog', { name: /^Save / });
    await review.getByRole('button', { name: 'Save', exact: true }).click();
    await review.waitFor({ state: 'detached' });
  };
  const choose = async (select: string, option: string) => {
    await page.getByRole('combobox', { name: select, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const evaluate = async (context: Record<string, unknown>) => {
    const key = await user.sdkKey();
    const answer = await testClient(app.base, { bearer: key }).post('/api/v1/sdk/flags/evaluate/colour', { context });
    return answer.data as { variant: string; reason: string };
  };

  it('shows the next step in an empty list', async () => {
    await page.goto(pathOf(user, '/flags'));
    await page.getByRole('link', { name: 'Create the first flag' }).click();
    await isAt(page, /\/flags\/new$/);
  });

  it('creates a flag with variants, and shows an invalid value at its field', async () => {
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
    await choose('Served while the flag is off', 'red');
    await page.getByRole('button', { name: 'Create flag' }).click();
    await isAt(page, /\/flags\/colour/);
    await page.getByRole('tab', { name: 'Production off' }).waitFor();
  });

  it('shows the difference before turning a flag on, and resets the switch on cancel', async () => {
    await page.getByRole('switch', { name: 'Off in Production' }).click({ force: true });
    const review = page.getByRole('dialog', { name: 'Save colour in Production' });
    await review.getByRole('row', { name: /State.*off.*on/ }).waitFor();
    await review.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('switch', { name: 'Off in Production' }).waitFor();
  });

  it('turns it on with a rule, a target and a percentage', async () => {
    await page.getByRole('switch', { name: 'Off in Production' }).click({ force: true });
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('tab', { name: 'Production on' }).waitFor();

    await page.getByRole('button', { name: 'Add target' }).click();
    await choose('Target 1: variant', 'blue');
    await page.getByRole('combobox', { name: 'Target 1: values' }).fill('ada');
    await page.keyboard.press('Enter');

    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Rule 1: description').fill('Germans');
    await page.getByLabel('Rule 1, condition 1: attribute').fill('country');
    await page.getByRole('combobox', { name: 'Rule 1, condition 1: values' }).fill('DE');
    await page.keyboard.press('Enter');
    await choose('Rule 1: serve', 'blue');

    await choose('Everybody else gets', 'a percentage split');
    await page.getByLabel('Everybody else gets: percentage of red').fill('12.5');
    expect(await page.getByLabel('Everybody else gets: percentage of blue').inputValue()).toBe('87.5');

    await page.getByRole('button', { name: 'Review and save' }).click();
    const changes = page.getByRole('table', { name: 'Changes' });
    await changes.getByText('with ada').waitFor();
    await changes.getByText('Germans: if country is one of DE, serve blue').waitFor();
    await changes.getByText('12.5% red, 87.5% blue').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await sees(page, 'colour is saved in Production');

    expect(await evaluate({ targetingKey: 'ada' })).toMatchObject({ variant: 'blue', reason: 'TARGET_MATCH' });
    expect(await evaluate({ targetingKey: 'x', country: 'DE' })).toMatchObject({
      variant: 'blue',
      reason: 'RULE_MATCH',
    });
    expect(await evaluate({ targetingKey: 'x' })).toMatchObject({ reason: 'FALLTHROUGH' });
  });

  it('offers the code default instead of a variant, and tests it before saving', async () => {
    const result = page.getByRole('status', { name: 'Result of the test' });
    await page.getByLabel('Targeting key').fill('nobody');
    await page.getByLabel('Attributes (JSON)').fill('{}');
    await choose('Everybody else gets', 'the code default');
    await result.getByText('the code default').waitFor();
    await result.getByText('programs use their own default').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('table', { name: 'Changes' }).getByText('the code default').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('shows who gets what, including unsaved changes', async () => {
    const result = page.getByRole('status', { name: 'Result of the test' });
    await page.getByLabel('Targeting key').fill('ada');
    await result.getByText('TARGET_MATCH').waitFor();
    await page.getByLabel('Targeting key').fill('somebody');
    await page.getByLabel('Attributes (JSON)').fill('{"country": "FR"}');
    await result.getByText(/12.5% red, 87.5% blue by targetingKey: somebody is at/).waitFor();
    await result.getByText('country ("FR") is one of 1 value').waitFor();
    await page.getByLabel('Rule 1, condition 1: attribute').fill('nation');
    await page.getByLabel('Attributes (JSON)').fill('{"nation": "DE"}');
    await result.getByText(/RULE_MATCH/).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('does not save invalid targeting, and shows where the error is', async () => {
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page
      .getByRole('alert')
      .getByText(/Rule 2, condition 1/)
      .waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('handles a change that someone else saved first', async () => {
    await page.getByLabel('Rule 1: description').fill('People from Germany');
    const path = `${user.project}/environments/production/flags/colour`;
    const { data } = await user.get(path);
    const theirs = await user.put(path, {
      enabled: false,
      off_variant: data.off_variant,
      fallthrough: data.fallthrough,
      targets: data.targets,
      rules: data.rules,
      version: data.version,
    });
    expect(theirs.status).toBe(200);
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
    const after = await user.get(path);
    expect(after.data).toMatchObject({ enabled: true, rules: [{ description: 'People from Germany' }] });
  });

  it('asks before leaving unsaved changes', async () => {
    await page.getByLabel('Rule 1: description').fill('unsaved');
    await page.getByRole('link', { name: 'Flags' }).first().click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(page.url()).toContain('/flags/colour');
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('targets environments separately', async () => {
    await page.getByRole('tab', { name: 'Development off' }).click();
    await isAt(page, /env=development/);
    await page.getByRole('switch', { name: 'Off in Development' }).waitFor();
    await choose('While off, everybody gets', 'blue');
    await save();
    await sees(page, 'colour is saved in Development');
  });

  it('lists the state per environment, and searches', async () => {
    await user.post(`${user.project}/flags`, { key: 'other', name: 'Other', kind: 'boolean' });
    await page.goto(pathOf(user, '/flags'));
    const row = page.getByRole('row', { name: /colour/ });
    await row.getByText('Production: 87.5%').waitFor({ state: 'attached' });
    await row.getByText('Development: off').waitFor({ state: 'attached' });
    await page.getByLabel('Search flags').fill('oth');
    await page.getByRole('row', { name: /colour/ }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('q=oth');
  });

  it('edits, archives and deletes a flag', async () => {
    await page.goto(pathOf(user, '/flags/other'));
    const more = () => page.getByRole('button', { name: 'More about this flag' }).click();
    await more();
    await page.getByRole('menuitem', { name: 'Edit details' }).click();
    await page.getByRole('dialog').getByLabel('Description').fill('Nobody needs it');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await sees(page, 'Nobody needs it');
    await more();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive flag' }).click();
    await sees(page, /This flag is archived/);
    await more();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('other');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete flag' }).click();
    await isAt(page, /\/flags$/);
    expect((await user.get(`${user.project}/flags/other`)).status).toBe(404);
  });

  it('causes no errors in the page', () => expect(open.faults).toEqual([]));
});
