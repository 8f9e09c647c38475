import { expect, it } from 'vitest';
import { testClient } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { choose, isAt, isDisabled, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { reviewAndSave, turnOnInProduction } from './support/flags.ts';

const inBeta = [{ clauses: [{ op: 'in_segment', values: ['beta-testers'] }], variant: 'true' }];

describeInBrowser('segments in the browser', () => {
  const app = useApp('mina');

  /** A workspace with the segment `beta-testers`: three keys, and those with the plan pro. */
  async function withSegment() {
    const user = await app.workspace();
    const answer = await user.post(`${user.project}/segments`, {
      key: 'beta-testers',
      name: 'Beta testers',
      included: ['ada', 'bob', 'carl'],
      rules: [{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }] }],
    });
    expect(answer.status, answer.text).toBe(201);
    return { user, flags: flagsOf(user), path: pathOf(user, '/segments/beta-testers') };
  }

  it('creates a segment from pasted keys', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/segments') });
    await page.getByRole('link', { name: 'Create the first segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Beta testers');
    await page.getByLabel('Included keys').fill('ada\nbob, carl');
    await sees(page, '3 keys');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await isAt(page, /\/segments\/beta-testers$/);
    await sees(page, 'Nothing uses this segment: changes here affect nobody.');
    const { data } = await user.get(`${user.project}/segments/beta-testers`);
    expect(data.included.toSorted()).toEqual(['ada', 'bob', 'carl']);
  });

  it('adds and removes keys one by one, and adds a rule', async () => {
    const { user, path } = await withSegment();
    const page = await app.open({ as: user, path });
    const included = page.getByRole('region', { name: 'Included keys' }).first();
    await included.getByRole('button', { name: 'Remove bob' }).click();
    await included.getByLabel('Included keys: keys to add').fill('dora');
    await included.getByRole('button', { name: 'Add key' }).click();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Rule 2, condition 1: attribute').fill('country');
    await page.getByRole('combobox', { name: 'Rule 2, condition 1: values' }).fill('DE');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const changes = page.getByRole('table', { name: 'Changes' });
    await changes.getByText('without bob').waitFor();
    await changes.getByText('with dora').waitFor();
    await changes.getByText('country is one of DE').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await sees(page, 'beta-testers is saved');
    const { data } = await user.get(`${user.project}/segments/beta-testers`);
    expect(data.included.toSorted()).toEqual(['ada', 'carl', 'dora']);
    expect(data.rules).toMatchObject([
      { clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }] },
      { clauses: [{ attribute: 'country', op: 'in', values: ['DE'] }] },
    ]);
  });

  it('uses the segment in a flag rule, and the server evaluates it', async () => {
    const { user, flags } = await withSegment();
    await flags.create('chat');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/chat?env=production') });
    await turnOnInProduction(page);
    await page.getByRole('button', { name: 'Add rule' }).click();
    await choose(page, 'Rule 1, condition 1: operator', 'is in the segment');
    await page.getByRole('combobox', { name: 'Rule 1, condition 1: values' }).click();
    await page.getByRole('option', { name: /beta-testers/ }).click();
    await reviewAndSave(page);
    await sees(page, 'chat is saved in Production');
    const sdk = testClient(app.base, { bearer: await user.sdkKey() });
    const evaluate = async (targetingKey: string) =>
      (await sdk.post('/api/v1/sdk/flags/evaluate/chat', { context: { targetingKey } })).data.reason;
    expect(await evaluate('ada')).toBe('RULE_MATCH');
    expect(await evaluate('eve')).not.toBe('RULE_MATCH');
  });

  it('shows who is affected before saving, and does not delete a segment in use', async () => {
    const { user, flags, path } = await withSegment();
    await flags.create('chat');
    await flags.serve('chat', { rules: inBeta });
    const page = await app.open({ as: user, path });
    await page.getByRole('list', { name: 'Used by' }).getByRole('link', { name: 'chat' }).waitFor();
    await isDisabled(page.getByRole('button', { name: 'Delete', exact: true }));
    await page.getByLabel('Excluded keys: keys to add').fill('eve');
    await page.getByRole('region', { name: 'Excluded keys' }).first().getByRole('button', { name: 'Add key' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog', { name: 'Save beta-testers' });
    await review.getByRole('list', { name: 'Used by' }).getByText('in production').waitFor();
    await review.getByRole('button', { name: 'Cancel' }).click();
    await review.waitFor({ state: 'detached' });
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('reports a cycle for a segment that contains itself', async () => {
    const { user, path } = await withSegment();
    const page = await app.open({ as: user, path });
    await page.getByRole('button', { name: 'Add rule' }).click();
    await choose(page, 'Rule 2, condition 1: operator', 'is in the segment');
    await page.getByRole('combobox', { name: 'Rule 2, condition 1: values' }).click();
    await page.getByRole('option', { name: /beta-testers/ }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog', { name: 'Save beta-testers' });
    await review.getByRole('button', { name: 'Save', exact: true }).click();
    await review.getByRole('alert').getByText(/cycle/).waitFor();
  });

  it('lists segments with counts, and searches them', async () => {
    const { user } = await withSegment();
    await user.post(`${user.project}/segments`, { key: 'staff', name: 'Staff' });
    const page = await app.open({ as: user, path: pathOf(user, '/segments') });
    await page.getByRole('row', { name: /beta-testers.*3/ }).waitFor();
    await page.getByLabel('Search segments').fill('sta');
    await page.getByRole('row', { name: /beta-testers/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /staff/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
