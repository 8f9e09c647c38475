import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, isAt, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('segments in the browser', () => {
  let app: App;
  let user: SignedUp;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'mina');
    open = await app.open({ as: user });
    page = open.page;
    await user.post(`${user.project}/flags`, { key: 'chat', name: 'Chat', kind: 'boolean' });
  }, 90_000);
  afterAll(() => app?.stop());

  const save = async () => {
    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog', { name: /^Save / });
    await review.getByRole('button', { name: 'Save', exact: true }).click();
    await review.waitFor({ state: 'detached' });
  };

  it('creates a segment from pasted keys', async () => {
    await page.goto(pathOf(user, '/segments'));
    await page.getByRole('link', { name: 'Create the first segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Beta testers');
    await page.getByLabel('Included keys').fill('ada\nbob, carl');
    await sees(page, '3 keys');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await isAt(page, /\/segments\/beta-testers$/);
    await sees(page, 'Nothing uses this segment: changes here affect nobody.');
  });

  it('adds and removes keys one by one, and adds a rule', async () => {
    const included = page.getByRole('region', { name: 'Included keys' }).first();
    await included.getByRole('button', { name: 'Remove bob' }).click();
    await included.getByLabel('Included keys: keys to add').fill('dora');
    await included.getByRole('button', { name: 'Add key' }).click();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Rule 1, condition 1: attribute').fill('plan');
    await page.getByRole('combobox', { name: 'Rule 1, condition 1: values' }).fill('pro');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const changes = page.getByRole('table', { name: 'Changes' });
    await changes.getByText('without bob').waitFor();
    await changes.getByText('with dora').waitFor();
    await changes.getByText('plan is one of pro').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await sees(page, 'beta-testers is saved');
    const { data } = await user.get(`${user.project}/segments/beta-testers`);
    expect(data.included.toSorted()).toEqual(['ada', 'carl', 'dora']);
    expect(data.rules).toMatchObject([{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }] }]);
  });

  it('uses the segment in a flag rule, and the server evaluates it', async () => {
    await page.goto(pathOf(user, '/flags/chat?env=production'));
    await page.getByRole('switch', { name: 'Off in Production' }).click({ force: true });
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('tab', { name: 'Production on' }).waitFor();
    await page.getByRole('button', { name: 'Add rule' }).click();
    const operator = page.getByRole('combobox', { name: 'Rule 1, condition 1: operator' });
    await operator.click();
    await page.getByRole('option', { name: 'is in the segment', exact: true }).click();
    await page.getByRole('combobox', { name: 'Rule 1, condition 1: values' }).click();
    await page.getByRole('option', { name: /beta-testers/ }).click();
    await save();
    await sees(page, 'chat is saved in Production');
    const key = await user.sdkKey();
    const answer = await testClient(app.base, { bearer: key }).post('/api/v1/sdk/flags/evaluate/chat', {
      context: { targetingKey: 'dora' },
    });
    expect(answer.data).toMatchObject({ reason: 'RULE_MATCH' });
  });

  it('shows who is affected before saving, and does not delete a segment in use', async () => {
    await page.goto(pathOf(user, '/segments/beta-testers'));
    await page.getByRole('list', { name: 'Used by' }).getByRole('link', { name: 'chat' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Excluded keys: keys to add').fill('eve');
    await page.getByRole('region', { name: 'Excluded keys' }).first().getByRole('button', { name: 'Add key' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog', { name: 'Save beta-testers' });
    await review.getByRole('list', { name: 'Used by' }).getByText('in production').waitFor();
    await review.getByRole('button', { name: 'Cancel' }).click();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('reports a cycle for a segment that contains itself', async () => {
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('combobox', { name: 'Rule 2, condition 1: operator' }).click();
    await page.getByRole('option', { name: 'is in the segment', exact: true }).click();
    await page.getByRole('combobox', { name: 'Rule 2, condition 1: values' }).click();
    await page.getByRole('option', { name: /beta-testers/ }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog', { name: 'Save beta-testers' });
    await review.getByRole('button', { name: 'Save', exact: true }).click();
    await review.getByRole('alert').getByText(/cycle/).waitFor();
    await review.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('lists segments with counts, and searches them', async () => {
    await user.post(`${user.project}/segments`, { key: 'staff', name: 'Staff' });
    await page.goto(pathOf(user, '/segments'));
    await page.getByRole('row', { name: /beta-testers.*3/ }).waitFor();
    await page.getByLabel('Search segments').fill('sta');
    await page.getByRole('row', { name: /beta-testers/ }).waitFor({ state: 'detached' });
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('causes no errors in the page', () => expect(open.faults).toEqual([]));
});
