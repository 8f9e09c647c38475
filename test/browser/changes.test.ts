import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addMember, type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('changes of flags in the browser', () => {
  let app: App;
  let user: SignedUp;
  let open: OpenPage;
  let page: Page;
  let theirs: OpenPage;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'tony');
    const colleague = await signUp(app.base, 'robin');
    await addMember(user, colleague, 'editor');
    open = await app.open({ as: user });
    page = open.page;
    theirs = await app.open({ as: colleague });
    for (const key of ['search', 'index', 'engine'])
      await user.post(`${user.project}/flags`, { key, name: key, kind: 'boolean' });
  }, 90_000);
  afterAll(() => app?.stop());

  const targeting = async (environment: string, key = 'search') =>
    (await user.get(`${user.project}/environments/${environment}/flags/${key}`)).data;
  const write = async (environment: string, change: Record<string, unknown>) => {
    const { enabled, off_variant, fallthrough, targets, rules, version } = await targeting(environment);
    const answer = await user.put(`${user.project}/environments/${environment}/flags/search`, {
      ...{ enabled, off_variant, fallthrough, targets, rules, version },
      ...change,
    });
    expect(answer.status).toBe(200);
  };
  const review = () => page.getByRole('dialog', { name: /^Save search/ });
  const turnOff = async (environment: string) => {
    await page.goto(pathOf(user, `/flags/search?env=${environment.toLowerCase()}`));
    await page.getByRole('switch', { name: `On in ${environment}` }).click({ force: true });
  };

  it('shows differences in the history and restores an earlier version', async () => {
    await write('development', { enabled: true, comment: 'first try' });
    await write('development', { fallthrough: { variant: 'false' } });
    await write('development', {
      fallthrough: {
        rollout: {
          weights: [
            { variant: 'true', weight: 25_000 },
            { variant: 'false', weight: 75_000 },
          ],
        },
      },
    });
    await page.goto(pathOf(user, '/flags/search?env=development'));
    await page.getByRole('tab', { name: 'History' }).click();
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('25% true, 75% false').waitFor();
    await history.getByText('first try').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await history
      .getByRole('button', { name: /^Restore version/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: /^Restore version/ });
    await dialog.getByText('2 later changes are reverted').waitFor();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await sees(page, /^Version \d+ is restored/);
    await history.getByText(/^restored version/).waitFor();
    expect(await targeting('development')).toMatchObject({ enabled: true, version: 4 });
    expect((await targeting('development')).fallthrough).not.toHaveProperty('rollout');
  });

  it('draws and edits prerequisites, and reports a cycle', async () => {
    await page.goto(pathOf(user, '/flags/search?tab=prerequisites'));
    await page.getByRole('button', { name: 'Add prerequisite' }).click();
    await page.getByRole('combobox', { name: 'Prerequisite 1: flag' }).click();
    await page.getByRole('option', { name: 'index', exact: true }).click();
    await page.getByRole('group', { name: 'Prerequisite 1: variants' }).getByLabel('true').check();
    await page.getByRole('row', { name: /index.*serves true/ }).waitFor();
    await page.getByRole('button', { name: 'Save prerequisites' }).click();
    await sees(page, 'Prerequisites of search saved');
    const graph = page.getByRole('navigation', { name: 'Graph of prerequisites' });
    await graph.getByRole('link', { name: 'index' }).click();
    await page.getByRole('heading', { name: 'index', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Add prerequisite' }).click();
    await page.getByRole('combobox', { name: 'Prerequisite 1: flag' }).click();
    await page.getByRole('option', { name: 'search', exact: true }).click();
    await page.getByRole('group', { name: 'Prerequisite 1: variants' }).getByLabel('true').check();
    await page.getByRole('button', { name: 'Save prerequisites' }).click();
    await page
      .getByRole('alert')
      .getByText(/cycle.*→/)
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await user.put(`${user.project}/flags/search/prerequisites`, { prerequisites: [] });
  });

  it('shows the changes in the other environment before promoting', async () => {
    await write('development', { targets: [{ variant: 'true', values: ['ada'] }] });
    await page.goto(pathOf(user, '/flags/search?env=development'));
    await page.getByRole('button', { name: 'Promote' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote search from Development' });
    await dialog.getByRole('combobox', { name: 'To' }).click();
    await page.getByRole('option', { name: 'Production' }).click();
    const changes = dialog.getByRole('table', { name: 'Changes in Production' });
    await changes.getByText('ada').waitFor();
    await dialog.getByLabel('Copy the on/off switch too').check();
    await changes.getByRole('row', { name: /State.*off.*on/ }).waitFor();
    await dialog
      .getByRole('region', { name: 'Who is affected' })
      .getByText(/Everybody/)
      .waitFor();
    await dialog.getByRole('button', { name: 'Promote to Production' }).click();
    await sees(page, 'search is promoted to Production');
    expect(await targeting('production')).toMatchObject({ enabled: true, targets: [{ values: ['ada'] }] });
  });

  it('shows who is affected before turning a flag off', async () => {
    await turnOff('Production');
    await review()
      .getByRole('region', { name: 'Who is affected' })
      .getByText(/regardless of targets and rules/)
      .waitFor();
    await review().getByRole('button', { name: 'Cancel' }).click();
  });

  it('schedules a change, shows it, and withdraws it', async () => {
    await turnOff('Production');
    await review().getByText('At a time').click();
    await review().getByLabel('Apply at').fill('2099-01-31T12:00');
    await review().getByRole('button', { name: 'Schedule change' }).click();
    await sees(page, 'The change is scheduled');
    await page.getByRole('link', { name: '1 change scheduled' }).click();
    await page.getByRole('row', { name: /Targeting of search/ }).click();
    const detail = page.getByRole('dialog', { name: 'Targeting of search' });
    await detail.getByRole('row', { name: /State.*on.*off/ }).waitFor();
    await detail.getByRole('button', { name: 'Withdraw' }).click();
    await sees(page, 'Change withdrawn');
    await sees(page, 'No scheduled changes');
  });

  it('requires approval in a protected environment, but not from the author', async () => {
    const environments = (await user.get(`${user.project}/environments`)).data as { id: string; key: string }[];
    const production = environments.find(({ key }) => key === 'production');
    await user.patch(`${user.project}/environments/${production?.id}`, { requires_approval: true });
    await turnOff('Production');
    await review().getByLabel('Comment').fill('incident 42');
    await review().getByRole('button', { name: 'Propose change' }).click();
    await sees(page, 'The change waits for approval');
    await page.getByRole('link', { name: '1 change to approve' }).click();
    await page.getByRole('row', { name: /Targeting of search/ }).click();
    const detail = page.getByRole('dialog', { name: 'Targeting of search' });
    await detail.getByText(/You proposed this change/).waitFor();
    expect(await detail.getByRole('button', { name: 'Approve and apply' }).isDisabled()).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('lets another member approve the change', async () => {
    await theirs.page.goto(pathOf(user, '/changes'));
    await theirs.page.getByRole('row', { name: /Targeting of search.*tony/ }).click();
    const detail = theirs.page.getByRole('dialog', { name: 'Targeting of search' });
    await detail.getByText('incident 42').waitFor();
    await detail.getByRole('row', { name: /State.*on.*off/ }).waitFor();
    await detail.getByRole('button', { name: 'Approve and apply' }).click();
    await sees(theirs.page, 'Change approved and applied');
    await sees(theirs.page, 'No changes waiting for approval');
    expect(await targeting('production')).toMatchObject({ enabled: false });
  });

  it('shows why a sign-in with a provider failed', async () => {
    const { page: signIn } = await app.open({ path: '/sign-in?error=SVC-2008&provider=acme&reason=account_exists' });
    await signIn
      .getByRole('alert')
      .getByText(/Sign in with its password first/)
      .waitFor();
    await signIn.getByText('SVC-2008').waitFor();
  });

  it('causes no errors in the pages', () => expect([...open.faults, ...theirs.faults]).toEqual([]));
});
