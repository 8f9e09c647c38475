import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, testPassword } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, isAt, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('settings in the browser', () => {
  let app: App;
  let user: SignedUp;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'katherine');
    open = await app.open({ as: user });
    page = open.page;
  }, 90_000);
  afterAll(() => app?.stop());

  const settings = (name: string) => page.goto(pathOf(user, `/settings/${name}`));
  const dialog = () => page.getByRole('dialog');

  it('invites a member by link, who joins with a new account', async () => {
    await settings('members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog().getByLabel('E-mail').fill('dorothy@example.com');
    await dialog().getByRole('button', { name: 'Send invitation' }).click();
    const link = (await dialog().getByRole('region', { name: 'invitation link' }).textContent()) ?? '';
    await dialog().getByRole('button', { name: 'Done' }).click();
    await page.getByRole('table', { name: 'Invitations' }).getByText('dorothy@example.com').waitFor();

    const guest = await app.open({ path: new URL(link.trim()).pathname });
    await guest.page.getByRole('heading', { name: 'Join katherine' }).waitFor();
    await guest.page.getByLabel('Your name').fill('Dorothy Vaughan');
    await guest.page.getByLabel('Password', { exact: true }).fill(testPassword);
    await guest.page.getByRole('button', { name: 'Create account and join' }).click();
    await isAt(guest.page, new RegExp(`/w/${user.slug}/default/`));
    expect(guest.faults).toEqual([]);
    await guest.page.goto(link.trim());
    await guest.page.getByText('SVC-2009').waitFor();
    await guest.context.close();
  });

  it('changes a role, and removes a member after confirmation', async () => {
    await settings('members');
    await page.getByRole('combobox', { name: 'Role of Dorothy Vaughan' }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await sees(page, 'The role of dorothy@example.com is changed');
    await page.getByRole('button', { name: 'Remove Dorothy Vaughan' }).click();
    await dialog().getByRole('button', { name: 'Remove member' }).click();
    await page.getByRole('row', { name: /Dorothy/ }).waitFor({ state: 'detached' });
  });

  it('does not demote the last owner, and shows why', async () => {
    await page.getByRole('combobox', { name: 'Role of katherine' }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await page
      .getByRole('alert')
      .getByText(/SVC-6006/)
      .waitFor();
  });

  it('creates an API token that is shown once and works until it is revoked', async () => {
    await settings('tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill('probe');
    await dialog().getByRole('checkbox', { name: 'telemetry:query' }).check();
    await dialog().getByRole('button', { name: 'Create token' }).click();
    const token = ((await dialog().getByRole('region', { name: 'token' }).textContent()) ?? '').trim();
    await dialog().getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /probe/ }).getByText(token.slice(0, 12)).waitFor();
    await expect(page.content()).resolves.not.toContain(token);
    const probe = () =>
      testClient(app.base, { bearer: token }).post(`${user.workspace}/query`, { query: 'spans | limit 1' });
    expect((await probe()).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke probe' }).click();
    await dialog().getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('No API tokens yet').waitFor();
    expect((await probe()).status).toBe(401);
  });

  it('creates an SDK key for an environment', async () => {
    await settings('sdk-keys');
    await page.getByRole('button', { name: 'Create SDK key' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill('checkout');
    await dialog().getByRole('button', { name: 'Create SDK key' }).click();
    const key = ((await dialog().getByRole('region', { name: 'key' }).textContent()) ?? '').trim();
    await dialog().getByRole('button', { name: 'I have copied it' }).click();
    const answer = await testClient(app.base, { bearer: key }).post('/api/v1/sdk/flags/evaluate', {
      context: { targetingKey: 'a' },
    });
    expect(answer.status).toBe(200);
  });

  it('creates an environment, and deletes it only after its name is typed', async () => {
    await settings('environments');
    await page.getByRole('button', { name: 'New environment' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill('Staging EU');
    await dialog().getByRole('button', { name: 'Create environment' }).click();
    await page
      .getByRole('row', { name: /Staging EU/ })
      .getByText('staging-eu')
      .waitFor();
    await page.getByRole('button', { name: 'Delete Staging EU' }).click();
    const remove = dialog().getByRole('button', { name: 'Delete environment' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog().getByRole('textbox').fill('Staging EU');
    await remove.click();
    await page.getByRole('row', { name: /Staging EU/ }).waitFor({ state: 'detached' });
  });

  it('creates and renames a project, sets its retention, and switches to it', async () => {
    await settings('projects');
    await page.getByRole('button', { name: 'New project' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill('Mobile');
    await dialog().getByRole('button', { name: 'Create project' }).click();
    await page.getByRole('button', { name: 'Edit Mobile' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill('Mobile app');
    await dialog().getByRole('combobox', { name: 'logs' }).click();
    await page.getByRole('option', { name: '7 days', exact: true }).click();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Mobile app .*logs: 7 days · traces, metrics, profiles: 30 days/ }).waitFor();
    await page.getByRole('button', { name: /Switch project/ }).click();
    await page.getByRole('menuitem', { name: 'Mobile app' }).click();
    await isAt(page, new RegExp(`/w/${user.slug}/mobile/`));
  });

  it('creates a custom role', async () => {
    await settings('roles');
    await page.getByRole('button', { name: 'New role' }).click();
    await dialog().getByLabel('Name', { exact: true }).fill('On call');
    await dialog().getByRole('checkbox', { name: 'telemetry:query' }).check();
    await dialog().getByRole('button', { name: 'Create role' }).click();
    await page.getByRole('row', { name: /On call/ }).waitFor();
  });

  it('shows all changes in the audit log with the values before and after', async () => {
    await settings('audit');
    await page.getByRole('row', { name: /roles.create/ }).click();
    await page.getByRole('dialog', { name: 'Change' }).getByText('telemetry:query').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Action', { exact: true }).fill('projects.create');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /roles.create/ }).waitFor({ state: 'detached' });
  });

  it('renames the account and changes the password', async () => {
    await settings('profile');
    await page.getByLabel('Name', { exact: true }).fill('Katherine Johnson');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Account of Katherine Johnson' }).waitFor();
    await page.getByLabel('Current password').fill('wrong-password');
    await page.getByLabel('New password').fill('another-Horse-battery-9');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').getByText('SVC-2006').waitFor();
    await page.getByLabel('Current password').fill(testPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await sees(page, /Your password was changed/);
  });

  it('renames the workspace', async () => {
    await settings('workspace');
    await page.getByLabel('Name', { exact: true }).fill('Orbits');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /Switch project: .*Orbits/ }).waitFor();
  });

  it('causes no errors in the page', () => expect(open.faults).toEqual([]));
});
