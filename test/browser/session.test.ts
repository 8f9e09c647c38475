import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp, testPassword } from '../../packages/server/src/testing/test-client.ts';
import { type App, isAt, pathOf, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('sessions, URLs and the keyboard', () => {
  let app: App;
  let user: SignedUp;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'annie');
  }, 90_000);
  afterAll(() => app?.stop());

  it('redirects to sign-in and back without a session, and reveals nothing about a wrong password', async () => {
    const { page, faults } = await app.open({ path: pathOf(user, '/flags?q=x') });
    await isAt(page, /\/sign-in\?next=/);
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill('not-the-password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('SVC-2002').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isAt(page, /\/flags\?q=x$/);

    await page.getByRole('button', { name: /Account of annie/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await isAt(page, /\/sign-in$/);
    expect(faults).toEqual([]);
  });

  it('redirects to sign-in and back when a session ends while a page is open', async () => {
    const mary = await signUp(app.base, 'mary');
    const { page, context } = await app.open({ as: mary, path: '/' });
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await context.clearCookies();
    await page.getByRole('link', { name: 'Settings' }).click();
    await isAt(page, /\/sign-in\?next=.*expired=1/);
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('E-mail').fill(mary.email);
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isAt(page, /\/settings\/members/);
  });

  it('never redirects to another origin after sign-in', async () => {
    const { page } = await app.open({ path: `/sign-in?next=${encodeURIComponent('//evil.example/')}` });
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isAt(page, /\/w\/annie\//);
    expect(new URL(page.url()).origin).toBe(app.base);
  });

  it.each(['/nowhere', '/w/annie/default/nowhere', '/w/somebody-else/default/flags', '/w/annie/no-such-project/flags'])(
    '%s is not found',
    async (path) => {
      const { page } = await app.open({ as: user, path });
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
    },
  );

  it.each([
    ['/flags?q=a', /\/w\/annie\/default\/flags\?q=a$/],
    ['/settings/tokens', /\/w\/annie\/default\/settings\/tokens$/],
    ['/w/annie', /\/w\/annie\/default\/first-steps$/],
  ])('%s is completed to an address that names the workspace', async (path, full) => {
    const { page } = await app.open({ as: user, path });
    await isAt(page, full);
  });

  it('navigates with the palette by keyboard alone', async () => {
    await user.post(`${user.project}/flags`, { key: 'dark-mode', name: 'Dark mode', kind: 'boolean' });
    const { page, faults } = await app.open({ as: user, path: pathOf(user, '/services') });
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /dark-mode/ }).waitFor();
    await page.keyboard.type('dark-mode');
    await page.keyboard.press('Enter');
    await isAt(page, /\/flags\/dark-mode$/);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page, flag or service' }).waitFor();
    await page.keyboard.type('audit');
    await page.keyboard.press('Enter');
    await isAt(page, /\/settings\/audit$/);
    expect(faults).toEqual([]);
  });

  it('opens help on `?`, focuses the search field on `/`, and switches colors', async () => {
    const { page } = await app.open({ as: user, path: pathOf(user, '/flags') });
    await page.getByRole('table', { name: 'Flags' }).waitFor();
    await page.keyboard.press('/');
    expect(await page.getByLabel('Search flags').evaluate((field) => field === document.activeElement)).toBe(true);
    await page.locator('h1').click();
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Dark colors' }).click();
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
    expect(await scheme()).toBe('dark');
    await page.reload();
    expect(await scheme()).toBe('dark');
  });
});
