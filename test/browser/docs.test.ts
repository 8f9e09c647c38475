import { expect, it } from 'vitest';
import { seriousViolations } from './support/accessibility.ts';
import { pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';

describeInBrowser('the documentation', () => {
  const app = useApp('tove');

  it('is opened from the menu of the account, in a tab beside the application', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/explore') });
    await page.getByRole('button', { name: /Account of/ }).click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('menuitem', { name: 'Documentation' }).click();
    const docs = await opened;
    await docs.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    expect(new URL(docs.url()).pathname).toBe('/docs/');
    await docs.close();
  });

  it('needs no sign-in, and its contents lead from page to page', async () => {
    const page = await app.open({ path: '/docs' });
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await screenshot(page, 'docs');
    const contents = page.getByRole('navigation', { name: 'Documentation' });
    await contents.getByRole('link', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Install' }).waitFor();
    expect(await contents.locator('[aria-current="page"]').textContent()).toBe('Install');
    await page.getByRole('complementary', { name: 'On this page' }).getByRole('link', { name: 'Kubernetes' }).click();
    await page.getByRole('heading', { name: 'Kubernetes' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#kubernetes');
    expect(await seriousViolations(page)).toEqual([]);
    await screenshot(page, 'docs-install');
  });

  it('finds a setting by its name, and the keyboard opens it', async () => {
    const page = await app.open({ path: '/docs/guides/alerts.html' });
    await page.keyboard.press('/');
    await page.keyboard.type('FANION_DRAIN_SECONDS');
    await page.getByRole('link', { name: /Configuration: .*FANION_DRAIN_SECONDS/ }).waitFor();
    await screenshot(page, 'docs-search');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('FANION_DRAIN_SECONDS').first().waitFor();
    expect(new URL(page.url()).pathname).not.toBe('/docs/guides/alerts.html');
  });

  it('says so if the search finds nothing', async () => {
    const page = await app.open({ path: '/docs/', colourScheme: 'dark' });
    await page.getByRole('searchbox', { name: 'Search the documentation' }).fill('zyzzyva');
    await page.getByText('Nothing found for "zyzzyva".').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await screenshot(page, 'docs-dark');
  });

  it('returns 404 for a page that does not exist', async () => {
    const answer = await fetch(`${app.base}/docs/guides/nothing.html`);
    expect(answer.status).toBe(404);
  });
});
