import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { addMember, type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf, half } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { choose, isDisabled, pathOf, sees, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

const forAda = { targets: [{ variant: 'true', values: ['ada'] }] };

describeInBrowser('changes of flags in the browser', () => {
  const app = useApp('tony');
  let robin: SignedUp;
  beforeAll(async () => {
    robin = await signUp(app.base, 'robin');
  });

  /** A workspace with flags that are off. */
  async function having(...keys: string[]) {
    const user = await app.workspace();
    const flags = flagsOf(user);
    for (const key of keys) await flags.create(key);
    return { user, flags };
  }

  /** A workspace in which `search` is on in production, which needs approval. */
  async function guarded() {
    const { user, flags } = await having('search');
    await flags.serve('search', forAda);
    const environments = (await user.get(`${user.project}/environments`)).data as { id: string; key: string }[];
    const production = environments.find(({ key }) => key === 'production');
    const answer = await user.patch(`${user.project}/environments/${production?.id}`, { requires_approval: true });
    expect(answer.status, answer.text).toBe(200);
    return { user, flags };
  }

  const review = (page: Page) => page.getByRole('dialog', { name: /^Save search/ });
  /** The page of `search` with the dialog that reviews turning it off in production. */
  async function turnOff(user: SignedUp): Promise<Page> {
    const page = await app.open({ as: user, path: pathOf(user, '/flags/search?env=production') });
    await page.getByRole('switch', { name: 'On in Production' }).click({ force: true });
    await takesFocus(review(page));
    return page;
  }

  it('shows differences in the history and restores an earlier version', async () => {
    const { user, flags } = await having('search');
    await flags.serve('search', { comment: 'first try' }, 'development');
    await flags.serve('search', { fallthrough: { variant: 'false' } }, 'development');
    await flags.serve('search', { fallthrough: { rollout: { weights: half } } }, 'development');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/search?env=development') });
    await page.getByRole('tab', { name: 'History' }).click();
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('50% true, 50% false').waitFor();
    await history.getByText('first try').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await history
      .getByRole('button', { name: /^Restore this version/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog', { name: /^Restore version/ });
    await dialog.getByRole('table', { name: 'Changes' }).getByText('50% true, 50% false').waitFor();
    await dialog
      .getByRole('region', { name: 'Who is affected' })
      .getByText(/50% from false to true/)
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await sees(page, /^Version \d+ is restored/);
    await history.getByText(/^restored version/).waitFor();
    const restored = await flags.targeting('search', 'development');
    expect(restored).toMatchObject({ enabled: true, version: 4, fallthrough: { variant: 'true' } });
    expect(restored.fallthrough).not.toHaveProperty('rollout');
  });

  it('proposes the restoring of a version where changes need approval, and can bypass it', async () => {
    const { user, flags } = await guarded();
    const off = { enabled: false, bypass_approval: true };
    expect((await flags.put('search', off)).status).toBe(200);
    const page = await app.open({ as: user, path: pathOf(user, '/flags/search?env=production&tab=history') });
    const restore = page.getByRole('button', { name: /^Restore this version/ });
    await restore.click();
    const dialog = page.getByRole('dialog', { name: /^Restore version/ });
    await dialog.getByText('Production is protected').waitFor();
    await dialog.getByRole('button', { name: 'Propose change' }).click();
    await sees(page, 'The change waits for approval');
    expect((await flags.targeting('search')).enabled).toBe(false);
    await restore.click();
    await dialog.getByLabel('Restore without approval').check();
    await dialog.getByRole('button', { name: 'Restore without approval' }).click();
    await expect.poll(async () => (await flags.targeting('search')).enabled).toBe(true);
  });

  it('does not restore over a change that the review has not shown', async () => {
    const { user, flags } = await having('search');
    await flags.serve('search', {}, 'development');
    await flags.serve('search', { fallthrough: { variant: 'false' } }, 'development');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/search?env=development&tab=history') });
    await page.getByRole('button', { name: /^Restore this version/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Restore version/ });
    await dialog.getByRole('table', { name: 'Changes' }).waitFor();
    await flags.serve('search', { fallthrough: { variant: 'false' }, ...forAda }, 'development');
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog
      .getByRole('list', { name: 'Their changes' })
      .getByText(/targets/)
      .waitFor();
    expect(await flags.targeting('search', 'development')).toMatchObject({ version: 3, ...forAda });
  });

  it('draws prerequisites, and saves one', async () => {
    const { user } = await having('search', 'index');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/search?tab=prerequisites') });
    await page.getByRole('button', { name: 'Add prerequisite' }).click();
    await choose(page, 'Prerequisite 1: flag', 'index');
    await page.getByRole('group', { name: 'Prerequisite 1: variants' }).getByLabel('true').check();
    await page.getByRole('row', { name: /index.*serves true/ }).waitFor();
    await page.getByRole('button', { name: 'Save prerequisites' }).click();
    await sees(page, 'Prerequisites of search saved');
    const graph = page.getByRole('navigation', { name: 'Graph of prerequisites' });
    await graph.getByRole('link', { name: 'index' }).click();
    await page.getByRole('heading', { name: 'index', level: 1 }).waitFor();
  });

  it('reports a cycle of prerequisites', async () => {
    const { user } = await having('search', 'index');
    const prerequisites = [{ flag: 'index', variants: ['true'] }];
    const answer = await user.put(`${user.project}/flags/search/prerequisites`, { prerequisites });
    expect(answer.status, answer.text).toBe(200);
    const page = await app.open({ as: user, path: pathOf(user, '/flags/index?tab=prerequisites') });
    await page.getByRole('button', { name: 'Add prerequisite' }).click();
    await choose(page, 'Prerequisite 1: flag', 'search');
    await page.getByRole('group', { name: 'Prerequisite 1: variants' }).getByLabel('true').check();
    await page.getByRole('button', { name: 'Save prerequisites' }).click();
    await page
      .getByRole('alert')
      .getByText(/cycle.*→/)
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('shows the changes in the other environment before promoting', async () => {
    const { user, flags } = await having('search');
    await flags.serve('search', forAda, 'development');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/search?env=development') });
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
    expect(await flags.targeting('search')).toMatchObject({ enabled: true, targets: [{ values: ['ada'] }] });
  });

  it('shows who is affected before turning a flag off', async () => {
    const { user, flags } = await having('search');
    await flags.serve('search', forAda);
    const page = await turnOff(user);
    await review(page)
      .getByRole('region', { name: 'Who is affected' })
      .getByText(/regardless of targets and rules/)
      .waitFor();
  });

  it('schedules a change, shows it, and withdraws it', async () => {
    const { user, flags } = await having('search');
    await flags.serve('search');
    const page = await turnOff(user);
    await review(page).getByText('At a time').click();
    await review(page).getByLabel('Apply at').fill('2099-01-31T12:00');
    await review(page).getByRole('button', { name: 'Schedule change' }).click();
    await sees(page, 'The change is scheduled');
    await page.getByRole('link', { name: '1 change scheduled' }).click();
    await page.getByRole('row', { name: /Targeting of search/ }).click();
    const detail = page.getByRole('complementary', { name: 'Targeting of search' });
    await detail.getByRole('row', { name: /State.*on.*off/ }).waitFor();
    await detail.getByRole('button', { name: 'Withdraw' }).click();
    await sees(page, 'Change withdrawn');
    await sees(page, 'No scheduled changes');
  });

  it('requires approval in a protected environment, but not from the author', async () => {
    const { user } = await guarded();
    const page = await turnOff(user);
    await review(page).getByLabel('Comment').fill('incident 42');
    await review(page).getByRole('button', { name: 'Propose change' }).click();
    await sees(page, 'The change waits for approval');
    await page.getByRole('link', { name: '1 change to approve' }).click();
    await page.getByRole('row', { name: /Targeting of search/ }).click();
    const detail = page.getByRole('complementary', { name: 'Targeting of search' });
    await detail.getByText(/You proposed this change/).waitFor();
    await detail.getByText('incident 42').waitFor();
    await isDisabled(detail.getByRole('button', { name: 'Approve and apply' }));
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('lets another member approve the change', async () => {
    const { user, flags } = await guarded();
    await addMember(user, robin, 'editor');
    const proposal = { patch: { enabled: false }, comment: 'incident 42' };
    const answer = await user.post(`${flags.path('search')}/changes`, proposal);
    expect(answer.status, answer.text).toBe(201);
    const page = await app.open({ as: robin, path: pathOf(user, '/changes') });
    await page.getByRole('row', { name: /Targeting of search.*tony/ }).click();
    const detail = page.getByRole('complementary', { name: 'Targeting of search' });
    await detail.getByText('incident 42').waitFor();
    await detail.getByRole('row', { name: /State.*on.*off/ }).waitFor();
    await detail.getByRole('button', { name: 'Approve and apply' }).click();
    await sees(page, 'Change approved and applied');
    await sees(page, 'No change requests waiting for approval');
    expect(await flags.targeting('search')).toMatchObject({ enabled: false });
  });
});
