import { expect, it } from 'vitest';
import { type SignedUp, stored, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { violationsInBothSchemes } from './support/accessibility.ts';
import { pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendOtlp } from './support/otlp.ts';
import { screenshot } from './support/screenshot.ts';

const PHONE = { width: 390, height: 844 };
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const id = (index: number, digits: number) => (index + 1).toString(16).padStart(digits, '0');

describeInBrowser('charts', () => {
  const app = useApp('wilhelmina');

  /** Half an hour of requests of cart and frontend, each with a deploy in its middle; cart's requests evaluate `tax`. */
  async function withChanges(): Promise<SignedUp> {
    const user = await app.workspace();
    const now = Date.now();
    const minutes = Array.from({ length: 30 }, (_, index) => index);
    const at = (index: number) => `${now - (30 - index) * 60_000}000000`;
    const spansOf = (service: string, at0: number, version: string, of: readonly number[]) => ({
      resource: { attributes: [text('service.name', service), text('service.version', version)] },
      scopeSpans: [
        {
          spans: of.map((index) => ({
            traceId: id(at0 + index, 32),
            spanId: id(at0 + index, 16),
            name: 'GET /',
            kind: 2,
            startTimeUnixNano: at(index),
            endTimeUnixNano: String(BigInt(at(index)) + BigInt(1 + index * 10) * 1_000_000n),
          })),
        },
      ],
    });
    const [before, after] = [minutes.slice(0, 15), minutes.slice(15)];
    await sendOtlp(user, '/v1/traces', {
      resourceSpans: [
        spansOf('cart', 0, '1.0', before),
        spansOf('cart', 0, '2.0', after),
        spansOf('frontend', 100, '7.0', before),
        spansOf('frontend', 100, '8.0', after),
      ],
    });
    await sendOtlp(user, '/v1/logs', {
      resourceLogs: [
        {
          resource: { attributes: [text('service.name', 'prices')] },
          scopeLogs: [
            {
              logRecords: minutes.map((index) => ({
                timeUnixNano: at(index),
                traceId: id(index, 32),
                eventName: 'feature_flag.evaluation',
                attributes: [text('feature_flag.key', 'tax'), text('feature_flag.result.variant', 'true')],
              })),
            },
          ],
        },
      ],
    });
    const flags = flagsOf(user);
    for (const key of ['tax', 'banner']) {
      await flags.create(key);
      await flags.serve(key, { fallthrough: { variant: 'true' } });
    }
    await stored(user.base);
    const deployed = `${user.workspace}/annotations?from=now-1h&project=default&kind=deploy`;
    await until(async () => (await user.get(deployed)).data?.length === 2);
    return user;
  }

  it('of a service mark its own deploys and the flags that its traces evaluate, named on hover', async () => {
    const user = await withChanges();
    const page = await app.open({ as: user, path: pathOf(user, '/services/cart') });
    const marks = page
      .getByRole('figure', { name: /^Requests of cart/ })
      .getByRole('list', { name: 'Annotations' })
      .getByRole('button');
    const deploy = marks.and(page.getByRole('button', { name: 'cart 2.0' }));
    await deploy.waitFor();
    // The changes of the flag are a moment apart.
    const changes = marks.and(page.getByRole('button', { name: /tax|events/ }));
    await changes.waitFor();
    await deploy.hover();
    await page.getByRole('tooltip').getByText('cart 2.0').waitFor();
    await screenshot(page, 'chart-marks-light');
    await changes.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'Open the history of tax' }).first().waitFor();
    expect(await dialog.getByText('banner').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await marks.and(page.getByRole('button', { name: /frontend|banner/ })).count()).toBe(0);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await screenshot(page, 'chart-marks-dark');
  });

  it('of the whole project mark the deploys of all services', async () => {
    const user = await withChanges();
    const page = await app.open({ as: user, path: pathOf(user, '/services') });
    const marks = page.getByRole('figure', { name: /^Requests by service/ }).getByRole('list', { name: 'Annotations' });
    // Both deploys are at one place.
    await marks
      .getByRole('button', { name: /2 events from/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('cart 2.0').waitFor();
    await page.getByRole('dialog').getByText('frontend 8.0').waitFor();
  });

  it('have their marks in a row below the plot on a phone', async () => {
    const user = await withChanges();
    const page = await app.open({ as: user });
    await page.setViewportSize(PHONE);
    await page.goto(pathOf(user, '/services/cart'));
    const chart = page.getByRole('figure', { name: /^Requests of cart/ });
    const mark = chart.getByRole('button', { name: 'cart 2.0' });
    await mark.scrollIntoViewIfNeeded();
    const [plot, button] = [await chart.locator('canvas').boundingBox(), await mark.boundingBox()];
    expect(button?.y).toBeGreaterThanOrEqual((plot?.y ?? 0) + (plot?.height ?? 0));
    expect(button?.height).toBeGreaterThanOrEqual(24);
    await screenshot(page, 'chart-marks-phone');
    await mark.click();
    await page.getByRole('dialog').getByRole('link', { name: 'Open cart' }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
  });

  it('show the result of a histogram as bars over its bounds', async () => {
    const user = await withChanges();
    const query = encodeURIComponent('spans | histogram(duration, 50ms) by service.name');
    const page = await app.open({ as: user, path: pathOf(user, `/explore?q=${query}`) });
    const bars = page.getByRole('figure', {
      name: /^Histogram of duration of cart: 6 bars, most rows from 0 .* to 50 ms: 5$/,
    });
    await bars.waitFor();
    await screenshot(page, 'explore-histogram-light');
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await screenshot(page, 'explore-histogram-dark');
    await page.getByText('Table', { exact: true }).click();
    await sees(page, '50 ms');
    await bars.waitFor({ state: 'detached' });
  });
});
