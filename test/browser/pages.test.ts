import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, pathOf, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';
import { sendShop } from './support/telemetry.ts';

const built = fileURLToPath(new URL('../../packages/web/dist/app', import.meta.url));
/** The scripts of the entry page, compressed as sent. */
const ENTRY_LIMIT = 250_000;

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

describeInBrowser('every page, in both colour schemes', () => {
  let app: App;
  let user: SignedUp;
  let traceId: string;
  let ruleId: string;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'margaret');
    ({ traceId } = await sendShop(user));
    await user.post(`${user.project}/flags`, {
      key: 'new-checkout',
      name: 'New checkout',
      kind: 'boolean',
      tags: ['checkout'],
    });
    await user.sdkKey();
    const rule = await user.post(`${user.workspace}/alert-rules`, {
      name: 'Checkout fails',
      project: 'default',
      query: 'spans | stats value=ratio(status == error) by service.name',
      condition: { op: '>', threshold: 0.5 },
    });
    ruleId = rule.data.id;
  }, 90_000);
  afterAll(() => app?.stop());

  const query = encodeURIComponent('spans | stats n=count(), p99=p99(duration) by service.name, bucket(1m)');
  const pages = (): Record<string, { path: string; ready: string | RegExp; signedOut?: boolean }> => ({
    'sign-in': { path: '/sign-in', ready: 'Create an account', signedOut: true },
    'sign-up': { path: '/sign-up', ready: 'Have an account?', signedOut: true },
    'first-steps': { path: pathOf(user, '/first-steps'), ready: 'Data has arrived' },
    services: { path: pathOf(user, '/services'), ready: 'payments' },
    service: { path: pathOf(user, '/services/payments'), ready: 'POST /charge' },
    explore: { path: pathOf(user, '/explore'), ready: 'Slow spans' },
    'explore-chart': { path: pathOf(user, `/explore?q=${query}`), ready: 'frontend' },
    'explore-table': { path: pathOf(user, `/explore?q=${query}&view=table`), ready: 'frontend' },
    logs: { path: pathOf(user, '/logs'), ready: /card declined for order/ },
    traces: { path: pathOf(user, '/traces'), ready: 'POST /checkout' },
    trace: { path: pathOf(user, `/traces/${traceId}`), ready: 'POST /charge' },
    'log-patterns': { path: pathOf(user, '/logs?view=patterns'), ready: /card declined for order/ },
    'log-tail': { path: pathOf(user, '/logs?view=live'), ready: 'Waiting for lines' },
    'traces-heat': { path: pathOf(user, '/traces?view=heat&box=errors'), ready: /What distinguishes failing/ },
    'service-map': { path: pathOf(user, '/service-map'), ready: /5% and more/ },
    metrics: { path: pathOf(user, '/metrics'), ready: 'No metrics in this window' },
    profiles: { path: pathOf(user, '/profiles'), ready: 'No profiles in this window' },
    usage: { path: pathOf(user, '/usage'), ready: 'Usage' },
    alerts: { path: pathOf(user, '/alerts'), ready: 'Checkout fails' },
    'alert-rule': { path: pathOf(user, `/alerts/rules/${ruleId}`), ready: 'Keep firing for' },
    'alert-rule-new': { path: pathOf(user, '/alerts/rules/new'), ready: 'Keep firing for' },
    flags: { path: pathOf(user, '/flags'), ready: 'new-checkout' },
    segments: { path: pathOf(user, '/segments'), ready: 'No segments yet' },
    changes: { path: pathOf(user, '/changes'), ready: 'No changes waiting for approval' },
    flag: { path: pathOf(user, '/flags/new-checkout'), ready: 'Everybody else' },
    'flag-new': { path: pathOf(user, '/flags/new'), ready: 'Temporary' },
    members: { path: pathOf(user, '/settings/members'), ready: user.email },
    roles: { path: pathOf(user, '/settings/roles'), ready: 'Viewer' },
    tokens: { path: pathOf(user, '/settings/tokens'), ready: 'telemetry:ingest' },
    'sdk-keys': { path: pathOf(user, '/settings/sdk-keys'), ready: 'default / production' },
    environments: { path: pathOf(user, '/settings/environments'), ready: 'development' },
    projects: { path: pathOf(user, '/settings/projects'), ready: 'New project' },
    workspace: { path: pathOf(user, '/settings/workspace'), ready: 'Delete workspace' },
    audit: { path: pathOf(user, '/settings/audit'), ready: 'flags.create' },
    profile: { path: pathOf(user, '/settings/profile'), ready: 'System' },
    'not-found': { path: pathOf(user, '/nowhere'), ready: 'This page does not exist' },
  });

  it('includes every page that the navigation and the settings list', async () => {
    const { page, context } = await app.open({ as: user, path: pathOf(user, '/settings/members') });
    await page.getByRole('navigation', { name: 'Settings' }).waitFor();
    const links = await page.getByRole('navigation').getByRole('link').all();
    const listed = await Promise.all(links.map((link) => link.getAttribute('href')));
    const visited = new Set(Object.values(pages()).map(({ path }) => path.split('?')[0]));
    // Settings redirect to their first tab.
    visited.add(pathOf(user, '/settings'));
    expect(listed.length).toBeGreaterThan(20);
    expect(listed.filter((href) => !visited.has(href?.split('?')[0]))).toEqual([]);
    await context.close();
  });

  it.each(['light', 'dark'] as const)(
    '%s: axe finds nothing serious, nothing fails, nothing leaves the origin',
    async (colourScheme) => {
      const found: Record<string, string[]> = {};
      const signedIn = await app.open({ as: user, colourScheme });
      const signedOut = await app.open({ colourScheme });
      for (const [name, { path, ready, signedOut: out }] of Object.entries(pages())) {
        const { page } = out ? signedOut : signedIn;
        await page.goto(path);
        await page.getByText(ready).first().waitFor();
        // The schemes differ only in colors.
        const violations = await seriousViolations(page, colourScheme === 'dark' ? ['color-contrast'] : undefined);
        if (violations.length > 0) found[name] = violations;
        await screenshot(page, `${name}-${colourScheme}`);
      }
      expect(found).toEqual({});
      expect([...signedIn.faults, ...signedOut.faults]).toEqual([]);
      await Promise.all([signedIn.context.close(), signedOut.context.close()]);
    },
    240_000,
  );
});
