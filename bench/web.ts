/**
 * The web application in Chromium on a day of the demo's telemetry, against the limits of its design: largest contentful
 * paint, interaction to next paint, layout shift and requests of every page, the entry bundle, frames while scrolling
 * 10,000 spans and 100,000 log lines, and the cost of hovering over 50 series of 1,000 points. Every page is loaded in a
 * clean profile. Prints Markdown tables; progress goes to stderr. About four minutes.
 *
 *   npm run build && npx tsx bench/web.ts [--history 24h] [--rate 2] [--only service,trace] [--parts pages,inputs,scroll,hover]
 *
 * Starts its own server in a folder that it removes, and stops it. With `--keep DIR`, the data stays there for the next run. With
 * `--explain`, it prints the requests, paints and shifts of each page.
 */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { explain, follow } from './web/explain.ts';
import { hoverCosts, inputDelays, observe, quantile, scrollFrames, vitals } from './web/measures.ts';
import { LINES, LINES_QUERY, settled, type Visit, visits } from './web/pages.ts';
import { type Shop, SPANS, startShop } from './web/shop.ts';

const { values: options } = parseArgs({
  options: {
    history: { type: 'string', default: '24h' },
    rate: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    parts: { type: 'string', default: 'pages,inputs,scroll,hover' },
    keep: { type: 'string' },
    explain: { type: 'boolean', default: false },
  },
});
const parts = new Set(options.parts.split(','));

const LIMITS = {
  paint: 1000,
  input: 100,
  frame: 20,
  hover: 16,
  shift: 0.05,
  requests: 30,
  entry: 250_000,
} as const;
const LOG_LINES = 100_000;
/** Loading so many lines takes a while; a page that cannot is measured with what it has. */
const LINES_WITHIN_MS = 40_000;

const log = (line: string) => console.error(line);
const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

interface PageFigures {
  readonly name: string;
  readonly paint: number;
  readonly shift: number;
  readonly requests: number;
  readonly failed: readonly string[];
}

/** Loads a page in a clean profile, then moves over it. */
async function measurePage(shop: Shop, { name, path }: Visit): Promise<PageFigures> {
  const context = await shop.context();
  const page = await context.newPage();
  let requests = 0;
  const failed: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests++;
  });
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  await page.addInitScript(observe);
  const explained = options.explain ? follow(page) : undefined;
  if (options.explain) await page.addInitScript(explain);
  await page.goto(path);
  await settled(page);
  const loaded = requests;
  // What a pointer opens is no part of loading.
  const { paint } = await vitals(page);
  for (const [x, y] of [
    [500, 250],
    [800, 400],
    [1100, 300],
    [700, 700],
  ] as const)
    await page.mouse.move(x, y, { steps: 3 });
  await page.waitForTimeout(150);
  const { shift } = await vitals(page);
  for (const line of (await explained?.()) ?? []) log(line);
  await context.close();
  return { name, paint, shift, requests: loaded, failed };
}

/** What people do on a page: each step is one interaction or a few. */
const FLOWS: Record<string, (page: Page, shop: Shop) => Promise<number>> = {
  async 'trace of 10,000 spans'(page, shop) {
    await page.goto(`${shop.project}/traces/${shop.traces.large}`);
    await page.getByRole('treeitem').first().waitFor();
    await settled(page);
    for (let at = 0; at < 6; at++) await press(page, 'n');
    await page.getByRole('tree').focus();
    for (const key of ['Home', 'ArrowLeft', 'ArrowRight', 'End', 'PageUp', 'ArrowDown']) await press(page, key);
    return 12;
  },
  async logs(page, shop) {
    await page.goto(`${shop.project}/logs`);
    const rows = page.getByRole('table', { name: 'Log lines' }).getByRole('row');
    await rows.nth(3).waitFor();
    await settled(page);
    for (const at of [2, 5, 8]) {
      await rows.nth(at).click();
      await page.waitForTimeout(300);
      await press(page, 'Escape');
      await page.waitForTimeout(300);
    }
    return 6;
  },
  async 'command palette'(page, shop) {
    await page.goto(`${shop.project}/services`);
    await page.getByRole('table', { name: 'Services' }).waitFor();
    await settled(page);
    await press(page, 'Control+k');
    for (const key of 'metri') await press(page, key);
    await press(page, 'Enter');
    return 7;
  },
  async navigation(page, shop) {
    await page.goto(`${shop.project}/services`);
    await page.getByRole('table', { name: 'Services' }).waitFor();
    await settled(page);
    const links = ['Traces', 'Logs', 'Metrics', 'Service map', 'Dashboards', 'Alerts', 'SLOs', 'Flags', 'Explore'];
    for (const name of links) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.waitForTimeout(300);
    }
    return links.length;
  },
  async 'service page'(page, shop) {
    await page.goto(`${shop.project}/services/checkout?from=now-24h`);
    await page.getByRole('table', { name: 'Operations' }).waitFor();
    await settled(page);
    await page.getByRole('columnheader', { name: 'p99' }).getByRole('button').first().click();
    await page.waitForTimeout(200);
    await page.getByRole('columnheader', { name: 'Rate' }).getByRole('button').first().click();
    await page.waitForTimeout(200);
    return 2;
  },
};

async function press(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await page.waitForTimeout(120);
}

/** Milliseconds to the next paint of all interactions; the browser does not report those of less than 16. */
async function measureInputs(shop: Shop): Promise<{ all: number[]; worst: string; broken: string[] }> {
  const all: number[] = [];
  const broken: string[] = [];
  let worst = { name: '', delay: 0 };
  for (const [name, flow] of Object.entries(FLOWS)) {
    const context = await shop.context();
    const page = await context.newPage();
    await page.addInitScript(observe);
    // One flow that no longer fits its page must not cost the others' figures.
    const count = await flow(page, shop).catch((error: unknown) => {
      broken.push(`${name}: ${String(error).split('\n')[0]}`);
      return 0;
    });
    await page.waitForTimeout(300);
    const delays = await inputDelays(page);
    const rest = Math.max(0, count - delays.length);
    all.push(...delays, ...Array.from({ length: rest }, () => 8));
    const slowest = Math.max(0, ...delays);
    log(`  ${name}: ${count} interactions, slowest ${milliseconds(slowest)}`);
    if (slowest > worst.delay) worst = { name, delay: slowest };
    await context.close();
  }
  return { all, worst: worst.name, broken };
}

/** The page of a path, loaded. */
async function opened(shop: Shop, path: string): Promise<Page> {
  const page = await (await shop.context()).newPage();
  await page.goto(shop.project + path);
  await settled(page);
  return page;
}

async function scrollSpans(shop: Shop): Promise<{ frames: number[]; count: number }> {
  const page = await opened(shop, `/traces/${shop.traces.large}`);
  await page.getByRole('treeitem').first().waitFor();
  const frames = await scrollFrames(page, '[role="tree"]', 240, 140);
  await page.context().close();
  return { frames, count: SPANS };
}

async function scrollLines(shop: Shop): Promise<{ frames: number[]; count: number }> {
  const page = await opened(shop, '/logs?from=now-24h');
  const table = page.getByRole('table', { name: 'Log lines' });
  await table.waitFor();
  const count = async () => Number(await table.getAttribute('aria-rowcount')) - 1;
  const list = '[role="region"]:has(> table[aria-label="Log lines"])';
  const deadline = Date.now() + LINES_WITHIN_MS;
  let seen = await count();
  while (seen < LOG_LINES && Date.now() < deadline) {
    await page.locator(list).evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page.waitForTimeout(50);
    seen = await count();
  }
  await page.locator(list).evaluate((element) => element.scrollTo({ top: element.scrollHeight / 2 }));
  await page.waitForTimeout(500);
  const frames = await scrollFrames(page, list, 240, 110);
  await page.context().close();
  return { frames, count: seen };
}

async function hoverLines(shop: Shop): Promise<number[]> {
  const page = await opened(shop, `/explore?from=now-24h&q=${encodeURIComponent(LINES_QUERY)}`);
  const figure = page.getByRole('figure').last();
  await figure.waitFor();
  await settled(page);
  const box = await figure.boundingBox();
  if (box === null) throw new Error('the chart has no area');
  const points = Array.from({ length: 100 }, (_, at) => ({
    x: box.x + 80 + ((box.width - 120) * ((at * 37) % 100)) / 100,
    y: box.y + 80,
  }));
  const costs = await hoverCosts(page, points);
  await page.context().close();
  return costs;
}

/** Bytes of the scripts of the entry page, compressed as sent. */
function entryBytes(): number {
  const built = fileURLToPath(new URL('../packages/web/dist/app', import.meta.url));
  const html = readFileSync(`${built}/index.html`, 'utf8');
  const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
  return scripts.reduce((sum, path) => sum + gzipSync(readFileSync(built + path)).length, 0);
}

function row(what: string, ours: string, limit: string, isWithin: boolean, note = ''): string {
  return `| ${what} | ${ours} | ${limit} | ${isWithin ? 'yes' : '**no**'} | ${note} |`;
}

const worstOf = (figures: readonly PageFigures[], by: (figures: PageFigures) => number) =>
  figures.toSorted((a, b) => by(b) - by(a))[0] ?? { name: '', paint: 0, shift: 0, requests: 0, failed: [] };

const shop = await startShop({
  history: options.history,
  rate: Number(options.rate),
  keep: options.keep,
  log,
});
try {
  const only = options.only.split(',').filter((name) => name !== '');
  const pages: PageFigures[] = [];
  for (const visit of parts.has('pages') ? await visits(shop) : []) {
    if (only.length > 0 && !only.includes(visit.name)) continue;
    const figures = await measurePage(shop, visit);
    log(
      `  ${visit.name}: ${milliseconds(figures.paint)}, shift ${figures.shift.toFixed(3)}, ${figures.requests} requests`,
    );
    pages.push(figures);
  }
  const failed = pages.flatMap((page) => page.failed.map((text) => `${page.name}: ${text}`));
  const count = (value: number) => value.toLocaleString('en-US');
  const rows: string[] = [];
  if (parts.has('pages')) {
    const [paint, shift, requests] = [
      worstOf(pages, (page) => page.paint),
      worstOf(pages, (page) => page.shift),
      worstOf(pages, (page) => page.requests),
    ];
    console.log('| page | largest paint | layout shift | requests |\n| --- | --- | --- | --- |');
    for (const page of pages)
      console.log(`| ${page.name} | ${milliseconds(page.paint)} | ${page.shift.toFixed(3)} | ${page.requests} |`);
    const median = quantile(
      pages.map((page) => page.paint),
      0.5,
    );
    rows.push(
      row('largest contentful paint, median page', milliseconds(median), '1 s', median <= LIMITS.paint),
      row(
        'largest contentful paint, slowest page',
        milliseconds(paint.paint),
        '1 s',
        paint.paint <= LIMITS.paint,
        paint.name,
      ),
      row(
        'layout shift, largest, also after hover',
        shift.shift.toFixed(3),
        '0.05',
        shift.shift <= LIMITS.shift,
        shift.name,
      ),
      row(
        'requests of a page, most',
        String(requests.requests),
        '30',
        requests.requests <= LIMITS.requests,
        requests.name,
      ),
      row('requests that failed', String(failed.length), '0', failed.length === 0, failed[0] ?? ''),
    );
  }
  if (parts.has('inputs')) {
    const inputs = await measureInputs(shop);
    const input = quantile(inputs.all, 0.98);
    rows.push(
      row('interaction to next paint, p98', milliseconds(input), '100 ms', input <= LIMITS.input, inputs.worst),
      ...inputs.broken.map((flow) => `| not measured | – | – | **no** | ${flow} |`),
    );
  }
  if (parts.has('scroll')) {
    for (const [what, scroll] of [
      ['spans', scrollSpans],
      ['log lines', scrollLines],
    ] as const) {
      const scrolled = await scroll(shop);
      const frame = quantile(scrolled.frames, 0.95);
      rows.push(
        row(
          `frame while scrolling ${count(scrolled.count)} ${what}, p95`,
          milliseconds(frame),
          '20 ms',
          frame <= LIMITS.frame,
        ),
      );
    }
  }
  if (parts.has('hover')) {
    const hover = quantile(await hoverLines(shop), 0.95);
    rows.push(row(`hover over ${LINES}, p95`, milliseconds(hover), '16 ms', hover <= LIMITS.hover));
  }
  const entry = entryBytes();
  rows.push(row('entry bundle, gzipped', `${(entry / 1000).toFixed(0)} kB`, '250 kB', entry <= LIMITS.entry));
  console.log(['\n| what | ours | limit | within | where |\n| --- | --- | --- | --- | --- |', ...rows].join('\n'));
  log(`load ${(loadavg()[0] ?? 0).toFixed(1)}`);
} finally {
  await shop.stop();
}
process.exit();
