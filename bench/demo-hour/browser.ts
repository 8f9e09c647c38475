import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { listedPages, settled } from '../web/pages.ts';

const ACCOUNT = { email: 'demo@fanion.example', password: 'fanion-demo-shop' };
const SIGNED_UP_WITHIN_MS = 60_000;
/** Every second round looks at a day. */
const WINDOWS = ['', 'from=now-24h&to=now'] as const;

export interface Reading {
  readonly rounds: number;
  readonly visits: number;
  readonly requests: number;
  /** A line for each request that failed, and for each error that a page shows. */
  readonly failed: readonly string[];
  /** What the server has stored of the demo. */
  countStored(): Promise<{ spans: number; logs: number }>;
}

/** Signs in as the demo's account and visits every page, one after the other, until the signal aborts. */
export async function readAllPages(
  browser: Browser,
  base: string,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Reading> {
  const context = await browser.newContext({
    baseURL: base,
    viewport: { width: 1440, height: 900 },
    extraHTTPHeaders: { origin: base },
  });
  await context.addInitScript({ content: 'globalThis.__name ??= (value) => value;' });
  await signIn(context);
  const api = apiOf(context);
  const [{ slug }] = await api.list<{ slug: string }>('/workspaces');
  const project = `/w/${slug}/default`;
  const page = await context.newPage();
  const failed: string[] = [];
  const fail = (text: string) => {
    failed.push(text);
    log(text);
  };
  let requests = 0;
  let visited = '';
  page.on('response', (response) => {
    requests++;
    failureOf(response).then((failure) => {
      if (failure !== undefined) fail(`${visited}: ${failure}`);
    });
  });
  const listed = await listedPages(context, project);
  let [rounds, visits] = [0, 0];
  while (!signal.aborted) {
    const window = WINDOWS[rounds % WINDOWS.length] ?? '';
    for (const path of [...listed, ...(await detailPages(api, slug)).map((path) => project + path)]) {
      if (signal.aborted) break;
      visited = `${path}${window && (path.includes('?') ? '&' : '?')}${window}`;
      await page.goto(visited, { waitUntil: 'commit' });
      await settled(page);
      for (const text of await shownErrors(page)) fail(`${visited} shows: ${text}`);
      visits++;
    }
    rounds++;
    log(`round ${rounds}: ${visits} visits, ${failed.length} failures`);
  }
  await page.close();
  return {
    ...{ rounds, visits, requests, failed },
    async countStored() {
      const count = async (query: string) => Number((await api.query(slug, query))[0]?.[0]);
      return { spans: await count('spans | stats n=count()'), logs: await count('logs | stats n=count()') };
    },
  };
}

/** The demo signs up when it has found the server. */
async function signIn(context: BrowserContext): Promise<void> {
  const deadline = Date.now() + SIGNED_UP_WITHIN_MS;
  for (;;) {
    const answer = await context.request.post('/api/v1/auth/login', { data: ACCOUNT });
    if (answer.ok()) return;
    if (Date.now() > deadline) throw new Error(`signing in as the demo: ${answer.status()} ${await answer.text()}`);
    await sleep(2_000);
  }
}

type Api = ReturnType<typeof apiOf>;

function apiOf(context: BrowserContext) {
  const send = async (method: 'GET' | 'POST', path: string, data?: unknown) => {
    const answer = await context.request.fetch(`/api/v1${path}`, { method, ...(data !== undefined && { data }) });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
    return (await answer.json()).data;
  };
  return {
    list: <Item>(path: string): Promise<[Item, ...Item[]]> => send('GET', path),
    query: async (slug: string, query: string, from = 'now-30d'): Promise<unknown[][]> =>
      (await send('POST', `/workspaces/${slug}/query`, { query, from, to: 'now' })).rows,
  };
}

/** One page of each kind behind the navigation, of what there is by now. */
async function detailPages(api: Api, slug: string): Promise<string[]> {
  const newest = 'spans | where root and status == error | sort -time | limit 1 | fields trace_id';
  const traces = await api.query(slug, newest, 'now-1h');
  const behind = async (path: string, page: string) => {
    const things = await api.list<{ id: string }>(`/workspaces/${slug}${path}`);
    return things.map(({ id }) => `${page}/${id}`);
  };
  const chart = 'spans | stats n=count(), p99=p99(duration) by service.name, bucket(1m)';
  return [
    ...['/services/checkout', '/flags/new-checkout', '/flags/image-cdn', '/flags/new'],
    ...['/logs?view=patterns', '/logs?view=live', '/traces?view=heat', `/explore?q=${encodeURIComponent(chart)}`],
    ...traces.map(([id]) => `/traces/${id}`),
    ...(await behind('/dashboards', '/dashboards')),
    ...(await behind('/alert-rules', '/alerts/rules')),
    ...(await behind('/slos', '/slos')),
    ...(await behind('/projects/default/experiments', '/experiments')),
  ];
}

/** Why a response is a failure: its status, or an error within the lines of a dashboard's data. */
async function failureOf(response: Response): Promise<string | undefined> {
  const { pathname } = new URL(response.url());
  const request = `${response.request().method()} ${pathname}`;
  if (response.status() >= 400) {
    const text = await response.text().catch(() => '');
    return `${response.status()} ${request} ${text.slice(0, 300)}`;
  }
  if (!(response.headers()['content-type'] ?? '').includes('ndjson') || pathname.endsWith('/tail')) return undefined;
  // The page may have been left before the answer was complete.
  const lines = await response.text().catch(() => '');
  const broken = lines.split('\n').find((line) => /"code":\s*"SVC-/.test(line));
  return broken === undefined ? undefined : `${request} ${broken.slice(0, 300)}`;
}

/** What the demo's story tells with the role of an alert. */
const STORY = /^The guarded release of \S+ rolled back/;

async function shownErrors(page: Page): Promise<string[]> {
  const texts = await page.getByRole('alert').allInnerTexts();
  return texts
    .map((text) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200))
    .filter((text) => text !== '' && !STORY.test(text));
}
