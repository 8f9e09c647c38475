import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page, Request, Response } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { showColors, violationsInBothSchemes, violationsOfSizes } from './support/accessibility.ts';
import { pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { PAGES, seedEveryPage, type VisitedPage } from './support/every-page.ts';
import { screenshot } from './support/screenshot.ts';
import { tabStops } from './support/tab-stops.ts';

const built = fileURLToPath(new URL('../../packages/web/dist/app', import.meta.url));
/** The scripts of the entry page, compressed as sent. */
const ENTRY_LIMIT = 250_000;
/** Scripts, styles and fonts of a page. */
const ASSETS_LIMIT = 16;
const LARGE = { width: 1440, height: 900 };
/** Every style and element is that of `LARGE` from here on; only sizes differ. */
const LAPTOP = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };
type Screen = typeof LARGE;
const nameOf = ({ width, height }: Screen) => `${width} × ${height}`;
/** Of a page without a form; `PAGES` names those with more. */
const STOPS_LIMIT = 12;
/** All requests of a page; what it asks for again counts once. */
const REQUESTS_LIMIT = 30;

describe('the built web application', () => {
  it('loads at most 250 kB of script before the first page', () => {
    const html = readFileSync(`${built}/index.html`, 'utf8');
    const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
    expect(scripts.length).toBeGreaterThan(0);
    const bytes = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(built + path)).length, 0);
    expect(bytes).toBeLessThan(ENTRY_LIMIT);
  });

  it('puts a nonce on every script and style of its page, and loads nothing from other origins', () => {
    const html = readFileSync(`${built}/index.html`, 'utf8');
    for (const [tag] of html.matchAll(/<(?:script|style|link rel="(?:stylesheet|modulepreload)")[^>]*>/g)) {
      expect(tag).toContain('nonce="__CSP_NONCE__"');
    }
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });
});

describeInBrowser('every page', () => {
  const app = useApp('margaret');
  let ids: Readonly<Record<string, string>>;

  // The tests only look at these things.
  beforeAll(async () => {
    ids = await seedEveryPage(app.owner);
  });

  const addressOf = ({ path, signedOut }: VisitedPage) =>
    signedOut
      ? path
      : pathOf(
          app.owner,
          path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name),
        );

  /** Expects that axe finds nothing and that there is one scroll bar on any screen, in light and dark colors. */
  async function looksRight(page: Page, name: string, isFramed: boolean) {
    for (const screen of [LARGE, PHONE]) {
      await show(page, screen, isFramed);
      await screenshot(page, `${name}-light-${screen.width}`);
      expect(await violationsInBothSchemes(page), nameOf(screen)).toEqual([]);
      await screenshot(page, `${name}-dark-${screen.width}`);
      await showColors(page, 'light');
    }
    await show(page, LAPTOP, isFramed);
    await screenshot(page, `${name}-light-${LAPTOP.width}`);
    expect(await violationsOfSizes(page), nameOf(LAPTOP)).toEqual([]);
  }

  async function show(page: Page, screen: Screen, isFramed: boolean) {
    await page.setViewportSize(screen);
    await page.getByRole('main').waitFor();
    if (!isFramed) return;
    // Pages scroll within their frame: a document that scrolls too would have a second scroll bar.
    const longer = () => page.evaluate('document.documentElement.scrollHeight - innerHeight');
    await expect.poll(longer, { message: nameOf(screen) }).toBeLessThanOrEqual(0);
  }

  it('includes every page that the navigation and the settings list', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/settings/members') });
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').first().waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link').first().waitFor();
    const links = await page.getByRole('navigation').getByRole('link').all();
    const listed = await Promise.all(links.map((link) => link.getAttribute('href')));
    const visited = new Set(Object.values(PAGES).map((entry) => addressOf(entry).split('?')[0]));
    // Settings redirect to their first tab.
    visited.add(pathOf(app.owner, '/settings'));
    expect(listed.length).toBeGreaterThan(20);
    expect(listed.filter((href) => !visited.has(href?.split('?')[0]))).toEqual([]);
  });

  it.each(Object.entries(PAGES))(
    '%s: few files, no failed request, and few tab stops, and axe finds nothing on any screen',
    async (name, entry) => {
      const page = await app.open({ ...(!entry.signedOut && { as: app.owner }) });
      const assets = new Set<string>();
      const requests = new Set<string>();
      const collect = (request: Request) => {
        if (new URL(request.url()).pathname.startsWith('/assets/')) assets.add(request.url());
        requests.add(`${request.url()} ${request.postData() ?? ''}`);
      };
      page.on('request', collect);
      const failed: string[] = [];
      const note = (response: Response) => {
        if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
      };
      page.on('response', note);
      await page.goto(addressOf(entry));
      await page.getByText(entry.ready).first().waitFor();
      page.off('request', collect);
      page.off('response', note);
      // A visitor who is not signed in gets a 401 for the session.
      if (!entry.signedOut) expect(failed).toEqual([]);
      expect(assets.size).toBeLessThanOrEqual(ASSETS_LIMIT);
      expect(requests.size).toBeLessThanOrEqual(REQUESTS_LIMIT);
      await looksRight(page, name, entry.signedOut !== true);
      await page.setViewportSize(LARGE);
      // Each chart with marks has a stop for them, and how many have some depends on what has happened by then.
      const stops = (await tabStops(page)).filter((stop) => !/: \d+ (events|changes)\b/.test(stop));
      expect(stops.length, stops.join('\n')).toBeLessThanOrEqual(entry.stops ?? STOPS_LIMIT);
    },
  );

  it('changes all of its colors at once for those who ask for less motion', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/services') });
    await page.getByText('payments').first().waitFor();
    // Looks at the moment of the change: later all transitions would have ended.
    await page.evaluate(`void (window.seen = new Promise((resolve) => {
      new MutationObserver(() => resolve({
        moving: document.getAnimations().length,
        colors: [document.body, document.querySelector('table')].map((one) => getComputedStyle(one).color),
      })).observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    }))`);
    await page.emulateMedia({ colorScheme: 'dark' });
    const text = 'rgb(227, 231, 237)';
    expect(await page.evaluate('window.seen')).toEqual({ moving: 0, colors: [text, text] });
  });
});
