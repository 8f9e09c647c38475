import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { seriousInBothSchemes } from './support/accessibility.ts';
import { pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { screenshot } from './support/screenshot.ts';

describeInBrowser('flag pages with all their content', () => {
  const app = useApp('lynn');
  const flag = (environment: string, key: string) => `${app.owner.project}/environments/${environment}/flags/${key}`;

  // The tests only look at these flags.
  beforeAll(async () => {
    const user = app.owner;
    const post = async (path: string, body: unknown) => {
      const answer = await user.post(path, body);
      expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300);
    };
    for (const key of ['new-checkout', 'payments-v2', 'express-lane'])
      await post(`${user.project}/flags`, { key, name: key, kind: 'boolean' });
    await post(`${user.project}/segments`, {
      key: 'beta',
      name: 'Beta testers',
      included: Array.from({ length: 5000 }, (_, index) => `user-${index}`),
      excluded: ['mallory'],
      rules: [{ clauses: [{ attribute: 'email', op: 'ends_with', values: ['@example.com'] }] }],
    });
    await user.put(`${user.project}/flags/new-checkout/prerequisites`, {
      prerequisites: [{ flag: 'payments-v2', variants: ['true'] }],
    });
    await user.put(`${user.project}/flags/express-lane/prerequisites`, {
      prerequisites: [{ flag: 'new-checkout', variants: ['true'] }],
    });
    const targeting = {
      enabled: true,
      off_variant: 'false',
      fallthrough: { variant: 'false' },
      targets: [{ variant: 'true', values: ['ada', 'bob'] }],
      rules: [
        {
          description: 'Beta testers in Germany',
          clauses: [
            { op: 'in_segment', values: ['beta'] },
            { attribute: 'country', op: 'in', values: ['DE'] },
          ],
          variant: 'true',
        },
      ],
      version: 0,
    };
    for (const environment of ['development', 'production'])
      expect((await user.put(flag(environment, 'new-checkout'), targeting)).status).toBe(200);
    await post(`${flag('production', 'new-checkout')}/ramp`, {
      variant: 'true',
      steps: [
        { weight: 5000, hold: '1h' },
        { weight: 25_000, hold: '4h' },
        { weight: 100_000, hold: '1d' },
      ],
    });
    await post(`${flag('development', 'new-checkout')}/changes`, {
      patch: { enabled: false },
      comment: 'Checkout fails for guests; please have a look.',
    });
    await post(`${flag('development', 'new-checkout')}/changes`, {
      patch: { fallthrough: { variant: 'true' } },
      apply_at: '2099-01-01T08:00:00Z',
    });
  });

  interface Look {
    path: string;
    ready: string | RegExp;
    act?: (page: Page) => Promise<void>;
  }
  const looks: Record<string, Look> = {
    'flag-ramp': { path: '/flags/new-checkout?env=production', ready: /which is (true|false)|RULE_MATCH|OFF|FAILED/ },
    'flag-history': { path: '/flags/new-checkout?env=production&tab=history', ready: 'Beta testers in Germany' },
    'flag-prerequisites': { path: '/flags/new-checkout?tab=prerequisites', ready: 'express-lane' },
    'flag-promote': {
      path: '/flags/new-checkout?env=development',
      ready: 'change to approve',
      act: async (page) => {
        await page.getByRole('button', { name: 'Promote' }).click();
        await page.getByRole('table', { name: 'Changes in Production' }).waitFor();
      },
    },
    'flag-review': {
      path: '/flags/new-checkout?env=development',
      ready: 'change to approve',
      act: async (page) => {
        await page.getByRole('switch', { name: 'On in Development' }).click({ force: true });
        await page.getByRole('region', { name: 'Who is affected' }).getByText('express-lane').waitFor();
      },
    },
    changes: {
      path: '/changes',
      ready: 'Waiting for approval',
      act: async (page) => {
        await page.getByRole('row', { name: /Targeting of new-checkout/ }).click();
        await page.getByText('You proposed this change').waitFor();
      },
    },
    'changes-scheduled': { path: '/changes?status=scheduled', ready: 'Scheduled' },
    segments: { path: '/segments', ready: '5,000' },
    segment: { path: '/segments/beta', ready: 'user-1000' },
    'segment-new': { path: '/segments/new', ready: 'Included keys' },
  };

  it.each(Object.entries(looks))('%s: axe finds nothing serious in light and dark colors', async (name, look) => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, look.path) });
    await page.getByText(look.ready).first().waitFor();
    await look.act?.(page);
    await screenshot(page, `${name}-light`);
    expect(await seriousInBothSchemes(page)).toEqual([]);
    await screenshot(page, `${name}-dark`);
  });
});
