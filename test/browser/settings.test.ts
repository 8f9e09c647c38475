import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import {
  addMember,
  type SignedUp,
  signUp,
  testClient,
  testPassword,
} from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { isAt, isDisabled, pathOf, sees, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('settings in the browser', () => {
  const app = useApp('katherine');

  const settings = (user: SignedUp, name: string) => app.open({ as: user, path: pathOf(user, `/settings/${name}`) });
  const dialog = (page: Page) => page.getByRole('dialog');

  it('invites a member by link, who joins with a new account', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'members');
    const email = `dorothy-${randomUUID()}@example.com`;
    await page.getByRole('button', { name: 'Invite' }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByLabel('E-mail').fill(email);
    await dialog(page).getByRole('button', { name: 'Send invitation' }).click();
    const link = (await dialog(page).getByRole('region', { name: 'invitation link' }).textContent()) ?? '';
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('table', { name: 'Invitations' }).getByText(email).waitFor();

    const guest = await app.open({ path: new URL(link.trim()).pathname });
    await guest.getByRole('heading', { name: "Join katherine's own" }).waitFor();
    await guest.getByLabel('Your name').fill('Dorothy Vaughan');
    await guest.getByLabel('Password', { exact: true }).fill(testPassword);
    await guest.getByRole('button', { name: 'Create account and join' }).click();
    await isAt(guest, new RegExp(`/w/${user.slug}/default/`));
    await guest.goto(link.trim());
    await guest.getByText('SVC-2009').waitFor();
  });

  it('changes a role, and removes a member after confirmation', async () => {
    const user = await app.workspace();
    const dorothy = await signUp(app.base, 'Dorothy Vaughan');
    await addMember(user, dorothy, 'editor');
    const page = await settings(user, 'members');
    await page.getByRole('combobox', { name: 'Role of Dorothy Vaughan' }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await sees(page, `The role of ${dorothy.email} is changed`);
    await page.getByRole('button', { name: 'Remove Dorothy Vaughan' }).click();
    await dialog(page).getByRole('button', { name: 'Remove member' }).click();
    await page.getByRole('row', { name: /Dorothy/ }).waitFor({ state: 'detached' });
    expect((await dorothy.get(`${user.workspace}/projects`)).status).toBe(404);
  });

  it('does not demote the last owner, and shows why', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'members');
    await page.getByRole('combobox', { name: 'Role of katherine' }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await page
      .getByRole('alert')
      .getByText(/SVC-6006/)
      .waitFor();
  });

  it('creates an API token that is shown once and works until it is revoked', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByLabel('Name', { exact: true }).fill('probe');
    await dialog(page).getByRole('checkbox', { name: 'telemetry:query' }).check();
    await dialog(page).getByRole('button', { name: 'Create token' }).click();
    const token = ((await dialog(page).getByRole('region', { name: 'token' }).textContent()) ?? '').trim();
    await dialog(page).getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /probe/ }).getByText(token.slice(0, 12)).waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    await expect(page.content()).resolves.not.toContain(token);
    const probe = () =>
      testClient(app.base, { bearer: token }).post(`${user.workspace}/query`, { query: 'spans | limit 1' });
    expect((await probe()).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke probe' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('No API tokens yet').waitFor();
    expect((await probe()).status).toBe(401);
  });

  it('creates an SDK key for an environment', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'sdk-keys');
    await page.getByRole('button', { name: 'Create SDK key' }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByLabel('Name', { exact: true }).fill('checkout');
    await dialog(page).getByRole('button', { name: 'Create SDK key' }).click();
    const key = ((await dialog(page).getByRole('region', { name: 'key' }).textContent()) ?? '').trim();
    await dialog(page).getByRole('button', { name: 'I have copied it' }).click();
    const answer = await testClient(app.base, { bearer: key }).post('/api/v1/sdk/flags/evaluate', {
      context: { targetingKey: 'a' },
    });
    expect(answer.status).toBe(200);
  });

  it("creates an SDK key that encrypts features for GrowthBook's SDKs", async () => {
    const user = await app.workspace();
    const page = await settings(user, 'sdk-keys');
    await page.getByRole('button', { name: 'Create SDK key' }).click();
    await takesFocus(dialog(page));
    const encrypt = dialog(page).getByLabel('Encrypt features for GrowthBook’s SDKs');
    await encrypt.check();
    await dialog(page).getByRole('combobox', { name: 'Used by' }).click();
    await page.getByRole('option', { name: 'Browsers and apps' }).click();
    await encrypt.waitFor({ state: 'detached' });
    await dialog(page).getByRole('combobox', { name: 'Used by' }).click();
    await page.getByRole('option', { name: 'Servers' }).click();
    await dialog(page).getByRole('button', { name: 'Create SDK key' }).click();
    const shown = async (name: string) =>
      ((await dialog(page).getByRole('region', { name }).textContent()) ?? '').trim();
    const key = await shown('SDK key');
    expect(await shown('decryption key')).toMatch(/^[\w+/]{22}==$/);
    await dialog(page).getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('cell', { name: 'server, encrypted' }).waitFor();
    const { encryptedFeatures } = await (await fetch(`${app.base}/growthbook/api/features/${key}`)).json();
    expect(encryptedFeatures).toContain('.');
  });

  it('creates an environment, and deletes it only after its name is typed', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'environments');
    await page.getByRole('button', { name: 'Create environment' }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByLabel('Name', { exact: true }).fill('Staging EU');
    await dialog(page).getByRole('button', { name: 'Create environment' }).click();
    await page
      .getByRole('row', { name: /Staging EU/ })
      .getByText('staging-eu')
      .waitFor();
    await page.getByRole('button', { name: 'Delete Staging EU' }).click();
    await takesFocus(dialog(page));
    const remove = dialog(page).getByRole('button', { name: 'Delete environment' });
    await isDisabled(remove);
    await dialog(page).getByRole('textbox').fill('Staging EU');
    await remove.click();
    await page.getByRole('row', { name: /Staging EU/ }).waitFor({ state: 'detached' });
  });

  it('creates and renames a project, sets its retention, and switches to it', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'projects');
    await page.getByRole('button', { name: 'Create project' }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByLabel('Name', { exact: true }).fill('Mobile');
    await dialog(page).getByRole('button', { name: 'Create project' }).click();
    await page.getByRole('button', { name: 'Edit Mobile' }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByLabel('Name', { exact: true }).fill('Mobile app');
    await dialog(page).getByRole('combobox', { name: 'logs' }).click();
    await page.getByRole('option', { name: '7 days', exact: true }).click();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Mobile app .*logs: 7 days · traces, metrics, profiles: 30 days/ }).waitFor();
    await page.getByRole('button', { name: /Switch project/ }).click();
    await page.getByRole('menuitem', { name: 'Mobile app' }).click();
    await isAt(page, new RegExp(`/w/${user.slug}/mobile/`));
  });

  it('deletes a project and shows how far the deletion of its telemetry is', async () => {
    const user = await app.workspace();
    expect((await user.post(`${user.workspace}/projects`, { key: 'mobile', name: 'Mobile' })).status).toBe(201);
    const page = await settings(user, 'projects');
    await page.getByRole('button', { name: 'Delete Mobile' }).click();
    await dialog(page).getByRole('textbox').fill('Mobile');
    await dialog(page).getByRole('button', { name: 'Delete project' }).click();
    const removals = page.getByRole('region', { name: 'Telemetry being deleted' });
    await removals.getByRole('row', { name: /Mobile \(project\) Removed from \d+ of \d+ tables/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('erases the telemetry of a person from a project, once the value was written twice', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'projects');
    await page.getByRole('button', { name: 'Erase a person’s telemetry' }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByLabel('Value', { exact: false }).first().fill('8f3a');
    await dialog(page).getByLabel('Value again').fill('8f3');
    await dialog(page).getByRole('button', { name: 'Erase telemetry' }).click();
    await dialog(page).getByText('This is not the same value.').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect((await user.get(`${user.workspace}/removals`)).data).toEqual([]);
    await dialog(page).getByLabel('Value again').fill('8f3a');
    await dialog(page).getByRole('button', { name: 'Erase telemetry' }).click();
    const removals = page.getByRole('region', { name: 'Telemetry being deleted' });
    await removals.getByRole('row', { name: /user\.id \(attribute\)/ }).waitFor();
  });

  it('creates a custom role', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'roles');
    await page.getByRole('button', { name: 'Create role' }).click();
    await takesFocus(dialog(page));
    await dialog(page).getByLabel('Name', { exact: true }).fill('On call');
    await dialog(page).getByRole('checkbox', { name: 'telemetry:query' }).check();
    await dialog(page).getByRole('button', { name: 'Create role' }).click();
    await page.getByRole('row', { name: /On call/ }).waitFor();
  });

  it('shows all changes in the audit log with the values before and after', async () => {
    const user = await app.workspace();
    const role = { name: 'On call', permissions: ['telemetry:query'] };
    expect((await user.post(`${user.workspace}/roles`, role)).status).toBe(201);
    expect((await user.post(`${user.workspace}/projects`, { key: 'mobile', name: 'Mobile' })).status).toBe(201);
    const page = await settings(user, 'audit');
    await page.getByRole('row', { name: /roles.create/ }).click();
    await page.getByRole('complementary', { name: 'Change' }).getByText('telemetry:query').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Action', { exact: true }).fill('projects.create');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /roles.create/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /projects.create/ }).waitFor();
  });

  it('renames the account', async () => {
    const page = await settings(await signUp(app.base, 'mary'), 'profile');
    await page.getByLabel('Name', { exact: true }).fill('Mary Jackson');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Account of Mary Jackson' }).waitFor();
  });

  it('changes the password, given the current one', async () => {
    const mary = await signUp(app.base, 'mary');
    const page = await settings(mary, 'profile');
    const password = 'another-Horse-battery-9';
    await page.getByLabel('Current password').fill('wrong-password');
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').getByText('SVC-2006').waitFor();
    await page.getByLabel('Current password').fill(testPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await sees(page, /Your password was changed/);
    const signIn = (given: string) =>
      testClient(app.base).post('/api/v1/auth/login', { email: mary.email, password: given });
    expect((await signIn(testPassword)).status).toBe(401);
    expect((await signIn(password)).status).toBe(200);
  });

  it('renames the workspace', async () => {
    const user = await app.workspace();
    const page = await settings(user, 'workspace');
    await page.getByLabel('Name', { exact: true }).fill('Orbits');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /Switch project: .*Orbits/ }).waitFor();
  });
});
