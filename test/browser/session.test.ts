import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { type SignedUp, signUp, testPassword } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { hasCount, hasFocus, isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';

describeInBrowser('sessions, URLs and the keyboard', () => {
  const app = useApp('annie');

  async function signIn(page: Page, email: string, password: string): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  it('redirects to sign-in and back without a session, and signs out', async () => {
    const user = app.owner;
    const page = await app.open({ path: pathOf(user, '/flags?q=x') });
    await isAt(page, /\/sign-in\?next=/);
    await signIn(page, user.email, testPassword);
    await isAt(page, /\/flags\?q=x$/);
    await page.getByRole('button', { name: /Account of annie/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await isAt(page, /\/sign-in$/);
    await page.goto(pathOf(user, '/flags'));
    await isAt(page, /\/sign-in\?next=/);
  });

  it('reveals nothing about a wrong password, and accepts the right one after it', async () => {
    const page = await app.open({ path: '/sign-in' });
    await signIn(page, app.owner.email, 'not-the-password');
    await page.getByRole('alert').getByText('SVC-2002').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isAt(page, /\/w\//);
  });

  it('shows why a sign-in with a provider failed', async () => {
    const page = await app.open({ path: '/sign-in?error=SVC-2008&provider=acme&reason=account_exists' });
    const alert = page.getByRole('alert');
    await alert.getByText(/Sign in with its password first/).waitFor();
    await sees(page, 'SVC-2008');
  });

  /** A page with a draft whose session has ended, and what the server said to the attempt to save it. */
  async function openEnded(user: SignedUp): Promise<Page> {
    const page = await app.open({ as: user, path: pathOf(user, '/segments/new') });
    await page.getByLabel('Name').fill('Beta testers');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create segment' }).click();
    await ended(page).waitFor();
    return page;
  }
  const ended = (page: Page) => page.getByRole('dialog', { name: 'Your session ended' });

  async function signInAgain(page: Page, email?: string): Promise<void> {
    const dialog = ended(page);
    if (email !== undefined) await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByLabel('Password', { exact: true }).fill(testPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
  }

  it('keeps a draft when the session ends, and saves it only when asked again', async () => {
    const user = await app.workspace();
    const page = await openEnded(user);
    // Neither Escape nor a click outside gets past it, and nothing on the page speaks to API clients.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await ended(page).waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/Authorization|Bearer|token/i);
    expect(await seriousViolations(page)).toEqual([]);
    await screenshot(page, 'session-ended');
    await signInAgain(page);
    await hasCount(ended(page), 0);
    expect(await page.getByLabel('Name').inputValue()).toBe('Beta testers');
    await isAt(page, /\/segments\/new/);
    await page.getByRole('button', { name: 'Create segment' }).click();
    await isAt(page, /\/segments\/beta-testers/);
  });

  it('reads what was refused after another sign-in', async () => {
    const mary = await signUp(app.base, 'mary');
    const page = await app.open({ as: mary, path: pathOf(mary, '/flags') });
    await page.getByRole('heading', { name: 'Flags', exact: true }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Settings' }).click();
    await ended(page).waitFor();
    await signInAgain(page);
    await page.getByRole('table', { name: 'Members' }).getByText(mary.email).waitFor();
  });

  it('shows an error for a wrong password in the dialog of an ended session', async () => {
    const page = await openEnded(await app.workspace());
    await ended(page).getByLabel('Password', { exact: true }).fill('not-the-password');
    await ended(page).getByRole('button', { name: 'Sign in' }).click();
    await ended(page).getByRole('alert').getByText('SVC-2002').waitFor();
  });

  it('loads the page again when another account signs in', async () => {
    const other = await signUp(app.base, 'other');
    const page = await openEnded(await app.workspace());
    await signInAgain(page, other.email);
    // The page is in a workspace of the account before.
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  it('continues when another tab of the browser signs in', async () => {
    const user = await app.workspace();
    const page = await openEnded(user);
    const second = await page.context().newPage();
    onTestFinished(() => second.close());
    await second.goto(`${app.base}/sign-in`);
    await signIn(second, user.email, testPassword);
    await hasCount(ended(page), 0);
    expect(await page.getByLabel('Name').inputValue()).toBe('Beta testers');
  });

  it('never redirects to another origin after sign-in', async () => {
    const page = await app.open({ path: `/sign-in?next=${encodeURIComponent('//evil.example/')}` });
    await signIn(page, app.owner.email, testPassword);
    await isAt(page, new RegExp(`/w/${app.owner.slug}/`));
    expect(new URL(page.url()).origin).toBe(app.base);
  });

  it.each([
    '/nowhere',
    '/w/{slug}/default/nowhere',
    '/w/somebody-else/default/flags',
    '/w/{slug}/no-such-project/flags',
  ])('%s is not found', async (path) => {
    const page = await app.open({ as: app.owner, path: path.replace('{slug}', app.owner.slug) });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  it.each([
    ['/flags?q=a', '/flags?q=a'],
    ['/settings/tokens', '/settings/tokens'],
    ['/w/{slug}', '/first-steps'],
  ])('%s is completed to an address that names the workspace', async (path, full) => {
    // Its only workspace.
    const mary = await signUp(app.base, 'mary');
    const page = await app.open({ as: mary, path: path.replace('{slug}', mary.slug) });
    await page.waitForURL(pathOf(mary, full));
  });

  it('navigates with the palette by keyboard alone', async () => {
    const user = await app.workspace();
    await flagsOf(user).create('dark-mode');
    const page = await app.open({ as: user, path: pathOf(user, '/services') });
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    const goTo = async (typed: string, found: RegExp) => {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Go to a page, flag or service' });
      await hasFocus(field);
      await page.keyboard.type(typed);
      await page.getByRole('option', { name: found, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await hasCount(field, 0);
    };
    await goTo('dark-mode', /dark-mode/);
    await isAt(page, /\/flags\/dark-mode$/);
    await goTo('audit', /Audit/);
    await isAt(page, /\/settings\/audit$/);
  });

  it('opens a pasted trace id and runs a query from the palette', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/flags') });
    const enter = async (typed: string, found: string) => {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Go to a page, flag or service' });
      await hasFocus(field);
      await field.fill(typed);
      await page.getByRole('option', { name: found, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await hasCount(field, 0);
    };
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await page.getByRole('heading', { name: 'Flags', exact: true }).waitFor();
    await enter(`00-${traceId}-00f067aa0ba902b7-01`, `Open trace ${traceId}`);
    await isAt(page, new RegExp(`/traces/${traceId}$`));
    await enter('spans | count', 'Run spans | count');
    await isAt(page, /\/explore\?q=spans/);
  });

  it('says on every page that the server does not answer, and recovers by itself', async () => {
    // The router reports the part of the application that it cannot load.
    const provokes = /preload CSS|dynamically imported module/;
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/flags'), provokes });
    await page.getByRole('heading', { name: 'Flags', exact: true }).waitFor();
    await page.context().setOffline(true);
    onTestFinished(() => page.context().setOffline(false));
    await page.getByRole('link', { name: 'Usage' }).click();
    const bar = page.getByRole('alert').filter({ hasText: 'The server is not responding' });
    await bar.waitFor();
    await bar.getByText(/This page is as of/).waitFor();
    await page.context().setOffline(false);
    await bar.waitFor({ state: 'detached' });
    await page.getByText('By signal').first().waitFor();
  });

  it('focuses the search field on `/`, and opens help on `?`', async () => {
    const user = await app.workspace();
    await flagsOf(user).create('dark-mode');
    const page = await app.open({ as: user, path: pathOf(user, '/flags') });
    await page.getByRole('table', { name: 'Flags' }).waitFor();
    await page.keyboard.press('/');
    await hasFocus(page.getByLabel('Search flags'));
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  it('switches colors, and remembers the choice', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/flags') });
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Dark colors' }).click();
    const isDark = () => page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
    await isDark();
    await page.reload();
    await isDark();
  });
});
