import { expect, it } from 'vitest';
import { seriousViolations } from './support/accessibility.ts';
import { pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('channels', () => {
  const app = useApp('annie');

  it('creates a channel, tests it, and shows the answer and its health', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/channels') });
    await sees(page, 'No channels yet');
    await page.getByRole('button', { name: 'Create channel' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('On call');
    await dialog.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'E-mail' }).click();
    await dialog.getByLabel('Addresses').fill('ada@example.com');
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create channel' }).click();
    await page.getByRole('row', { name: /On call E-mail ada@example.com Nothing sent yet/ }).waitFor();
    await page.getByRole('button', { name: 'Test On call' }).click();
    await sees(page, 'ada@example.com accepted the test notification');
    // The test server has no mail server.
    await sees(page, /written to a file: FANION_SMTP_URL is not set/);
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /On call .* Healthy since/ }).waitFor();
  });

  it('never shows a secret again, and keeps it when it is left empty', async () => {
    const user = await app.workspace();
    const path = `${user.workspace}/channels`;
    const config = { url: 'https://hooks.example.com/very-secret', secret: 'top-secret' };
    await user.post(path, { name: 'Hook', kind: 'webhook', config });
    const page = await app.open({ as: user, path: pathOf(user, '/channels') });
    await page.getByRole('button', { name: 'Edit Hook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Our hook');
    await dialog.getByPlaceholder('Leave empty to keep the current one').first().waitFor();
    await dialog.getByRole('button', { name: 'Save channel' }).click();
    await page.getByRole('row', { name: /Our hook Webhook hooks.example.com/ }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toMatch(/secret"|very-secret/);
    expect((await user.get(path)).data).toMatchObject([{ name: 'Our hook', secrets: ['url', 'secret'] }]);
  });

  it('says why a channel cannot be reached, and why it cannot be deleted', async () => {
    const user = await app.workspace();
    const path = `${user.workspace}/channels`;
    const mail = { kind: 'email', config: { to: ['ada@example.com'] } };
    const { data } = await user.post(path, { name: 'Backup', ...mail });
    await user.post(path, { name: 'Main', ...mail, fallback: data.id });
    const page = await app.open({ as: user, path: pathOf(user, '/channels') });
    await page.getByRole('button', { name: 'Delete Backup' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click();
    await page
      .getByRole('alert')
      .getByText(/used by Main as a fallback/)
      .waitFor();
    await page.getByRole('button', { name: 'Create channel' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create channel' });
    await dialog.getByLabel('Name').fill('Inside');
    await dialog.getByLabel('Address').fill('http://169.254.169.254/latest');
    await dialog.getByRole('button', { name: 'Create channel' }).click();
    await dialog.getByText(/not allowed: a link-local address/).waitFor();
  });
});
