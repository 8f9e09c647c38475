import { beforeAll, expect, it } from 'vitest';
import { flagsOf } from '../flags/support.ts';
import { pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';
import { sendShop } from './support/telemetry.ts';

/** A phone screen in CSS pixels. */
const PHONE = { width: 390, height: 844 };

describeInBrowser('on a small screen', () => {
  const app = useApp('katherine');
  let traceId: string;

  // The tests only look at these things.
  beforeAll(async () => {
    ({ traceId } = await sendShop(app.owner));
    const flags = flagsOf(app.owner);
    await flags.create('new-checkout');
    await flags.serve('new-checkout', {
      targets: [{ variant: 'true', values: ['acme'], context_kind: 'organization' }],
      rules: [
        { clauses: [{ attribute: 'country', op: 'in', values: ['DE', 'AT'], ignore_case: true }], variant: 'true' },
      ],
      fallthrough: { variant: 'false' },
    });
    const matchers = [{ name: 'team', op: '=', value: 'shop' }];
    const silence = { matchers, ends_at: 'now+1d', comment: 'Known outage' };
    expect((await app.owner.post(`${app.owner.workspace}/silences`, silence)).status).toBe(201);
    const policy = { name: 'Shop', matchers };
    expect((await app.owner.post(`${app.owner.workspace}/routing-policies`, policy)).status).toBe(201);
  });

  async function visit(path: string) {
    const page = await app.open({ as: app.owner });
    await page.setViewportSize(PHONE);
    await page.goto(pathOf(app.owner, path));
    return page;
  }

  const query = encodeURIComponent('spans | stats n=count(), p99=p99(duration) by service.name, bucket(1m)');
  /** `{trace}` is the id of a trace. */
  const pages: [name: string, path: string, ready: string | RegExp][] = [
    ['services', '/services', 'payments'],
    ['service', '/services/payments', 'POST /charge'],
    ['service-map', '/service-map', '5% and more'],
    ['explore', '/explore', 'Slow spans'],
    ['explore-chart', `/explore?q=${query}`, 'frontend'],
    ['logs', '/logs', /card declined for order/],
    ['traces', '/traces', 'POST /checkout'],
    ['traces-heat', '/traces?view=heat&box=errors', /What distinguishes failing/],
    ['trace', '/traces/{trace}', 'POST /charge'],
    ['flags', '/flags', 'new-checkout'],
    ['flag', '/flags/new-checkout', 'Everybody else'],
    ['flag-new', '/flags/new', 'Temporary'],
    ['segments', '/segments', 'No segments yet'],
    ['changes', '/changes', 'No change requests waiting for approval'],
    ['slo-new', '/slos/new', /Allows 43m 12s/],
    ['usage', '/usage', 'By signal'],
    ['alerts', '/alerts', 'No alert rules yet'],
    ['silences', '/silences', 'Known outage'],
    ['silence-new', '/silences/new', 'What it matches now'],
    ['routing', '/routing?labels=team%3Dshop', 'goes here'],
    ['members', '/settings/members', /^katherine-.*@example.com$/],
    ['audit', '/settings/audit', 'flags.create'],
  ];

  it.each(pages)('%s is not wider than the screen', async (name, path, ready) => {
    const page = await visit(path.replace('{trace}', traceId));
    await page.getByText(ready).first().waitFor();
    expect(await page.getByRole('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBeLessThanOrEqual(0);
    await screenshot(page, `${name}-phone`);
  });

  it('reaches the main pages by thumb, and all others behind More', async () => {
    const page = await visit('/services');
    const bar = page.getByRole('navigation', { name: 'Main' });
    expect(await bar.evaluate((nav) => window.innerHeight - nav.getBoundingClientRect().bottom)).toBe(0);
    await bar.getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
    await bar.getByRole('button', { name: 'More' }).click();
    const all = page.getByRole('dialog', { name: 'All pages' });
    await all.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await all.waitFor({ state: 'detached' });
  });

  it('shows log lines as cards, with their messages', async () => {
    const page = await visit('/logs');
    const row = page.getByRole('table', { name: 'Log lines' }).getByRole('row', { name: /payments card declined for/ });
    await row.first().waitFor();
    const message = row.first().getByText(/^card declined for order/);
    expect((await message.boundingBox())?.width).toBeGreaterThan(180);
  });

  it('shows the fields of targets and conditions below each other, in full width', async () => {
    const page = await visit('/flags/new-checkout');
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

  it('shows the name of each span above its bar, in full width', async () => {
    const page = await visit(`/traces/${traceId}`);
    const row = page.getByRole('treeitem', { name: /POST \/charge/ }).first();
    await row.waitFor();
    const [box, name, duration] = await Promise.all([
      row.boundingBox(),
      row.getByText('POST /charge').boundingBox(),
      row.getByText(/^\d+(\.\d+)? (ms|s|µs)$/).boundingBox(),
    ]);
    expect(box?.width).toBeGreaterThan(380);
    expect(duration?.y).toBeGreaterThanOrEqual((name?.y ?? 0) + (name?.height ?? 0));
    const next = await page.getByRole('treeitem').nth(1).boundingBox();
    const first = await page.getByRole('treeitem').nth(0).boundingBox();
    expect(next?.y).toBe((first?.y ?? 0) + (first?.height ?? 0));
  });

  it('does not cut off button labels', async () => {
    const page = await visit('/settings/members');
    const invite = page.getByRole('button', { name: 'Invite' });
    await invite.waitFor();
    expect(await invite.evaluate((button) => button.scrollWidth - button.clientWidth)).toBe(0);
  });

  it('has buttons and fields that a thumb hits', async () => {
    const page = await visit('/traces/{trace}'.replace('{trace}', traceId));
    const next = page.getByRole('button', { name: 'Next error' });
    await next.waitFor();
    for (const target of [next, page.getByLabel('Search spans')])
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(40);
  });

  it('turns a flag off with a few taps', async () => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('kill-me');
    await flags.serve('kill-me', { fallthrough: { variant: 'true' } });
    const page = await app.open({ as: user });
    await page.setViewportSize(PHONE);
    await page.goto(pathOf(user, '/flags'));
    await page.getByRole('link', { name: 'kill-me' }).first().click();
    await page.getByRole('switch', { name: 'On in Production' }).click({ force: true });
    const review = page.getByRole('dialog');
    const save = review.getByRole('button', { name: 'Save', exact: true });
    const box = await save.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(40);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width);
    await save.click();
    await page.getByRole('switch', { name: 'Off in Production' }).waitFor();
  });
});
