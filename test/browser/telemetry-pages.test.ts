import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, isAt, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendShop } from './support/telemetry.ts';

describeInBrowser('service map, metrics, durations, usage', () => {
  let app: App;
  let user: SignedUp;
  let traceId: string;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    app = await startApp();
    user = await signUp(app.base, 'hedy');
    ({ traceId } = await sendShop(user));
    await sendMetrics();
    open = await app.open({ as: user });
    page = open.page;
  }, 90_000);
  afterAll(() => app?.stop());

  /** A histogram of durations and a counter of orders over ten minutes, a point a minute; one exemplar. */
  async function sendMetrics(): Promise<void> {
    const token = await user.token(['telemetry:ingest']);
    const now = Date.now();
    const attributes = [{ key: 'http.route', value: { stringValue: '/checkout' } }];
    const minutes = Array.from({ length: 10 }, (_, index) => ({
      startTimeUnixNano: `${now - 660_000}000000`,
      timeUnixNano: `${now - 600_000 + index * 60_000}000000`,
      grown: index + 1,
    }));
    const answer = await fetch(`${user.base}/v1/metrics`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        resourceMetrics: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'frontend' } }] },
            scopeMetrics: [
              {
                metrics: [
                  {
                    name: 'http.server.request.duration',
                    unit: 's',
                    histogram: {
                      aggregationTemporality: 2,
                      dataPoints: minutes.map(({ grown, ...times }, index) => ({
                        ...times,
                        attributes,
                        count: String(grown * 10),
                        sum: grown,
                        explicitBounds: [0.1, 0.2, 0.5],
                        bucketCounts: [String(grown * 4), String(grown * 5), String(grown), '0'],
                        ...(index === 8 && {
                          exemplars: [
                            { timeUnixNano: times.timeUnixNano, asDouble: 0.15, traceId, spanId: 'b7ad6b7169203331' },
                          ],
                        }),
                      })),
                    },
                  },
                  {
                    name: 'orders',
                    unit: '{order}',
                    sum: {
                      aggregationTemporality: 2,
                      isMonotonic: true,
                      dataPoints: minutes.map(({ grown, ...times }) => ({
                        ...times,
                        attributes,
                        asInt: String(grown * 120),
                      })),
                    },
                  },
                ],
              },
            ],
          },
        ],
      }),
    });
    expect(answer.status).toBe(200);
    await until(async () => {
      const counted = await user.post(`${user.workspace}/query`, { query: 'metric orders | stats n=count()' });
      return counted.data?.rows?.[0]?.[0] === 10;
    });
  }

  it('draws the calls between services, and links to a service', async () => {
    await page.goto(pathOf(user, '/service-map'));
    const map = page.getByRole('list', { name: 'Services' });
    await map.getByRole('link', { name: /payments.*100%/ }).waitFor();
    const calls = page.getByRole('table', { name: 'Calls' });
    await calls.getByRole('row', { name: /frontend payments/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await map.getByRole('link', { name: /payments/ }).click();
    await isAt(page, /\/services\/payments/);
  });

  it('shows the status, errors and callers of a service, and links an error to its traces', async () => {
    await page.goto(pathOf(user, '/services/payments'));
    await sees(page, '100% of recent requests failed');
    await page.getByRole('figure', { name: /^Errors of payments/ }).waitFor();
    await page
      .getByRole('table', { name: 'Dependencies' })
      .getByRole('row', { name: /called by frontend/ })
      .waitFor();
    await sees(page, 'The service reported no flag evaluations in this window.');
    await page
      .getByRole('table', { name: 'Deploys' })
      .getByRole('row', { name: /not set/ })
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page
      .getByRole('table', { name: 'Errors' })
      .getByRole('row', { name: /POST \/charge card declined/ })
      .click();
    await isAt(page, /traces\?.*service=payments/);
    await page
      .getByRole('table', { name: 'Traces' })
      .getByRole('row', { name: /POST \/charge error/ })
      .first()
      .waitFor();
  });

  it('draws the quantiles of a histogram with its exemplar traces', async () => {
    await page.goto(pathOf(user, '/metrics?metric=http.server.request.duration'));
    const series = page.getByRole('table', { name: 'Series' });
    await series.getByRole('row', { name: /^p50/ }).waitFor();
    await series.getByRole('row', { name: /^p99/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page
      .getByRole('list', { name: 'Exemplars' })
      .getByRole('button', { name: /Trace of 150 ms/ })
      .click();
    await isAt(page, new RegExp(`/traces/${traceId}`));
  });

  it('draws the rate of a counter by an attribute', async () => {
    await page.goto(pathOf(user, '/metrics?metric=http.server.request.duration'));
    await page.getByRole('combobox', { name: 'Metric' }).click();
    await page.getByRole('option', { name: 'orders', exact: true }).click();
    await isAt(page, /metric=orders/);
    await page.getByRole('combobox', { name: 'Group by' }).click();
    await page.getByRole('option', { name: 'by http.route' }).click();
    await isAt(page, /by=http\.route/);
    await page
      .getByRole('table', { name: 'Series' })
      .getByRole('row', { name: /\/checkout 2\/s/ })
      .waitFor();
    await page.getByRole('link', { name: 'Open in Explore' }).click();
    await isAt(page, /explore\?.*q=metric\+orders/);
  });

  it('shows what distinguishes the spans in a box', async () => {
    await page.goto(pathOf(user, '/traces?view=heat&q=duration+%3E+0ns'));
    const heat = page.getByRole('img', { name: 'Durations of spans over time' });
    await heat.waitFor();
    await sees(page, 'Durations of 90 spans');
    const box = await heat.boundingBox();
    if (!box) throw new Error('the heat map has no area');
    await page.mouse.move(box.x + 70, box.y + 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height * 0.4, { steps: 4 });
    await page.mouse.up();
    await isAt(page, /box=\d+/);
    await page.getByText(/^What distinguishes .* to /).waitFor();
    await page.getByRole('button', { name: 'What distinguishes errors?' }).click();
    const differing = page.getByRole('list', { name: 'Attributes that differ' });
    const service = differing.getByRole('region', { name: 'service.name', exact: true });
    await service.getByRole('row', { name: /payments 100% 0%/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('shows what was sent and what is expensive', async () => {
    await page.goto(pathOf(user, '/usage'));
    await page
      .getByRole('table', { name: 'Usage by signal' })
      .getByRole('row', { name: /^traces 90/ })
      .waitFor();
    await page
      .getByRole('table', { name: 'Metrics with the most series' })
      .getByRole('row', { name: /orders/ })
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('causes no errors in the pages', () => expect(open.faults).toEqual([]));
});
