import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { CHROMIUM_ARGS, chromiumPath } from '../../test/browser/support/chromium-path.ts';
import { freePort, serveProcess, startProcess } from '../../test/support/server-process.ts';

const ACCOUNT = { email: 'demo@fanion.example', password: 'fanion-demo-shop' };
/** A trace that is as large as people look at, and lines of a chart as many as it draws. */
export const SPANS = 10_000;
export const SERIES = 50;
export const POINTS = 1_000;

/** A server of its own with the demo's shop, in a folder that goes away, and a Chromium that is signed in. */
export interface Shop {
  readonly base: string;
  /** `/w/demo-shop/default` */
  readonly project: string;
  /** A trace of `SPANS` spans, and an ordinary one that failed. */
  readonly traces: { readonly large: string; readonly failed: string };
  readonly slo: string;
  readonly rule: string;
  readonly dashboard: string;
  /** A clean profile: nothing is in its cache. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  stop(): Promise<void>;
}

/**
 * Starts the shop with `history` of telemetry (`24h`), up to `rate` visits a second. Lines about its progress go to `log`. With
 * `keep`, the data stays in that folder, and the next start adds only the minutes since.
 */
export async function startShop(options: {
  history: string;
  rate: number;
  keep?: string | undefined;
  log: (line: string) => void;
}): Promise<Shop> {
  if (chromiumPath === undefined) throw new Error('no Chromium is installed; name one in FANION_CHROMIUM');
  const dir = options.keep ?? mkdtempSync(join(tmpdir(), 'fanion-web-bench-'));
  mkdirSync(dir, { recursive: true });
  const known = join(dir, 'bench.json');
  const kept: Kept | undefined = existsSync(known) ? JSON.parse(readFileSync(known, 'utf8')) : undefined;
  const server = await serveProcess(dir, await freePort());
  let browser: Browser | undefined;
  const stop = async () => {
    await browser?.close();
    await server.end('SIGTERM');
    if (options.keep === undefined) rmSync(dir, { recursive: true, force: true });
  };
  try {
    const until = Date.now();
    const missing = kept && Math.round((until - kept.until) / 60_000);
    if (missing !== 0)
      await playHistory(server.base, { ...options, history: missing === undefined ? options.history : `${missing}m` });
    browser = await chromium.launch({ executablePath: chromiumPath, args: [...CHROMIUM_ARGS] });
    const api = await signIn(browser, server.base);
    const things = kept?.things ?? (await makeThings(api));
    writeFileSync(known, JSON.stringify({ until, things } satisfies Kept));
    const { cookies } = await api.storage();
    const running = browser;
    return {
      base: server.base,
      project: `/w/${api.slug}/default`,
      ...things,
      async context(given = {}) {
        const context = await running.newContext({
          baseURL: server.base,
          viewport: { width: 1440, height: 900 },
          ...given,
        });
        // What the TypeScript runner calls in functions that are sent to the page.
        await context.addInitScript({ content: 'globalThis.__name ??= (value) => value;' });
        await context.addCookies(cookies);
        context.setDefaultTimeout(30_000);
        return context;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Things = Pick<Shop, 'traces' | 'slo' | 'rule' | 'dashboard'>;

/** What is known of a folder that is used again: until when it has telemetry, in epoch milliseconds. */
interface Kept {
  readonly until: number;
  readonly things: Things;
}

async function playHistory(
  base: string,
  { history, rate, log }: { history: string; rate: number; log: (line: string) => void },
) {
  const demo = startProcess(
    ['demo', '--endpoint', base, '--backfill', history, '--backfill-rate', String(rate), '--once'],
    {},
  );
  log(`writing ${history} of the demo's telemetry`);
  const code = await new Promise<number | null>((resolve) => demo.child.once('exit', resolve));
  if (code !== 0) throw new Error(`the demo ended with ${code}: ${demo.output()}`);
  log(demo.output().trim().split('\n').at(-1) ?? '');
}

type Api = Awaited<ReturnType<typeof signIn>>;

async function signIn(browser: Browser, base: string) {
  const context = await browser.newContext({ baseURL: base, extraHTTPHeaders: { origin: base } });
  const send = async (method: 'GET' | 'POST', path: string, data?: unknown) => {
    const answer = await context.request.fetch(`/api/v1${path}`, { method, ...(data !== undefined && { data }) });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
    return (await answer.json()).data;
  };
  await send('POST', '/auth/login', ACCOUNT);
  const [{ slug }] = await send('GET', '/workspaces');
  const query = async (text: string, window = { from: 'now-2d', to: 'now' }): Promise<unknown[][]> =>
    (await send('POST', `/workspaces/${slug}/query`, { query: text, ...window })).rows;
  return { base, slug, send, query, request: context.request, storage: () => context.storageState() };
}

/** What the demo does not have: a large trace, a chart with many lines, an alert rule, an SLO and a dashboard. */
async function makeThings(api: Api): Promise<Things> {
  const token = await api.send('POST', `/tokens?workspace=${api.slug}`, {
    name: 'Benchmark',
    permissions: ['telemetry:ingest'],
    project: 'default',
    environment: 'production',
  });
  const ingest = async (path: string, body: unknown) => {
    const answer = await fetch(`${api.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  const large = 'f'.repeat(32);
  await ingest('/v1/traces', largeTrace(large));
  await ingest('/v1/metrics', manySeries());
  await until(
    async () => Number((await api.query(`spans | where trace_id == "${large}" | stats n=count()`))[0]?.[0]) === SPANS,
  );
  await until(async () => Number((await api.query('metric bench.load | stats n=count()'))[0]?.[0]) === SERIES * POINTS);
  const failures = 'spans | where root and status == error';
  const newest = 'sort -time | limit 1 | fields trace_id';
  const [failed] = [
    ...(await api.query(`${failures} and name == "POST /checkout" | ${newest}`)),
    ...(await api.query(`${failures} | ${newest}`)),
  ];
  const workspace = `/workspaces/${api.slug}`;
  const slo = await api.send('POST', `${workspace}/slos`, {
    name: 'Orders succeed',
    project: 'default',
    indicator: { kind: 'events', source: 'spans | where service.name == "checkout"', good: 'status != error' },
    objective: 0.99,
    window: { kind: 'rolling', period: '7d' },
  });
  const rule = await api.send('POST', `${workspace}/alert-rules`, {
    name: 'Requests fail',
    project: 'default',
    query: 'spans | stats value=ratio(status == error) by service.name',
    condition: { op: '>', threshold: 0.02 },
  });
  const panel = (id: string, title: string, x: number, y: number, query: string) => ({
    ...{ id, type: 'time_series', title, x, y, w: 12, h: 8, query },
  });
  const dashboard = await api.send('POST', `${workspace}/dashboards`, {
    name: 'Shop overview',
    project: 'default',
    panels: [
      panel('a', 'Requests', 0, 0, 'spans | stats n=count() by service.name, bucket(5m)'),
      panel('b', 'p99', 12, 0, 'spans | stats p99=p99(duration) by service.name, bucket(5m)'),
      panel('c', 'Errors', 0, 8, 'spans | stats errors=ratio(status == error) by service.name, bucket(5m)'),
      panel('d', 'Log lines', 12, 8, 'logs | stats n=count() by severity, bucket(5m)'),
    ],
  });
  return {
    traces: { large, failed: String(failed?.[0] ?? large) },
    slo: slo.id,
    rule: rule.id,
    dashboard: dashboard.id,
  };
}

const nano = (milliseconds: number) => `${Math.round(milliseconds)}000000`;
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

/** Four spans below each span, over five services, each of its own name, one in a hundred failed. */
function largeTrace(traceId: string) {
  const id = (index: number) => (index + 1).toString(16).padStart(16, '0');
  const start = Date.now() - 20 * 60_000;
  const services = ['frontend', 'catalog', 'cart', 'checkout', 'payment'];
  const spans = Array.from({ length: SPANS }, (_, index) => ({
    traceId,
    spanId: id(index),
    ...(index > 0 && { parentSpanId: id(Math.floor((index - 1) / 4)) }),
    name: `step ${index}`,
    kind: 1,
    startTimeUnixNano: nano(start + index / 10),
    endTimeUnixNano: nano(start + index / 10 + 20),
    attributes: [attribute('step', String(index))],
    ...(index % 100 === 99 && { status: { code: 2, message: 'timed out' } }),
  }));
  return {
    resourceSpans: services.map((service, at) => ({
      resource: { attributes: [attribute('service.name', service)] },
      scopeSpans: [{ spans: spans.filter((_, index) => index % services.length === at) }],
    })),
  };
}

function manySeries() {
  const now = Math.floor(Date.now() / 60_000) * 60_000;
  const dataPoints = Array.from({ length: SERIES }, (_, series) =>
    Array.from({ length: POINTS }, (_, point) => ({
      timeUnixNano: nano(now - (POINTS - point) * 60_000),
      asDouble: series * 2 + Math.sin(point / 40 + series) * 20 + 30,
      attributes: [attribute('shard', `shard-${String(series).padStart(2, '0')}`)],
    })),
  ).flat();
  const metrics = [{ name: 'bench.load', unit: '1', gauge: { dataPoints } }];
  return {
    resourceMetrics: [{ resource: { attributes: [attribute('service.name', 'bench')] }, scopeMetrics: [{ metrics }] }],
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within a minute: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
