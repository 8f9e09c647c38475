import { expect, it } from 'vitest';
import { seriousViolations } from './support/accessibility.ts';
import { hasCount, isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { shopToLookAt } from './support/shop.ts';

describeInBrowser('service map, metrics, durations, usage', () => {
  const app = useApp('hedy');

  async function visit(path: string) {
    const { user } = await shopToLookAt(app.base);
    return app.open({ as: user, path: pathOf(user, path) });
  }

  it('draws the calls between services, and links to a service', async () => {
    const page = await visit('/service-map');
    const map = page.getByRole('list', { name: 'Services' });
    await map.getByRole('link', { name: /payments.*100%/ }).waitFor();
    const calls = page.getByRole('table', { name: 'Calls' });
    await calls.getByRole('row', { name: /frontend payments/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await map.getByRole('link', { name: /payments/ }).click();
    await isAt(page, /\/services\/payments/);
  });

  it('shows the status, errors and callers of a service, and links an error to its traces', async () => {
    const page = await visit('/services/payments');
    await sees(page, '100% of recent requests failed');
    const errors = page.getByRole('figure', { name: /^Errors of payments/ });
    await errors.waitFor();
    const board = page.getByRole('region', { name: 'Requests, errors and latency' });
    // The numbers are those of the hour; pointing at a chart changes only the line that all charts share.
    await board.getByText(/^Last hour.*errors 100%.*p99 80 ms$/).waitFor();
    const before = await board.innerText();
    await errors.hover();
    await board.getByText(/^\d\d\d\d-\d\d-\d\d \d\d:\d\d.*errors .*p99 /).waitFor();
    const headlines = (text: string) => text.split('\n').filter((line) => line === '100%' || line === '80 ms');
    expect(headlines(await board.innerText())).toEqual(headlines(before));
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
      .getByRole('row', { name: /POST \/checkout › POST \/charge .*card declined/ })
      .first()
      .waitFor();
  });

  it('shows all metrics as small charts, finds one, and breaks it down by label', async () => {
    const page = await visit('/metrics');
    const metrics = page.getByRole('list', { name: 'Metrics' });
    const orders = metrics.getByRole('button', { name: 'orders' });
    await metrics.getByRole('figure', { name: /^orders.*2\/s/ }).waitFor();
    await page.getByRole('navigation', { name: 'Prefixes of metrics' }).getByText('All metrics').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByLabel('Search metrics').fill('request');
    await hasCount(orders, 0);
    await metrics.getByRole('button', { name: 'http.server.request.duration' }).click();
    await isAt(page, /metric=http\.server\.request\.duration/);
    const labels = page.getByRole('list', { name: 'Labels' });
    await labels.getByRole('figure', { name: /by http\.route.*\/checkout/ }).waitFor();
    await labels.getByRole('button', { name: 'by http.route' }).click();
    await isAt(page, /by=http\.route/);
  });

  it('draws the quantiles of a histogram with its exemplar traces', async () => {
    const page = await visit('/metrics?metric=http.server.request.duration');
    const series = page.getByRole('table', { name: 'Series' });
    await series.getByRole('row', { name: /^p50/ }).waitFor();
    await series.getByRole('row', { name: /^p99/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page
      .getByRole('list', { name: 'Exemplars' })
      .getByRole('button', { name: /Trace of 150 ms/ })
      .click();
    const { traceId } = await shopToLookAt(app.base);
    await isAt(page, new RegExp(`/traces/${traceId}`));
  });

  it('draws the rate of a counter by an attribute', async () => {
    const page = await visit('/metrics?metric=http.server.request.duration');
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
    await page.goBack();
    await page.getByRole('link', { name: 'Create alert' }).click();
    await isAt(page, /alerts\/rules\/new\?.*q=metric\+orders/);
    const query = new URL(page.url()).searchParams.get('q');
    expect(query).toBe('metric orders | rate | sum by http.route');
    const { user } = await shopToLookAt(app.base);
    const rule = { name: 'Orders', project: 'default', query, condition: { op: '>', threshold: 1 }, window: '10m' };
    const preview = await user.post(`${user.workspace}/alert-rules/preview`, { ...rule, from: 'now-1h', to: 'now' });
    expect(preview.status, preview.text).toBe(200);
    expect(preview.data).toMatchObject({ failed: 0, instances: [{ labels: { 'http.route': '/checkout' } }] });
  });

  it('shows what distinguishes the spans in a box', async () => {
    const page = await visit('/traces?view=heat&q=duration+%3E+0ns');
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
    await page.getByText('All traces are selected, so there are no others to compare them with.').waitFor();
    await page.getByText('All attributes that differ').click();
    const differing = page.getByRole('list', { name: 'Attributes that differ' });
    const service = differing.getByRole('region', { name: 'service.name', exact: true });
    await service.getByRole('row', { name: /payments 100% 0%/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('shows what was sent and what is expensive', async () => {
    const page = await visit('/usage');
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
});
