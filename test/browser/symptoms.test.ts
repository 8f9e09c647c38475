import { randomBytes } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { SignedUp } from '../../packages/server/src/testing/test-client.ts';
import { seriousInBothSchemes } from './support/accessibility.ts';
import {
  type App,
  choose,
  editorIn,
  hasFocus,
  isAt,
  isDisabled,
  pathOf,
  sees,
  takesFocus,
  useApp,
} from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendMetrics } from './support/metrics.ts';
import { sendRequests } from './support/requests.ts';
import { screenshot } from './support/screenshot.ts';

const requests = 'spans | where service.name == "checkout" and (kind == server or kind == consumer)';

async function withRequests(app: App): Promise<SignedUp> {
  const user = await app.workspace();
  await sendRequests(user);
  return user;
}

async function chooseFrom(page: Page, select: string, option: RegExp): Promise<void> {
  await page.getByRole('combobox', { name: select, exact: true }).click();
  await page.getByRole('option', { name: option }).click();
}

/** Drags a line by some pixels. */
async function drag(page: Page, line: Locator, by: { x?: number; y?: number }): Promise<void> {
  await line.scrollIntoViewIfNeeded();
  const box = await line.boundingBox();
  if (box === null) throw new Error('the line is not drawn');
  const [x, y] = [box.x + Math.min(100, box.width / 2), box.y + Math.min(30, box.height / 2)];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + (by.x ?? 0), y + (by.y ?? 0), { steps: 4 });
  await page.mouse.up();
}

describeInBrowser('alert rules without OQL', () => {
  const app = useApp('ida');

  async function onlyRule(user: SignedUp) {
    const [rule] = (await user.get(`${user.workspace}/alert-rules`)).data;
    return rule as { name: string; query: string; kind: string; condition: { op: string; threshold: number } };
  }

  it('saves a latency threshold that was suggested and then dragged', async () => {
    const user = await withRequests(app);
    const page = await app.open({ as: user, path: pathOf(user, '/alerts/rules/new') });
    await chooseFrom(page, 'Service', /^checkout\s*1,200 requests in a day$/);
    await choose(page, 'Watch', 'Latency');
    await chooseFrom(page, 'Operation', /^POST \/pay/);
    const query = `${requests} and name == "POST /pay" | stats value=p95(duration) by service.name`;
    await expect.poll(async () => (await editorIn(page)).textContent()).toBe(query);
    await sees(page, /^p95 since .* is 200 ms, by windows of 5m\. At 200 ms, the rule would have fired 2 times\./);
    await page.getByRole('figure', { name: /^Values of the rule/ }).waitFor();
    expect(await seriousInBothSchemes(page)).toEqual([]);
    await screenshot(page, 'alert-builder-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Use 200 ms' }).click();
    const threshold = page.getByRole('textbox', { name: 'Threshold' });
    expect(await threshold.inputValue()).toBe('200');
    await screenshot(page, 'alert-builder');
    await drag(page, page.getByRole('slider', { name: 'Threshold' }), { y: -80 });
    await expect.poll(() => threshold.inputValue()).not.toBe('200');
    const dragged = Math.round(Number(await threshold.inputValue()) * 1e6);
    expect(dragged).toBeLessThan(1.9e9);
    // A number that one would type.
    expect(dragged % 1e7).toBe(0);
    expect(dragged).toBeGreaterThan(0.5e9);
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await isAt(page, /\/alerts\/rules\/[0-9a-f-]{36}/);
    expect(await onlyRule(user)).toMatchObject({
      name: 'checkout POST /pay: p95 latency',
      query,
      kind: 'threshold',
      condition: { op: '>', threshold: dragged },
      window: '5m',
    });
    // The rule opens as it was chosen.
    expect(await page.getByRole('combobox', { name: 'Operation', exact: true }).inputValue()).toBe('POST /pay');
    await page.setViewportSize({ width: 390, height: 844 });
    await screenshot(page, 'alert-builder-phone');
  });

  it('creates a rule by keyboard alone', async () => {
    const user = await withRequests(app);
    const page = await app.open({ as: user, path: pathOf(user, '/alerts/rules/new') });
    const service = page.getByRole('combobox', { name: 'Service', exact: true });
    await service.focus();
    await page.keyboard.type('che');
    await page.getByRole('option', { name: /^checkout/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => service.inputValue()).toBe('checkout');
    const use = page.getByRole('button', { name: /^Use \d/ });
    await use.focus();
    await page.keyboard.press('Enter');
    const threshold = page.getByRole('textbox', { name: 'Threshold' });
    await expect.poll(() => threshold.inputValue()).not.toBe('');
    const before = Number(await threshold.inputValue());
    const line = page.getByRole('slider', { name: 'Threshold' });
    await use.press('Tab');
    await hasFocus(line);
    await page.keyboard.press('ArrowUp');
    await expect.poll(async () => Number(await threshold.inputValue())).toBeGreaterThan(before);
    expect(await line.getAttribute('aria-valuetext')).toMatch(/%$/);
    const saved = Number(await threshold.inputValue()) / 100;
    await page.getByRole('button', { name: 'Create alert rule' }).press('Enter');
    await isAt(page, /\/alerts\/rules\/[0-9a-f-]{36}/);
    const rule = await onlyRule(user);
    expect(rule.query).toBe(`${requests} | stats value=ratio(status == error) by service.name`);
    expect(rule.condition.threshold).toBeCloseTo(saved);
  });

  it('keeps a query that is edited by hand, and does not offer to choose what it cannot show', async () => {
    const user = await withRequests(app);
    const page = await app.open({ as: user, path: pathOf(user, '/alerts/rules/new') });
    await chooseFrom(page, 'Service', /^checkout/);
    const editor = await editorIn(page);
    await expect.poll(() => editor.textContent()).toContain('checkout');
    await editor.press('Control+End');
    await editor.pressSequentially(', http.route | limit 5');
    await page.getByRole('combobox', { name: 'Watch', exact: true }).waitFor({ state: 'detached' });
    expect(await editor.textContent()).toBe(
      `${requests} | stats value=ratio(status == error) by service.name, http.route | limit 5`,
    );
    await isDisabled(page.getByRole('radio', { name: 'Choose' }));
    for (const _ of ' | limit 5') await editor.press('Backspace');
    await page.getByText('Choose', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Watch', exact: true }).waitFor();
    await page.getByText('http.route', { exact: true }).first().waitFor();
  });

  it('says what to do while there is no data', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/alerts/rules/new') });
    await sees(page, /No service has sent telemetry\. See First steps/);
    await sees(page, 'Choose what to watch, or write a query, to see its values and the threshold here.');
    await choose(page, 'Watch', 'Error rate');
    await sees(page, /A threshold is suggested once there are 20 values\./);
    await choose(page, 'Watch', 'Metric');
    await sees(page, 'No metric arrived within a day.');
  });
});

describeInBrowser('SLOs without OQL', () => {
  const app = useApp('lise');

  async function onlySlo(user: SignedUp) {
    const [slo] = (await user.get(`${user.workspace}/slos`)).data;
    return slo as {
      name: string;
      indicator: { source: string; good: string };
      objective: number;
      burn_alerts: boolean;
    };
  }

  it('saves a latency whose threshold was dragged, with the objective that the past suggests', async () => {
    const user = await withRequests(app);
    const page = await app.open({ as: user, path: pathOf(user, '/slos/new') });
    await chooseFrom(page, 'Service', /^checkout/);
    await choose(page, 'Promise', 'Latency');
    const condition = page.getByLabel('Good events meet');
    await expect.poll(() => condition.inputValue()).toBe('duration < 300ms');
    await page.getByRole('figure', { name: 'Durations of the last 7 days' }).waitFor();
    // 10 of 1,200 took longer.
    await sees(page, /1,190 of 1,200 events since .* were good: 99\.16%\. At 99\.9%, they would have spent 833\.3% of/);
    expect(await seriousInBothSchemes(page)).toEqual([]);
    await screenshot(page, 'slo-builder-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await screenshot(page, 'slo-builder');
    await page.getByRole('button', { name: 'Use 99%' }).click();
    await sees(page, /At 99%, they would have spent 83\.3+% of/);
    const line = page.getByRole('slider', { name: 'Threshold by line' });
    await drag(page, line, { x: 60 });
    await expect.poll(() => condition.inputValue()).not.toBe('duration < 300ms');
    const dragged = Number(await page.getByRole('textbox', { name: 'Threshold' }).inputValue());
    expect(dragged).toBeGreaterThan(300);
    await line.press('ArrowLeft');
    await expect.poll(async () => Number(await line.getAttribute('aria-valuenow'))).toBeLessThan(dragged * 1e6);
    const good = await condition.inputValue();
    await page.getByRole('button', { name: 'Create SLO' }).click();
    await isAt(page, /\/slos\/[0-9a-f-]{36}$/);
    expect(await onlySlo(user)).toMatchObject({
      name: 'checkout is fast',
      indicator: { kind: 'events', source: requests, good },
      objective: 0.99,
      burn_alerts: true,
    });
    await page.getByRole('link', { name: 'Edit' }).click();
    await expect.poll(() => page.getByRole('combobox', { name: 'Promise', exact: true }).inputValue()).toBe('Latency');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('figure', { name: 'Durations of the last 7 days' }).scrollIntoViewIfNeeded();
    await screenshot(page, 'slo-builder-phone');
  });

  it('creates one by keyboard alone, and keeps a condition that is edited by hand', async () => {
    const user = await withRequests(app);
    const page = await app.open({ as: user, path: pathOf(user, '/slos/new') });
    const promise = page.getByRole('combobox', { name: 'Promise', exact: true });
    await promise.press('ArrowDown');
    await page.getByRole('option', { name: 'Availability' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => promise.inputValue()).toBe('Availability');
    const use = page.getByRole('button', { name: /^Use [\d.]+%/ });
    await use.press('Enter');
    await use.waitFor({ state: 'detached' });
    const condition = page.getByLabel('Good events meet');
    await condition.press('End');
    await condition.pressSequentially(' and duration < 1s');
    await promise.waitFor({ state: 'detached' });
    expect(await condition.inputValue()).toBe('status != error and duration < 1s');
    await isDisabled(page.getByRole('radio', { name: 'Choose' }));
    await page.getByRole('button', { name: 'Create SLO' }).press('Enter');
    await isAt(page, /\/slos\/[0-9a-f-]{36}$/);
    const { name, indicator } = await onlySlo(user);
    expect({ name, good: indicator.good }).toEqual({
      name: 'Services answer',
      good: 'status != error and duration < 1s',
    });
  });
});

describeInBrowser('Explore without OQL', () => {
  const app = useApp('hedy');

  it('builds a query from forms, changes its parts in forms, and follows the text', async () => {
    const user = await withRequests(app);
    const page = await app.open({ as: user, path: pathOf(user, '/explore?from=now-6h') });
    const parts = page.getByRole('list', { name: 'Parts of the query' });
    const editor = await editorIn(page);
    const form = page.getByRole('dialog');
    await parts.getByRole('button', { name: 'Filter' }).click();
    await takesFocus(form);
    await chooseFrom(page, 'Field', /^duration$/);
    await chooseFrom(page, 'Operator', /^is more than$/);
    await form.getByRole('combobox', { name: 'Value' }).fill('100ms');
    await page.keyboard.press('Enter');
    await expect.poll(() => editor.textContent()).toBe('spans | where duration > 100ms');
    await parts.getByRole('button', { name: 'Filter' }).click();
    await takesFocus(form);
    await chooseFrom(page, 'Field', /^service\.name$/);
    await form.getByRole('combobox', { name: 'Value' }).click();
    // The values are those of the data.
    await page.getByRole('option', { name: 'checkout', exact: true }).click();
    await form.getByRole('button', { name: 'Add filter' }).press('Enter');
    await parts.getByRole('button', { name: 'Summarize' }).click();
    await chooseFrom(page, 'Measure', /^p95 of$/);
    await form.getByRole('combobox', { name: 'By' }).fill('name');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Summarize' }).press('Enter');
    await page.getByRole('figure', { name: /^p95 over time/ }).waitFor();
    const filtered = 'spans | where duration > 100ms and service.name == "checkout"';
    expect(await editor.textContent()).toBe(`${filtered} | stats p95=p95(duration) by name, bucket(auto)`);

    await parts.getByRole('button', { name: 'Edit stats p95=p95(duration) by name, bucket(auto)' }).click();
    expect(await form.getByRole('combobox', { name: 'Measure' }).inputValue()).toBe('p95 of');
    expect(await seriousInBothSchemes(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await screenshot(page, 'explore-builder');
    await chooseFrom(page, 'Measure', /^Count$/);
    await form.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('figure', { name: /^n over time/ }).waitFor();
    await parts.getByRole('button', { name: 'Edit duration > 100ms' }).press('Enter');
    await form.getByRole('combobox', { name: 'Value' }).fill('1s');
    await page.keyboard.press('Enter');
    const counted = ' and service.name == "checkout" | stats n=count() by name, bucket(auto)';
    await expect.poll(() => editor.textContent()).toBe(`spans | where duration > 1s${counted}`);

    // What no form can show stays a text.
    await editor.press('Control+a');
    await editor.press('Backspace');
    await page.keyboard.insertText('spans | where duration > 1s or status == error | limit 5');
    await parts.getByRole('button', { name: 'Edit duration > 1s or status == error' }).click();
    expect(await form.getByLabel('Condition').inputValue()).toBe('duration > 1s or status == error');
  });

  it('draws a metric that is chosen from the list', async () => {
    const user = await app.workspace();
    await sendMetrics(user, randomBytes(16).toString('hex'));
    const page = await app.open({ as: user, path: pathOf(user, '/explore') });
    await choose(page, 'Source', 'metric…');
    await chooseFrom(page, 'Metric', /^orders$/);
    await page.getByRole('figure', { name: /over time/ }).waitFor();
    await expect
      .poll(async () => (await editorIn(page)).textContent())
      .toBe('metric orders | rate | sum by bucket(auto)');
  });
});
