import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { flagsOf } from '../flags/support.ts';
import { seriousInBothSchemes } from './support/accessibility.ts';
import { hasCount, hasFocus, isAt, pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';
import { tabStops } from './support/tab-stops.ts';

describeInBrowser('the navigation', () => {
  const app = useApp('nora');
  const section = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('list', { name });

  it.each([
    ['/flags', 'Flags'],
    ['/alerts', 'Alerts'],
    ['/settings/members', 'Settings'],
    ['/segments', 'Segments'],
    ['/dashboards', 'Dashboards'],
  ])('%s has at most 12 tab stops, of which the navigation takes 5', async (path, heading) => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    for (const key of ['one', 'two']) await flags.create(key);
    const page = await app.open({ as: user, path: pathOf(user, path) });
    await page.getByRole('heading', { name: heading, exact: true, level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const stops = await tabStops(page);
    expect(stops[0]).toBe('page: Skip to content');
    // The project, the search, the pages and the account.
    expect(
      stops.slice(1, 5).every((stop) => stop.startsWith('nav')),
      stops.join('\n'),
    ).toBe(true);
    expect(stops[5]).not.toMatch(/^nav: .*(Search|Account)/);
    expect(stops.length, stops.join('\n')).toBeLessThanOrEqual(12);
  });

  it('moves between pages with the arrow keys, and skips to the content', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/flags') });
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await link('Flags').focus();
    await page.keyboard.press('ArrowDown');
    await hasFocus(link('Services'));
    await page.keyboard.press('End');
    await hasFocus(link('Settings'));
    await page.keyboard.press('ArrowDown');
    await hasFocus(link('Home'));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await isAt(page, /\/settings\//);
    await page.reload();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await hasFocus(page.getByRole('main'));
  });

  it('moves between the controls of a header and of a table with the arrow keys', async () => {
    const user = await app.workspace();
    for (const name of ['Checkout', 'Search']) {
      const answer = await user.post(`${user.workspace}/dashboards`, { name, project: 'default', panels: [] });
      expect(answer.status, answer.text).toBe(201);
    }
    const page = await app.open({ as: user, path: pathOf(user, '/dashboards') });
    const rows = page.getByRole('table', { name: 'Dashboards', exact: true }).getByRole('row');
    await hasCount(rows, 3);
    await page.getByRole('button', { name: 'Import' }).focus();
    await page.keyboard.press('ArrowRight');
    await hasFocus(page.getByRole('button', { name: 'Create dashboard' }));
    await rows.nth(1).getByRole('link').focus();
    await page.keyboard.press('ArrowDown');
    await hasFocus(rows.nth(2).getByRole('link'));
    await page.keyboard.press('ArrowRight');
    await hasFocus(rows.nth(2).getByRole('button'));
    await page.keyboard.press('ArrowUp');
    await hasFocus(rows.nth(1).getByRole('button'));
  });

  it('pins and unpins pages by keyboard, and keeps them for this account', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/flags') });
    const pinned = section(page, 'Pinned').getByRole('link');
    await expect.poll(() => pinned.allInnerTexts()).toEqual(['Home', 'Logs', 'Alerts', 'Flags']);
    await page.getByRole('link', { name: 'Traces', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await hasFocus(page.getByRole('button', { name: 'Pin Traces' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => pinned.allInnerTexts()).toEqual(['Home', 'Logs', 'Alerts', 'Flags', 'Traces']);
    await section(page, 'Pinned').getByText('Logs').hover();
    await page.getByRole('button', { name: 'Unpin Logs' }).click();
    await page.reload();
    await expect.poll(() => pinned.allInnerTexts()).toEqual(['Home', 'Alerts', 'Flags', 'Traces']);
    await section(page, 'Observe').getByRole('link', { name: 'Logs' }).waitFor();
    expect(await seriousInBothSchemes(page)).toEqual([]);
    await screenshot(page, 'navigation-dark');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'More' }).waitFor();
    const bar = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    expect(await bar.allInnerTexts()).toEqual(['Home', 'Alerts', 'Flags', 'Traces']);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog', { name: 'All pages' }).getByRole('button', { name: 'Unpin Traces' }).waitFor();
    await screenshot(page, 'navigation-phone');
    expect(await seriousInBothSchemes(page)).toEqual([]);
  });

  it('lists what is set up once in one section', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/flags') });
    await expect
      .poll(() => section(page, 'Set up').getByRole('link').allInnerTexts())
      .toEqual(['First steps', 'Channels', 'Routing', 'Recording rules', 'Usage', 'Operations', 'Settings']);
    await hasCount(section(page, 'Alerting').getByRole('link', { name: 'Channels' }), 0);
  });
});
