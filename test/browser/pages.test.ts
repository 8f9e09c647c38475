import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { flagsOf } from '../flags/support.ts';
import { violationsInBothSchemes } from './support/accessibility.ts';
import { pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';
import { sendShop } from './support/telemetry.ts';

const built = fileURLToPath(new URL('../../packages/web/dist/app', import.meta.url));
/** The scripts of the entry page, compressed as sent. */
const ENTRY_LIMIT = 250_000;
/** Scripts, styles and fonts of a page. */
const ASSETS_LIMIT = 16;
/** Of a large screen, a laptop and a phone. */
const SCREENS = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
] as const;
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
  let traceId: string;
  let ruleId: string;
  let sloId: string;
  let experimentId: string;
  let dashboardId: string;

  // The tests only look at these things.
  beforeAll(async () => {
    ({ traceId } = await sendShop(app.owner));
    await flagsOf(app.owner).create('new-checkout', { kind: 'boolean', tags: ['checkout'] });
    await app.owner.sdkKey();
    const rule = await app.owner.post(`${app.owner.workspace}/alert-rules`, {
      name: 'Checkout fails',
      project: 'default',
      query: 'spans | stats value=ratio(status == error) by service.name',
      condition: { op: '>', threshold: 0.5 },
    });
    expect(rule.status, rule.text).toBe(201);
    ruleId = rule.data.id;
    const slo = await app.owner.post(`${app.owner.workspace}/slos`, {
      name: 'Payments answer',
      project: 'default',
      indicator: { kind: 'events', source: 'spans | where service.name == "payments"', good: 'status != error' },
      objective: 0.99,
      window: { kind: 'rolling', period: '7d' },
    });
    expect(slo.status, slo.text).toBe(201);
    sloId = slo.data.id;
    const { project } = app.owner;
    const on = { enabled: true, off_variant: 'false', fallthrough: { variant: 'false' }, version: 0 };
    const targeting = await app.owner.put(`${project}/environments/production/flags/new-checkout`, on);
    expect(targeting.status, targeting.text).toBe(200);
    const variants = ['false', 'true'].map((variant) => ({ variant, weight: 50_000 }));
    const draft = { key: 'faster', name: 'Faster checkout', flag: 'new-checkout', environment: 'production' };
    const experiment = await app.owner.post(`${project}/experiments`, {
      ...draft,
      control: 'false',
      variants,
      metrics: { goals: ['error_rate'] },
    });
    expect(experiment.status, experiment.text).toBe(201);
    experimentId = experiment.data.id;
    expect((await app.owner.post(`${project}/experiments/${experimentId}/start`)).status).toBe(200);
    const recording = await app.owner.post(`${app.owner.workspace}/recording-rules`, {
      name: 'shop.requests',
      project: 'default',
      query: 'spans | stats value=count() by service.name',
      every: '1d',
    });
    expect(recording.status, recording.text).toBe(201);
    const panel = { id: 'a', type: 'time_series', title: 'Requests', x: 0, y: 0, w: 12, h: 8 };
    const dashboard = await app.owner.post(`${app.owner.workspace}/dashboards`, {
      name: 'Shop overview',
      project: 'default',
      panels: [{ ...panel, query: 'spans | stats n=count() by service.name, bucket(1m)' }],
    });
    expect(dashboard.status, dashboard.text).toBe(201);
    dashboardId = dashboard.data.id;
    const channel = { name: 'On call', kind: 'email', config: { to: ['oncall@example.com'] } };
    expect((await app.owner.post(`${app.owner.workspace}/channels`, channel)).status).toBe(201);
    const matchers = [{ name: 'team', op: '=', value: 'shop' }];
    const silence = { matchers, ends_at: 'now+1d', comment: 'Known outage' };
    expect((await app.owner.post(`${app.owner.workspace}/silences`, silence)).status).toBe(201);
    const policy = { name: 'Shop', matchers };
    expect((await app.owner.post(`${app.owner.workspace}/routing-policies`, policy)).status).toBe(201);
  });

  const query = encodeURIComponent('spans | stats n=count(), p99=p99(duration) by service.name, bucket(1m)');
  /** Paths are within the project, with `{trace}`, `{rule}`, `{slo}`, `{experiment}` and `{dashboard}` for ids; `signedOut` ones are complete. */
  const pages: Record<string, { path: string; ready: string | RegExp; signedOut?: boolean }> = {
    'sign-in': { path: '/sign-in', ready: 'Create an account', signedOut: true },
    'sign-up': { path: '/sign-up', ready: 'Have an account?', signedOut: true },
    'first-steps': { path: '/first-steps', ready: 'Data has arrived' },
    home: { path: '/home', ready: 'Services, worst first' },
    services: { path: '/services', ready: 'payments' },
    service: { path: '/services/payments', ready: 'POST /charge' },
    dashboards: { path: '/dashboards', ready: 'Shop overview' },
    dashboard: { path: '/dashboards/{dashboard}', ready: 'frontend' },
    'dashboard-edit': { path: '/dashboards/{dashboard}?edit=yes', ready: 'Done' },
    explore: { path: '/explore', ready: 'Slow spans' },
    'explore-chart': { path: `/explore?q=${query}`, ready: 'frontend' },
    'explore-table': { path: `/explore?q=${query}&view=table`, ready: 'frontend' },
    logs: { path: '/logs', ready: /card declined for order/ },
    traces: { path: '/traces', ready: 'POST /checkout' },
    trace: { path: '/traces/{trace}', ready: 'POST /charge' },
    errors: { path: '/errors', ready: 'card <b>declined</b>' },
    'log-patterns': { path: '/logs?view=patterns', ready: /card declined for order/ },
    'log-tail': { path: '/logs?view=live', ready: 'Waiting for lines' },
    'traces-heat': { path: '/traces?view=heat&box=errors', ready: /What distinguishes failing/ },
    'service-map': { path: '/service-map', ready: /5% and more/ },
    metrics: { path: '/metrics', ready: 'No metrics in this window' },
    profiles: { path: '/profiles', ready: 'No profiles in this window' },
    usage: { path: '/usage', ready: 'By signal' },
    alerts: { path: '/alerts', ready: 'Checkout fails' },
    'alert-rule': { path: '/alerts/rules/{rule}', ready: 'Keep firing for' },
    'alert-rule-new': { path: '/alerts/rules/new', ready: 'Keep firing for' },
    silences: { path: '/silences', ready: 'Known outage' },
    'silence-new': { path: '/silences/new', ready: 'What it matches now' },
    routing: { path: '/routing?labels=team%3Dshop', ready: 'goes here' },
    channels: { path: '/channels', ready: 'On call' },
    slos: { path: '/slos', ready: 'Payments answer' },
    slo: { path: '/slos/{slo}', ready: 'Burn rates now' },
    'recording-rules': { path: '/recording-rules', ready: 'shop.requests' },
    'recording-rule-new': { path: '/recording-rules/new', ready: 'Write a query to see what a step writes.' },
    'slo-new': { path: '/slos/new', ready: /Allows 43m 12s/ },
    flags: { path: '/flags', ready: 'new-checkout' },
    releases: { path: '/releases', ready: 'Nothing was rolled out yet' },
    timeline: { path: '/timeline', ready: 'new-checkout: targeting changed' },
    experiments: { path: '/experiments', ready: 'Faster checkout' },
    'experiment-new': { path: '/experiments/new?flag=new-checkout', ready: /share of the units that take part/ },
    'flag-metrics': { path: '/flag-metrics', ready: 'p95 latency' },
    'flag-metric': { path: '/flag-metrics/error_rate', ready: 'Which rows count' },
    'flag-metric-new': { path: '/flag-metrics/new', ready: 'Fill in the form to see which rows count.' },
    experiment: { path: '/experiments/{experiment}', ready: /No exposures/ },
    segments: { path: '/segments', ready: 'No segments yet' },
    changes: { path: '/changes', ready: 'No change requests waiting for approval' },
    flag: { path: '/flags/new-checkout', ready: 'Everybody else' },
    'flag-new': { path: '/flags/new', ready: 'Temporary' },
    members: { path: '/settings/members', ready: /^margaret-.*@example.com$/ },
    roles: { path: '/settings/roles', ready: 'Viewer' },
    tokens: { path: '/settings/tokens', ready: 'telemetry:ingest' },
    'sdk-keys': { path: '/settings/sdk-keys', ready: 'default / production' },
    environments: { path: '/settings/environments', ready: 'development' },
    projects: { path: '/settings/projects', ready: 'Create project' },
    workspace: { path: '/settings/workspace', ready: 'Delete workspace' },
    audit: { path: '/settings/audit', ready: 'flags.create' },
    profile: { path: '/settings/profile', ready: 'System' },
    'not-found': { path: '/nowhere', ready: 'This page does not exist' },
  };

  const addressOf = ({ path, signedOut }: { path: string; signedOut?: boolean }) =>
    signedOut
      ? path
      : pathOf(
          app.owner,
          path
            .replace('{trace}', traceId)
            .replace('{rule}', ruleId)
            .replace('{slo}', sloId)
            .replace('{experiment}', experimentId)
            .replace('{dashboard}', dashboardId),
        );

  it('includes every page that the navigation and the settings list', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/settings/members') });
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').first().waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link').first().waitFor();
    const links = await page.getByRole('navigation').getByRole('link').all();
    const listed = await Promise.all(links.map((link) => link.getAttribute('href')));
    const visited = new Set(Object.values(pages).map((entry) => addressOf(entry).split('?')[0]));
    // Settings redirect to their first tab.
    visited.add(pathOf(app.owner, '/settings'));
    expect(listed.length).toBeGreaterThan(20);
    expect(listed.filter((href) => !visited.has(href?.split('?')[0]))).toEqual([]);
  });

  it.each(Object.entries(pages))(
    '%s: few files, no failed request, and axe finds nothing serious in light and dark colors',
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
      await screenshot(page, `${name}-light`);
      expect(await violationsInBothSchemes(page)).toEqual([]);
      await screenshot(page, `${name}-dark`);
      if (entry.signedOut) return;
      // Pages scroll within their frame: a document that scrolls too would have a second scroll bar.
      for (const screen of SCREENS) {
        await page.setViewportSize(screen);
        await page.getByRole('main').waitFor();
        const longer = () => page.evaluate('document.documentElement.scrollHeight - innerHeight');
        await expect.poll(longer, { message: `${screen.width} × ${screen.height}` }).toBeLessThanOrEqual(0);
      }
    },
  );

  it('changes all of its colors at once for those who ask for less motion', async () => {
    const page = await app.open({ as: app.owner, path: addressOf({ path: '/services' }) });
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
