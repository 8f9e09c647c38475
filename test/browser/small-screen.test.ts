import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { type App, pathOf, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';
import { sendShop } from './support/telemetry.ts';

/** A phone screen in CSS pixels. */
const PHONE = { width: 390, height: 844 };

describeInBrowser('on a small screen', () => {
  let app: App;
  let user: SignedUp;
  let page: Page;
  let traceId: string;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'katherine');
    ({ traceId } = await sendShop(user));
    await user.post(`${user.project}/flags`, { key: 'new-checkout', name: 'New checkout', kind: 'boolean' });
    const saved = await user.put(`${user.project}/environments/production/flags/new-checkout`, {
      version: 0,
      enabled: true,
      off_variant: 'false',
      targets: [{ variant: 'true', values: ['acme'], context_kind: 'organization' }],
      rules: [
        { clauses: [{ attribute: 'country', op: 'in', values: ['DE', 'AT'], ignore_case: true }], variant: 'true' },
      ],
      fallthrough: { variant: 'false' },
    });
    expect(saved.status, saved.text).toBe(200);
    ({ page } = await app.open({ as: user }));
    await page.setViewportSize(PHONE);
  }, 90_000);
  afterAll(() => app?.stop());

  const query = encodeURIComponent('spans | stats n=count(), p99=p99(duration) by service.name, bucket(1m)');
  const pages = (): Record<string, [path: string, ready: string | RegExp]> => ({
    services: ['/services', 'payments'],
    service: ['/services/payments', 'POST /charge'],
    'service-map': ['/service-map', '5% and more'],
    explore: ['/explore', 'Slow spans'],
    'explore-chart': [`/explore?q=${query}`, 'frontend'],
    logs: ['/logs', /card declined for order/],
    traces: ['/traces', 'POST /checkout'],
    'traces-heat': ['/traces?view=heat&box=errors', /What distinguishes failing/],
    trace: [`/traces/${traceId}`, 'POST /charge'],
    flags: ['/flags', 'new-checkout'],
    flag: ['/flags/new-checkout', 'Everybody else'],
    'flag-new': ['/flags/new', 'Temporary'],
    segments: ['/segments', 'No segments yet'],
    changes: ['/changes', 'No changes waiting for approval'],
    usage: ['/usage', 'By signal'],
    members: ['/settings/members', user.email],
    audit: ['/settings/audit', 'flags.create'],
  });

  it('shows no page wider than the screen', async () => {
    const wider: Record<string, number> = {};
    for (const [name, [path, ready]] of Object.entries(pages())) {
      await page.goto(pathOf(user, path));
      await page.getByText(ready).first().waitFor();
      const over = await page.getByRole('main').evaluate((main) => main.scrollWidth - main.clientWidth);
      if (over > 0) wider[name] = over;
      await screenshot(page, `${name}-phone`);
    }
    expect(wider).toEqual({});
  }, 120_000);

  it('keeps the flexible column visible', async () => {
    await page.goto(pathOf(user, '/logs'));
    const body = page.getByRole('table', { name: 'Log lines' }).getByRole('columnheader', { name: 'Body' });
    await body.waitFor();
    expect(await body.evaluate((header) => header.clientWidth)).toBeGreaterThan(180);
  });

  it('shows the fields of targets and conditions below each other, in full width', async () => {
    await page.goto(pathOf(user, '/flags/new-checkout'));
    const boxes = (label: string, fields: readonly string[]) =>
      Promise.all(fields.map((field) => page.getByLabel(`${label}: ${field}`, { exact: true }).first().boundingBox()));
    await page.getByLabel('Rule 1, condition 1: operator').first().waitFor();
    for (const [label, fields] of [
      ['Rule 1, condition 1', ['attribute', 'operator', 'values']],
      ['Target 1', ['variant', 'attribute', 'values']],
    ] as const) {
      const found = await boxes(label, fields);
      // A field of tags is as wide as what is left for the next tag.
      for (const box of found.slice(0, 2)) expect(box?.width, label).toBeGreaterThan(150);
      const tops = found.map((box) => box?.y ?? 0);
      expect(tops, label).toEqual([...tops].sort((one, other) => one - other));
      expect(new Set(tops).size, label).toBe(3);
    }
    await page.getByText('of organization').waitFor();
  });

  it('does not cut off button labels', async () => {
    await page.goto(pathOf(user, '/settings/members'));
    const invite = page.getByRole('button', { name: 'Invite' });
    await invite.waitFor();
    expect(await invite.evaluate((button) => button.scrollWidth - button.clientWidth)).toBe(0);
  });
});
