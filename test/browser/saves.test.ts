import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import type { SignedUp } from '../../packages/server/src/testing/test-client.ts';
import { colleague, flagsOf } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { hasCount, pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { turnOnInProduction } from './support/flags.ts';
import { screenshot } from './support/screenshot.ts';

describeInBrowser('saves of other people and tabs', () => {
  const app = useApp('ada');
  const notice = (page: Page, text: RegExp) => page.getByRole('status').filter({ hasText: text });
  const takeTheirs = (page: Page) => page.getByRole('button', { name: 'Discard mine, load theirs' }).click();

  async function withRule() {
    const user = await app.workspace();
    const answer = await user.post(`${user.workspace}/alert-rules`, {
      name: 'Checkout fails',
      project: 'default',
      query: 'spans | stats value=ratio(status == error)',
      condition: { op: '>', threshold: 0.5 },
      window: '1h',
      every: '1h',
    });
    expect(answer.status, answer.text).toBe(201);
    const { id } = answer.data;
    return { user, resource: `${user.workspace}/alert-rules/${id}`, path: pathOf(user, `/alerts/rules/${id}`) };
  }

  it('tells the editor of an alert rule who saved which version, and loads it', async () => {
    const { user, resource, path } = await withRule();
    const bob = await colleague(user, 'bob', 'admin');
    const page = await app.open({ as: user, path });
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    expect((await bob.patch(resource, { name: 'Theirs' })).status).toBe(200);
    const told = notice(page, /Version 2 was saved just now by bob. You are editing version 1./);
    await told.waitFor();
    // The draft stays.
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine');
    await told.getByRole('button', { name: 'Show their changes' }).click();
    await told.getByRole('list', { name: 'Their changes' }).getByText('name: Checkout fails → Theirs').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await screenshot(page, 'newer-version');
    await takeTheirs(page);
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Theirs');
    await hasCount(told, 0);
  });

  it('shows one notice when a save is refused because of a newer version', async () => {
    const { user, resource, path } = await withRule();
    const bob = await colleague(user, 'bob', 'admin');
    const page = await app.open({ as: user, path });
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    expect((await bob.patch(resource, { name: 'Theirs' })).status).toBe(200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Somebody else saved first').waitFor();
    await hasCount(notice(page, /You are editing version/), 0);
    await takeTheirs(page);
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Theirs');
  });

  it('shows no notice after a save of its own', async () => {
    const { user, path } = await withRule();
    const page = await app.open({ as: user, path });
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Mine is saved').waitFor();
    await page.getByRole('heading', { name: 'Mine' }).waitFor();
    await hasCount(notice(page, /You are editing version/), 0);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine');
  });

  it('refreshes an unedited page after the save of somebody else', async () => {
    const { user, resource, path } = await withRule();
    const page = await app.open({ as: user, path });
    await page.getByRole('heading', { name: 'Checkout fails' }).waitFor();
    const bob = await colleague(user, 'bob', 'admin');
    expect((await bob.patch(resource, { name: 'Theirs' })).status).toBe(200);
    await page.getByRole('heading', { name: 'Theirs' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Theirs');
    await hasCount(notice(page, /You are editing version/), 0);
  });

  it('tells the dialog of a channel that another tab saved, and loads that version', async () => {
    const user = await app.workspace();
    const channel = { name: 'On call', kind: 'email', config: { to: ['ada@example.com'] } };
    expect((await user.post(`${user.workspace}/channels`, channel)).status).toBe(201);
    const page = await app.open({ as: user, path: pathOf(user, '/channels') });
    const other = await page.context().newPage();
    onTestFinished(() => other.close());
    await other.goto(`${app.base}${pathOf(user, '/channels')}`);
    for (const [tab, name] of [
      [page, 'Mine'],
      [other, 'Theirs'],
    ] as const) {
      await tab.getByRole('button', { name: 'Edit On call' }).click();
      await tab.getByRole('dialog').getByLabel('Name').fill(name);
    }
    await other.getByRole('button', { name: 'Save channel' }).click();
    await hasCount(notice(page, /Version 2 was saved just now by you, in another tab/), 1);
    await page.bringToFront();
    await takeTheirs(page);
    await hasCount(notice(page, /You are editing version/), 0);
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Theirs');
  });

  it('tells another tab of the browser without waiting for the server', async () => {
    const user = await app.workspace();
    await flagsOf(user).create('dark-mode');
    const path = pathOf(user, '/flags/dark-mode?env=production');
    const page = await app.open({ as: user, path });
    const other = await page.context().newPage();
    onTestFinished(() => other.close());
    // This tab never compares its documents with the server by itself.
    await other.addInitScript(() => {
      const repeat = window.setInterval;
      Object.assign(window, {
        setInterval: (callback: () => void, ms: number) => (ms === 5_000 ? 0 : repeat(callback, ms)),
      });
    });
    await other.goto(`${app.base}${path}`);
    await other.getByRole('switch', { name: 'Off in Production' }).waitFor();
    await turnOnInProduction(page);
    // Chromium draws no frames of a tab in the background, for which `waitFor` would wait.
    await hasCount(other.getByRole('switch', { name: 'On in Production' }), 1);
  });

  it('keeps the draft of a dashboard, and names the author of the newer version', async () => {
    const user = await app.workspace();
    const bob = await colleague(user, 'bob', 'admin');
    const id = await createDashboard(user);
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}?edit=yes`) });
    await page.getByRole('textbox', { name: 'Name of the dashboard' }).fill('Mine');
    const theirs = { name: 'Theirs', panels: [], version: 1 };
    expect((await bob.put(`${user.workspace}/dashboards/${id}`, theirs)).status).toBe(200);
    await notice(page, /Version 2 was saved just now by bob/).waitFor();
    expect(await page.getByRole('textbox', { name: 'Name of the dashboard' }).inputValue()).toBe('Mine');
    await takeTheirs(page);
    await page.getByRole('heading', { name: 'Theirs' }).waitFor();
  });

  it('keeps a draft of targeting, and names the author of the newer version', async () => {
    const user = await app.workspace();
    const bob = await colleague(user, 'bob', 'admin');
    const flags = flagsOf(user);
    await flags.create('dark-mode');
    const page = await app.open({ as: user, path: pathOf(user, '/flags/dark-mode?env=production') });
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor();
    expect((await flags.put('dark-mode', {}, 'production', bob)).status).toBe(200);
    await notice(page, /was saved just now by bob/).waitFor();
    await takeTheirs(page);
    await page.getByRole('switch', { name: 'On in Production' }).waitFor();
    await hasCount(page.getByRole('region', { name: 'Unsaved changes' }), 0);
  });

  async function createDashboard(user: SignedUp): Promise<string> {
    const answer = await user.post(`${user.workspace}/dashboards`, { name: 'Shop', project: 'default', panels: [] });
    expect(answer.status, answer.text).toBe(201);
    return answer.data.id;
  }
});
