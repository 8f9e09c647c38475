import type { Page, Request } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { flagsOf } from '../flags/support.ts';
import { hasFocus, pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendShop } from './support/telemetry.ts';

/** Holds the requests for a path, or those that ask for a text, until the returned function is called. */
async function hold(page: Page, path: RegExp, text = ''): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(path, async (route) => {
    if (asks(route.request(), text)) await held;
    await route.continue();
  });
  return release;
}

const asks = (request: Request, text: string) => `${request.url()} ${request.postData() ?? ''}`.includes(text);

/** Adds up the unexpected shifts of the layout since the page was opened; the returned function reads the sum. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  const sum = await page.evaluateHandle(() => {
    const seen = { sum: 0 };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) seen.sum += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    return seen;
  });
  return () => sum.evaluate((seen) => seen.sum);
}

/** Beyond this, people notice that a page moves: https://web.dev/articles/cls calls 0.1 good. */
const MOST_SHIFT = 0.05;

describeInBrowser('while a page is loading', () => {
  const app = useApp('annie');

  beforeAll(async () => {
    await sendShop(app.owner);
    await flagsOf(app.owner).create('new-checkout');
    await flagsOf(app.owner).serve('new-checkout', { fallthrough: { variant: 'false' } });
  });

  it.each([
    ['services', '/services', 'services-page', 'p99=p99(duration) by service.name', 'payments'],
    ['a service', '/services/payments', 'service-page', 'p99=p99(duration) by name', 'POST /charge'],
    ['logs', '/logs', 'logs-page', '| sort -time | limit 200', /card declined for order/],
    ['metrics', '/metrics', 'metrics-page', 'metrics | fields name', 'No metrics in this window'],
    ['profiles', '/profiles', 'profiles-page', 'field=profile_type', 'No profiles in this window'],
    ['Explore', '/explore?q=spans', 'explore-page', '"query":"spans"', 'POST /charge'],
    ['a flag', '/flags/new-checkout', 'flag-page', 'by variant, bucket(30m)', 'Everybody else'],
  ])('%s: the data is asked for before the code of the page has arrived', async (_name, path, code, data, ready) => {
    const page = await app.open({ as: app.owner });
    const release = await hold(page, new RegExp(`/assets/${code}-.*\\.js$`));
    const asked = page.waitForRequest((request) => asks(request, data));
    await page.goto(pathOf(app.owner, path), { waitUntil: 'commit' });
    await asked;
    release();
    await page.getByText(ready).first().waitFor();
  });

  it('the code of the page, its projects and its services are asked for beside the session', async () => {
    const page = await app.open({ as: app.owner });
    const release = await hold(page, /\/api\/v1\/auth\/me$/);
    const asked = ['/assets/logs-page-', '/projects?', '/environments?', '/services?'].map((path) =>
      page.waitForRequest((request) => asks(request, path)),
    );
    await page.goto(pathOf(app.owner, '/logs'), { waitUntil: 'commit' });
    await Promise.all(asked);
    release();
    await page
      .getByText(/card declined for order/)
      .first()
      .waitFor();
  });

  it.each([
    ['logs', '/logs', /card declined for order/, 'Words in the body, or a condition in OQL'],
    ['traces', '/traces', 'POST /checkout', 'Condition on spans in OQL'],
    ['Explore', '/explore?q=spans', 'POST /charge', 'OQL query'],
  ])('%s: what is typed before the editor of queries has arrived stays', async (_name, path, ready, label) => {
    const page = await app.open({ as: app.owner });
    const release = await hold(page, /\/assets\/queries-.*\.js$/);
    await page.goto(pathOf(app.owner, path));
    await page.getByText(ready).first().waitFor();
    await page.keyboard.press('/');
    const field = page.getByRole('textbox', { name: label });
    await hasFocus(field);
    await page.keyboard.press('End');
    await page.keyboard.type(' duration');
    release();
    await page.locator('[data-focus-search] .cm-content').waitFor();
    await hasFocus(field);
    await page.keyboard.type(' > 1ms');
    await field.filter({ hasText: / duration > 1ms$/ }).waitFor();
  });

  it('completes what was typed before the editor of queries has arrived', async () => {
    const page = await app.open({ as: app.owner });
    const release = await hold(page, /\/assets\/queries-.*\.js$/);
    await page.goto(pathOf(app.owner, '/explore'));
    await page.getByRole('textbox', { name: 'OQL query' }).click();
    await page.keyboard.type('spans | where durat');
    release();
    await page.getByRole('option', { name: 'duration' }).first().waitFor();
  });

  it('the editor of queries has the focus of the plain field as soon as that is gone', async () => {
    const page = await app.open({ as: app.owner });
    const release = await hold(page, /\/assets\/queries-.*\.js$/);
    await page.goto(pathOf(app.owner, '/explore'));
    await page.getByRole('textbox', { name: 'OQL query' }).click();
    // A key that is pressed at this moment would be lost.
    const watch = await page.evaluateHandle(() => ({
      focused: new Promise((resolve) => {
        const plain = document.activeElement;
        new MutationObserver(() => {
          if (plain?.isConnected === false) resolve(document.activeElement?.className);
        }).observe(document.body, { childList: true, subtree: true });
      }),
    }));
    release();
    expect(await watch.evaluate(({ focused }) => focused)).toMatch(/cm-content/);
  });

  it('the palette gives the focus back to an editor that arrived while it was open', async () => {
    const page = await app.open({ as: app.owner });
    const release = await hold(page, /\/assets\/queries-.*\.js$/);
    await page.goto(pathOf(app.owner, '/explore'));
    await page.getByRole('textbox', { name: 'OQL query' }).click();
    await page.keyboard.press('Control+k');
    await hasFocus(page.getByRole('combobox', { name: 'Go to a page, flag or service' }));
    release();
    const editor = page.locator('.cm-content');
    await editor.waitFor();
    await page.keyboard.press('Escape');
    await hasFocus(editor);
  });

  it.each([
    ['services', '/services', 'by service.name, bucket(', 'Requests by service', 'payments'],
    ['a service', '/services/payments', 'p99=p99(duration) by name', 'Requests of payments', 'POST /charge'],
  ])('%s do not move when an answer arrives late, or under the pointer', async (_name, path, late, chart, ready) => {
    const page = await app.open({ as: app.owner });
    const release = await hold(page, /\/query$/, late);
    const asked = page.waitForRequest((request) => asks(request, late));
    await page.goto(pathOf(app.owner, path));
    await asked;
    const shifts = await watchShifts(page);
    await page.getByRole('heading', { name: 'Requests' }).waitFor();
    release();
    await page.getByText(ready).first().waitFor();
    const figure = page.getByRole('figure', { name: chart });
    const box = await figure.boundingBox();
    for (const share of [0.3, 0.5, 0.7, 0.9])
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * share, (box?.y ?? 0) + 60);
    expect(await shifts()).toBeLessThan(MOST_SHIFT);
  });
});
