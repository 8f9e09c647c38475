import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { seriousViolations } from './support/accessibility.ts';
import { choose, editorIn, isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { createCountedSlo } from './support/slo.ts';

describeInBrowser('SLOs', () => {
  const app = useApp('rebecca');
  let id: string;

  // The tests only look at this SLO.
  beforeAll(async () => {
    ({ id } = await createCountedSlo(app.owner));
  });

  const openSlo = (path = '') => app.open({ as: app.owner, path: pathOf(app.owner, `/slos/${id}${path}`) });

  it('lists how each stands, and opens one by its row', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/slos') });
    const row = page.getByRole('table', { name: 'SLOs' }).getByRole('row', { name: /Checkout answers/ });
    await row.getByText('90%').waitFor();
    await row.getByRole('meter', { name: 'Budget left' }).waitFor();
    await row.getByRole('img', { name: /Burn rate of Checkout answers/ }).waitFor();
    await page.getByRole('textbox', { name: 'Search SLOs' }).fill('nothing like it');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Search SLOs' }).fill('checkout');
    await row.press('Enter');
    await isAt(page, /\/slos\/[0-9a-f-]{36}/);
  });

  it('shows the budget, the burn rates, and which variant spent it', async () => {
    const page = await openSlo();
    // 6 of 60 failed, and the objective allows 3.
    const facts = page.getByLabel('How it stands');
    await facts.getByText('−100%').first().waitFor();
    await facts.getByText('54 of 60 events are good').waitFor();
    const burn = page.getByRole('table', { name: 'Burn rates' });
    await burn.getByRole('row', { name: /page.*1h 2×.*OK/ }).waitFor();
    const variants = page.getByRole('table', { name: 'Flag variants of bad events' });
    await variants.getByRole('row', { name: /checkout-v2 = true 6 30 80% 200%/ }).waitFor();
    await sees(page, /Without checkout-v2 = true, this time would have spent 0% of its budget instead of 200%/);
    // All bad events are named so; 6 of 30 against 0 of 30 may be chance.
    const causes = page.getByRole('list', { name: 'Causes' });
    await causes.getByText('name = POST /pay; errors +100 points; explains 100 % of them').waitFor();
    await sees(page, /^6 selected traces compared with 54 others, \d+ attributes? left out/);
    const changes = page.getByRole('region', { name: 'Changes of flags and deploys' });
    await changes.getByRole('link', { name: 'checkout-v2' }).first().waitFor();
    await changes
      .getByRole('listitem')
      .filter({ hasText: /checkout version 1\.5\.0/ })
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('opens the failing traces of a time that is dragged over', async () => {
    const page = await openSlo();
    const chart = page.getByRole('figure', { name: /^Budget left/ });
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('the chart has no box');
    await page.mouse.move(box.x + box.width * 0.8, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.99, box.y + 100, { steps: 4 });
    await page.mouse.up();
    await isAt(page, /\/traces\?.*from=.*to=/);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('q')).toBe('(service.name == "checkout") and not (status != error\n)');
    await page.getByText('POST /pay').first().waitFor();
  });

  it('exports an SLO, and imports it again', async () => {
    const user = await app.workspace();
    const page = await openSlo();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export OpenSLO' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ apiVersion: 'openslo/v1', kind: 'SLO' });

    await page.goto(pathOf(user, '/slos'));
    await page.getByRole('heading', { name: 'No SLOs yet' }).waitFor();
    await page.getByRole('button', { name: 'Import OpenSLO' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import OpenSLO' });
    await dialog.getByLabel('Document').fill(text.replace('"Occurrences"', '"RatioTimeslices"'));
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog
      .getByText(/RatioTimeslices/)
      .last()
      .waitFor();
    await dialog.getByText('SVC-7050').waitFor();
    await dialog.getByLabel('Document').fill(text);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'Checkout answers' }).waitFor();
  });

  it.each([
    ['/explore', '/explore?q=spans', { source: 'spans', good: 'status != error' }],
    [
      '/logs',
      '/logs?service=checkout',
      {
        source: 'logs | where service.name == "checkout" and event_name != "feature_flag.evaluation"',
        good: 'severity < error',
      },
    ],
    [
      '/services',
      '/services/checkout',
      {
        name: 'checkout answers',
        source: 'spans | where service.name == "checkout" and (kind == server or kind == consumer)',
        good: 'status != error',
      },
    ],
  ])('is made of what %s shows', async (_name, path, indicator) => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, path) });
    await page.getByRole('link', { name: 'Create SLO' }).click();
    await isAt(page, /\/slos\/new/);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject(indicator);
    expect(await page.getByLabel('Good events meet').inputValue()).toBe(indicator.good);
  });

  it('shows on the page of a service what is at risk', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/services/checkout') });
    const risk = page.getByRole('region', { name: 'SLOs at risk' });
    await risk.getByText('Budget spent').waitFor();
    await risk.getByRole('link', { name: 'Checkout answers' }).click();
    await isAt(page, /\/slos\/[0-9a-f-]{36}/);
  });

  it('makes an SLO from a preview of the last day', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/slos/new') });
    await page.getByRole('button', { name: 'Create SLO' }).click();
    await sees(page, 'Write the condition of good events');
    await (await editorIn(page, 'Events')).fill('spans | where service.name == "checkout"');
    await page.getByLabel('Good events meet').fill('duration < 20ms');
    await sees(page, '0 of 60 events were good.');
    await page.getByLabel('Good events meet').fill('status != error');
    await sees(page, '54 of 60 events were good.');
    const slider = page.getByRole('slider', { name: 'Objective by slider' });
    await sees(page, 'Allows 43m 12s of total failure a month');
    await slider.press('Home');
    await sees(page, 'Allows 3d of total failure a month');
    expect(await page.getByRole('textbox', { name: 'Objective' }).inputValue()).toBe('90');
    await choose(page, 'Window', 'Calendar month');
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await page.getByLabel('Name').fill('Made here');
    await page.getByRole('button', { name: 'Create SLO' }).click();
    await page.getByRole('alert').getByText('SVC-1002').waitFor();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Create SLO' }).click();
    await isAt(page, /\/slos\/[0-9a-f-]{36}/);
    await page.getByRole('heading', { name: 'Made here' }).waitFor();

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Good events meet').fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await sees(page, /SVC-5001/);
    await page.getByLabel('Good events meet').fill('status != error');
    await page.getByRole('textbox', { name: 'Objective' }).fill('99.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await sees(page, 'objective 99.5% over calendar month (Europe/Berlin)');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete SLO' }).click();
    await isAt(page, /\/slos$/);
  });

  it('makes an SLO in PromQL, and opens what it counts in Explore', async () => {
    const calls = (matchers: string) => `sum(increase(traces_spanmetrics_calls_total{${matchers}}[1m]))`;
    const [good, total] = [calls('service="checkout",status_code!="STATUS_CODE_ERROR"'), calls('service="checkout"')];
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/slos/new?good=spans&total=spans') });
    await page.getByText('PromQL', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Good events' }).fill(good.replace('[1m]', '[5m]'));
    await page.getByRole('textbox', { name: 'All events' }).fill(total);
    await sees(page, /Events are counted by minute/);
    await page.getByLabel('Name').fill('In PromQL');
    await page.getByRole('button', { name: 'Create SLO' }).click();
    await sees(page, /SVC-7050/);
    await page.getByRole('textbox', { name: 'Good events' }).fill(good);
    await page.getByRole('figure', { name: 'Good and bad events of the last day' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create SLO' }).click();
    await isAt(page, /\/slos\/[0-9a-f-]{36}/);
    await page.getByRole('heading', { name: 'In PromQL' }).waitFor();
    const { data } = await app.owner.get(`${app.owner.workspace}/slos?search=PromQL`);
    expect(data[0].indicator).toEqual({ kind: 'ratio', query_language: 'promql', good, total });
    await page.getByRole('link', { name: /of the last day/ }).click();
    await isAt(page, /\/explore\?.*lang=promql/);
  });
});
