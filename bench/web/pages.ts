import type { BrowserContext, Page } from 'playwright-core';
import { POINTS, SERIES, type Shop } from './shop.ts';

export interface Visit {
  /** Also the name of its picture. */
  readonly name: string;
  readonly path: string;
}

/** A chart of `SERIES` lines with `POINTS` points each. */
export const LINES_QUERY = 'metric bench.load | stats load=avg(value) by shard, bucket(1m)';

/** A page is not waited for longer than this; live pages are never done. */
const SETTLED_WITHIN_MS = 10_000;

/** Paths of every page of the navigation and the settings of a project, such as `/w/demo-shop/default`. */
export async function listedPages(context: BrowserContext, project: string): Promise<string[]> {
  const page = await context.newPage();
  await page.goto(`${project}/settings/members`);
  for (const name of ['Main', 'Settings'])
    await page.getByRole('navigation', { name }).getByRole('link').first().waitFor();
  const links = await page
    .getByRole('navigation')
    .getByRole('link')
    .evaluateAll((found) => found.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
  await page.close();
  // The settings only redirect to their first page.
  return [...new Set(links)].filter((path) => path.startsWith(project) && !path.endsWith('/settings'));
}

/** Every page of the navigation and the settings, and one of each kind behind them. */
export async function visits(shop: Shop): Promise<Visit[]> {
  const context = await shop.context();
  const listed = await listedPages(context, shop.project);
  await context.close();
  const behind = {
    service: '/services/checkout',
    trace: `/traces/${shop.traces.failed}`,
    'trace-large': `/traces/${shop.traces.large}`,
    flag: '/flags/new-checkout',
    'flag-new': '/flags/new',
    dashboard: `/dashboards/${shop.dashboard}`,
    'alert-rule': `/alerts/rules/${shop.rule}`,
    slo: `/slos/${shop.slo}`,
    'log-patterns': '/logs?view=patterns',
    'explore-chart': `/explore?q=${encodeURIComponent('spans | stats n=count(), p99=p99(duration) by service.name, bucket(1m)')}`,
    'explore-lines': `/explore?from=now-24h&q=${encodeURIComponent(LINES_QUERY)}`,
  };
  return [
    ...listed.map((path) => ({ name: nameOf(path.slice(shop.project.length)), path })),
    ...Object.entries(behind).map(([name, path]) => ({ name, path: shop.project + path })),
  ];
}

function nameOf(path: string): string {
  return path.replace(/^\//, '').replaceAll('/', '-') || 'home';
}

/** Resolves when a page has loaded what it shows, or after ten seconds. */
export async function settled(page: Page): Promise<void> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  const left = () => Math.max(1, deadline - Date.now());
  await page.waitForLoadState('networkidle', { timeout: left() }).catch(() => {});
  await page
    .waitForFunction(() => document.querySelector('main [role="status"][aria-label^="Loading"]') === null, undefined, {
      timeout: left(),
    })
    .catch(() => {});
}

export const LINES = `${SERIES} series × ${POINTS} points`;
