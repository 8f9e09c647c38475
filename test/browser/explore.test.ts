import { expect, it } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations, violationsInBothSchemes } from './support/accessibility.ts';
import { act, editorIn, hasCount, hasFocus, isAt, pathOf, sees, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendOtlp } from './support/otlp.ts';
import { shopToLookAt } from './support/shop.ts';

describeInBrowser('telemetry in the browser', () => {
  const app = useApp('vera');

  /** A page in a workspace with the telemetry of a shop. */
  async function visit(path: string) {
    const { user, traceId } = await shopToLookAt(app.base);
    const page = await app.open({ as: user, path: pathOf(user, path) });
    return { page, user, traceId };
  }
  const explore = (query: string) => visit(`/explore?q=${encodeURIComponent(query)}`);

  it('starts from an example', async () => {
    const { page } = await visit('/explore');
    await page.getByRole('button', { name: /Requests, errors and latency per service/ }).click();
    const table = page.getByRole('table', { name: 'Query results' });
    await table.getByText('payments').waitFor();
    await isAt(page, /q=spans/);
  });

  it('marks an error in the editor and fixes it with one click', async () => {
    const { page } = await visit('/explore');
    await (await editorIn(page)).click();
    await page.keyboard.insertText('spans | wher duration > 1ms | limit 3');
    const mark = page.locator('.cm-lintRange-error').first();
    await mark.hover();
    await page.locator('.cm-tooltip').getByRole('button', { name: 'where' }).click();
    await page.getByText('spans | where duration > 1ms | limit 3').waitFor();
    await page.keyboard.press('Control+Enter');
    await sees(page, '3 rows');
  });

  it('edits the query by its parts and updates its text', async () => {
    const { page } = await explore('spans | where status == error | limit 5');
    const parts = page.getByRole('list', { name: 'Parts of the query' });
    await parts.getByRole('button', { name: 'Remove limit 5' }).click();
    await page.getByText('spans | where status == error', { exact: true }).waitFor();
    await parts.getByRole('button', { name: 'Filter' }).click();
    await takesFocus(page.getByRole('dialog'));
    await page.getByRole('combobox', { name: 'Field' }).fill('service.name');
    await page.getByRole('combobox', { name: 'Value' }).fill('payments');
    await page.keyboard.press('Enter');
    await page.getByText('spans | where status == error and service.name == "payments"', { exact: true }).waitFor();
    await parts.getByRole('button', { name: 'Summarize' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Summarize' }).click();
    await page.getByRole('figure', { name: /^n over time/ }).waitFor();
    await isAt(page, /stats\+n/);
    await page.getByText('List', { exact: true }).click();
    await page.getByRole('list', { name: 'Query results' }).getByRole('listitem').first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('runs a query in PromQL', async () => {
    const { page } = await visit('/explore');
    await page.getByText('PromQL', { exact: true }).click();
    await page.getByRole('textbox', { name: 'PromQL query' }).fill('vector(7) + 1');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('figure', { name: 'value over time' }).waitFor();
    await isAt(page, /lang=promql/);
    await page.getByText('Table', { exact: true }).click();
    await page.getByRole('table', { name: 'Query results' }).getByText('8').first().waitFor();
    await page.reload();
    await page.getByRole('textbox', { name: 'PromQL query' }).fill('sum(');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await sees(page, 'The query is not valid');
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('marks the matches of a query with context, and mutes their neighbors', async () => {
    const { page } = await explore(
      'logs | where body == "card declined for order 3" | context 1 | fields time, body, match',
    );
    const table = page.getByRole('table', { name: 'Query results' });
    const row = (name: RegExp) => table.getByRole('row', { name });
    await row(/card declined for order 3 match$/).waitFor();
    await row(/card declined for order 2 context$/).waitFor();
    await hasCount(table.getByRole('cell', { name: 'match', exact: true }), 1);
    const weight = (of: RegExp) =>
      row(of)
        .getByRole('cell', { name: /card declined/ })
        .evaluate((cell) => Number(getComputedStyle(cell).fontWeight));
    expect(await weight(/order 3/)).toBeGreaterThan(await weight(/order 2/));
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('shows the position of an error in an invalid query, and repairs it with one click', async () => {
    const { page } = await explore('spans | wher duration > 1ms | limit 3');
    const errors = page.getByRole('alert', { name: 'Query errors' });
    await errors
      .getByText(/OQL-\d{4}/)
      .first()
      .waitFor();
    await errors.getByRole('button', { name: 'Use where' }).click();
    await sees(page, '3 rows');
    await isAt(page, /q=spans\+%7C\+where/);
  });

  it('closes the list of completions when the query runs', async () => {
    const { page } = await visit('/explore');
    await (await editorIn(page)).click();
    await page.keyboard.insertText('spans | limit 3 | fields name');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Control+Enter');
    await sees(page, '3 rows');
    await hasCount(page.getByRole('option'), 0);
  });

  it('puts a query of one line into a strip of 88 pixels', async () => {
    const { page } = await explore('spans | limit 3');
    await sees(page, '3 rows');
    const strip = await page.getByRole('region', { name: 'Query', exact: true }).boundingBox();
    expect(strip?.height).toBeLessThanOrEqual(88);
  });

  it('draws measures of one unit in one chart, with a legend that sorts and isolates', async () => {
    const { page } = await explore(
      'spans | stats p50=p50(duration), p99=p99(duration), failed=ratio(status == error) by service.name, bucket(5m)',
    );
    await page.getByRole('figure', { name: /^p50, p99 over time/ }).waitFor();
    await page.getByRole('figure', { name: /^failed over time.*payments: last 100%/ }).waitFor();
    await hasCount(page.getByRole('figure'), 2);
    const legend = page.getByRole('table', { name: 'Series' }).first();
    await hasCount(legend.getByRole('row'), 5);
    await legend.getByRole('button', { name: 'Max' }).click();
    await expect.poll(() => legend.getByRole('row').nth(1).innerText()).toMatch(/^frontend · p99/);
    await legend.getByRole('row', { name: /^payments · p50/ }).click();
    await legend.locator('tr[data-selected]', { hasText: 'payments · p50' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('never shows the crosshair beyond the data', async () => {
    const { page } = await explore('from -3h to now; spans | stats n=count() by bucket(1h)');
    const plot = page.locator('.u-over').first();
    const box = await plot.boundingBox();
    if (!box) throw new Error('the chart has no area');
    await page.mouse.move(box.x + box.width - 1, box.y + 50);
    const crosshair = page.locator('.u-cursor-x').first();
    // The start of the last hour is at least a few pixels before the end of the window, except in its first minute.
    const times = await page.getByRole('figure').locator('time, [class*=when]').first().innerText();
    expect(times).toMatch(/:00:00/);
    const at = (await crosshair.boundingBox())?.x ?? 0;
    await page.mouse.move(box.x + box.width - 8, box.y + 50);
    expect((await crosshair.boundingBox())?.x).toBe(at);
  });

  it('opens the palette from the editor and returns the focus to it', async () => {
    const { page } = await visit('/explore');
    const editor = await editorIn(page);
    await editor.click();
    await page.keyboard.press('Control+k');
    await hasFocus(page.getByRole('combobox', { name: 'Go to a page, flag or service' }));
    await page.keyboard.press('Escape');
    await hasFocus(editor);
  });

  it('completes typed text', async () => {
    const { page } = await visit('/explore');
    await (await editorIn(page)).click();
    await page.keyboard.type('spans | sta');
    await page.getByRole('option', { name: /stats/ }).first().waitFor();
  });

  it('draws a time series and sets the range when dragged over', async () => {
    const { page } = await explore('spans | stats n=count() by service.name, bucket(1m)');
    await page.getByRole('table', { name: 'Series' }).getByText('frontend').waitFor();
    const plot = page.locator('.u-over').first();
    const box = await plot.boundingBox();
    if (!box) throw new Error('the chart has no area');
    await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
    await sees(page, /\d\d:\d\d:00/);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await isAt(page, /from=20\d\d-.*&to=20\d\d-/);
    await page.goBack();
    await page.getByRole('button', { name: 'Time range: Last hour' }).waitFor();
  });

  it('shows the result as a table, and a full row', async () => {
    const { page } = await explore('spans | stats n=count() by service.name, bucket(5m)');
    await page.getByRole('radiogroup', { name: 'Show as' }).getByText('Table').click();
    await isAt(page, /view=table/);
    await page.getByRole('table', { name: 'Query results' }).getByRole('row').nth(1).click();
    await page.getByRole('complementary', { name: 'Row' }).getByRole('rowheader', { name: 'service.name' }).waitFor();
  });

  it('filters by a click on a cell, and by the value under the pointer', async () => {
    const { page } = await explore('spans | stats n=count(), failed=ratio(status == error) by service.name');
    const table = page.getByRole('table', { name: 'Query results' });
    await table.getByRole('row', { name: /payments 30 100%/ }).waitFor();
    await table.getByRole('button', { name: 'payments' }).click();
    await page.getByText('spans | where service.name == "payments" | stats').first().waitFor();
    await hasCount(table.getByRole('row'), 2);
    const without = page.getByRole('button', { name: 'Without this service.name' });
    await act(table.getByRole('button', { name: 'payments' }), without);
    await sees(page, 'No matches');
  });

  it('shows numbers beside their names', async () => {
    const { page } = await explore('spans | stats n=count() by service.name');
    const table = page.getByRole('table', { name: 'Query results' });
    const name = await table.getByRole('columnheader', { name: 'service.name' }).boundingBox();
    const number = await table.getByRole('columnheader', { name: 'n', exact: true }).boundingBox();
    if (!name || !number) throw new Error('the table has no columns');
    expect(number.x + number.width - (name.x + name.width)).toBeLessThan(200);
    expect(name.width).toBeLessThan(300);
  });

  it.each([
    ['CSV', 'service.name,n'],
    ['NDJSON', '{"service.name":'],
  ])('downloads the result as %s', async (label, beginning) => {
    const { page } = await explore('spans | stats n=count() by service.name | sort service.name');
    await page.getByRole('table', { name: 'Query results' }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Download as ${label}`, exact: true }).click(),
    ]);
    const stream = await file.createReadStream();
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text.startsWith(beginning), text.slice(0, 100)).toBe(true);
    expect(text).toContain('payments');
  });

  it('names the dialogs of the time range and of the parts of a query', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/explore?q=spans') });
    for (const [button, dialog] of [
      [/^Time range/, 'Time range'],
      ['Filter', 'Filter'],
      ['Summarize', 'Summarize'],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).first().click();
      await page.getByRole('dialog', { name: dialog }).waitFor();
      expect(await violationsInBothSchemes(page), dialog).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('explains a query: normal form, stages, SQL', async () => {
    const { page } = await explore('spans|where status==error|limit 5');
    await page.getByRole('button', { name: 'Explain' }).click();
    const explanation = page.getByRole('dialog', { name: 'Explain' });
    await explanation.getByText('spans | where status == error | limit 5').waitFor();
    await explanation
      .getByRole('region', { name: 'SQL' })
      .getByText(/SELECT/i)
      .waitFor();
  });

  it('suggests a next step when a query returns no rows', async () => {
    const { page } = await explore('spans | where service.name == "nobody"');
    await page.getByRole('button', { name: 'Show the last 24 hours' }).click();
    await isAt(page, /from=now-24h/);
  });

  it('lists services with rate, errors and latency, and opens one', async () => {
    const { page } = await visit('/services');
    const row = page.getByRole('row', { name: /payments/ });
    await row.getByText('100%').waitFor();
    await row.getByRole('link', { name: 'payments' }).click();
    await page.getByRole('heading', { name: 'payments', level: 1 }).waitFor();
    await page.getByRole('table', { name: 'Operations' }).getByText('POST /charge').waitFor();
  });

  it('finds traces by service and outcome', async () => {
    const { page } = await visit('/traces');
    await page.getByRole('img', { name: 'Durations of spans over time' }).waitFor();
    await page.getByRole('table', { name: 'Traces' }).getByRole('link', { name: 'POST /checkout' }).first().waitFor();
    await page.getByRole('radiogroup', { name: 'Outcome' }).getByText('Errors').click();
    await page.getByRole('table', { name: 'Traces' }).getByRole('link', { name: 'POST /charge' }).first().waitFor();
    await isAt(page, /status=error/);
  });

  it('opens a trace by its short URL, with tree, error, keyboard and search', async () => {
    const { user, traceId } = await shopToLookAt(app.base);
    const page = await app.open({ as: user, path: `/traces/${traceId}` });
    await isAt(page, new RegExp(`/w/${user.slug}/default/traces/${traceId}`));
    const tree = page.getByRole('tree', { name: 'Spans of the trace' });
    const items = tree.getByRole('treeitem');
    await hasCount(items, 3);
    await tree.focus();
    await page.keyboard.press('End');
    const panel = page.getByRole('complementary', { name: 'Span POST /charge' });
    await panel.getByText('card declined').first().waitFor();
    await panel.getByRole('tab', { name: 'Events 1' }).click();
    await panel.getByText('card <b>declined</b>').waitFor();
    await panel.getByRole('tab', { name: 'Profile' }).click();
    await panel.getByText('No samples of this span').waitFor();
    await page.keyboard.press('Escape');
    await hasCount(panel, 0);
    await tree.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await hasCount(items, 1);
    await page.keyboard.press('ArrowRight');
    await hasCount(items, 3);
    await page.keyboard.press('End');
    await panel.getByRole('row', { name: 'http.route /checkout' }).hover();
    await panel.getByRole('button', { name: 'Only with this http.route' }).click();
    await isAt(page, /traces\?.*q=http\.route/);
    await page.goBack();
    await page.getByLabel('Search spans').fill('payments');
    await sees(page, '2 matches');
    // The URL contains the selection and the search.
    await isAt(page, /span=[0-9a-f]{16}.*q=payments|q=payments.*span=[0-9a-f]{16}/);
  });

  it('searches logs by words, and links a line to its trace', async () => {
    const { page, traceId } = await visit('/logs');
    await (await editorIn(page, 'Words in the body, or a condition in OQL')).fill('declined 29');
    await page.keyboard.press('Enter');
    await isAt(page, /q=declined\+29/);
    await page.getByRole('table', { name: 'Log lines' }).getByText('card declined for order 29').click();
    await page.getByRole('complementary', { name: 'Log line' }).getByRole('link', { name: 'Open the trace' }).click();
    await isAt(page, new RegExp(`/traces/${traceId}`));
  });

  it('shows that a trace does not exist', async () => {
    const { page } = await visit(`/traces/${'0'.repeat(31)}1`);
    await page.getByRole('alert').getByText('SVC-5004').waitFor();
  });

  it('keeps only the visible ones of ten thousand spans in the document', async () => {
    const user = await app.workspace();
    const big = `${'b'.repeat(31)}1`;
    const id = (index: number) => (index + 1).toString(16).padStart(16, '0');
    const start = Date.now() - 60_000;
    const spans = Array.from({ length: 10_000 }, (_, index) => ({
      traceId: big,
      spanId: id(index),
      ...(index > 0 && { parentSpanId: id(Math.floor((index - 1) / 4)) }),
      name: `step ${index}`,
      kind: 1,
      startTimeUnixNano: `${start + index}000000`,
      endTimeUnixNano: `${start + index + 20}000000`,
    }));
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'wide' } }] };
    await sendOtlp(user, '/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    await until(async () => {
      const trace = await user.get(`${user.workspace}/traces/${big}`);
      return trace.status === 200 && trace.data.spans.length === 10_000;
    });
    const page = await app.open({ as: user, path: pathOf(user, `/traces/${big}`) });
    await sees(page, '10k spans');
    const items = page.getByRole('treeitem');
    await items.first().waitFor();
    expect(await items.count()).toBeLessThan(80);
    await page.getByRole('tree').focus();
    await page.keyboard.press('End');
    await page.getByRole('complementary', { name: /Span step/ }).waitFor();
    expect(await items.count()).toBeLessThan(80);
  });
});
