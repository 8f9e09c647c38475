import { beforeAll, expect, it } from 'vitest';
import { type SignedUp, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { isAt, pathOf, useApp } from './support/app.ts';
import { describeInBrowser, PATIENCE_MS } from './support/chromium.ts';
import { countClicks, drawBox } from './support/clicks.ts';
import { screenshot } from './support/screenshot.ts';
import { sendPictures } from './support/telemetry.ts';

describeInBrowser('from a symptom to its cause', () => {
  const app = useApp('evelyn');
  /** Requests of which a third fails slowly with a variant of a flag, and the alert about them. The tests only look at them. */
  let user: SignedUp;
  let alert: string;

  beforeAll(async () => {
    user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('image-cdn');
    await flags.serve('image-cdn', { fallthrough: { variant: 'false' }, off_variant: 'false' });
    await sendPictures(user, { flag: 'image-cdn', count: 400 });
    const rule = await user.post(`${user.workspace}/alert-rules`, {
      name: 'Pictures fail',
      project: 'default',
      query: 'spans | stats value=ratio(status == error) by service.name',
      condition: { op: '>', threshold: 0.01 },
      window: '1h',
      every: '10s',
      offset: '0s',
    });
    expect(rule.status, rule.text).toBe(201);
    alert = await until(
      async () => (await user.get(`${user.workspace}/alert-instances?state=firing&rule=${rule.data.id}`)).data[0]?.id,
      2 * PATIENCE_MS,
    );
  });

  it('leads from the list of alerts to the cause and its action in at most three', async () => {
    const page = await app.open({ as: user, path: pathOf(user, '/alerts') });
    const row = page
      .getByRole('table', { name: 'Firing and pending alerts' })
      .getByRole('row', { name: /Pictures fail/ });
    await row.getByText(/^image-cdn/).waitFor();
    const clicks = await countClicks(page);
    await row.getByRole('link', { name: 'Pictures fail' }).click();
    await isAt(page, new RegExp(`/alerts/${alert}`));
    const causes = page.getByRole('list', { name: 'Causes' });
    await causes.getByText(/^image-cdn.*only in traces with `true`/).waitFor();
    await causes.getByRole('button', { name: 'Turn off image-cdn' }).waitFor();
    expect(await clicks()).toBeLessThanOrEqual(3);
    await screenshot(page, 'clicks-alert');
  });

  it('shows the cause without a click to those who follow a notification', async () => {
    const { data } = await user.get(`${user.workspace}/alert-instances/${alert}`);
    expect(data.rule_name).toBe('Pictures fail');
    const page = await app.open({ as: user, path: pathOf(user, `/alerts/${alert}`) });
    await page
      .getByRole('list', { name: 'Causes' })
      .getByText(/^image-cdn.*only in traces with `true`/)
      .waitFor();
  });

  it('leads from a box around slow traces to the cause and its action in at most two', async () => {
    const page = await app.open({ as: user, path: pathOf(user, '/traces') });
    const plot = page.getByRole('img', { name: 'Durations of spans over time' });
    await plot.waitFor();
    const clicks = await countClicks(page);
    await drawBox(page, plot, { left: 0.06, top: 0.01, right: 0.995, bottom: 0.4 });
    const causes = page.getByRole('list', { name: 'Causes' });
    await causes.getByText(/^image-cdn; slow traces .*only in traces with `true`/).waitFor();
    await causes.getByRole('button', { name: 'Turn off image-cdn' }).waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
    await screenshot(page, 'clicks-traces');
  });

  it('ranks the causes of an error', async () => {
    const { data } = await user.get(`${user.workspace}/error-groups?project=default`);
    const page = await app.open({ as: user, path: pathOf(user, `/errors?error=${data[0].id}`) });
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByText(/^image-cdn; .*only in traces with `true`/).waitFor();
    await why.getByRole('button', { name: 'Turn off image-cdn' }).waitFor();
  });

  it('ranks the causes of failing requests of a service', async () => {
    const page = await app.open({ as: user, path: pathOf(user, '/services/pictures') });
    const why = page.getByRole('region', { name: 'Why requests fail' });
    await why.getByText(/^image-cdn; errors .*only in traces with `true`/).waitFor();
    await why.getByRole('button', { name: 'Turn off image-cdn' }).waitFor();
    await screenshot(page, 'why-service');
  });

  it('shows the label of a change on a chart of a service beside the number of the chart', async () => {
    const page = await app.open({ as: user, path: pathOf(user, '/services/pictures') });
    const panel = page.getByRole('region', { name: 'Errors', exact: true }).first();
    const mark = panel.getByRole('list', { name: 'Annotations' }).getByRole('button').first();
    await mark.hover();
    const label = page.getByRole('tooltip');
    await label.waitFor();
    const number = await panel.getByText('16.8%', { exact: true }).boundingBox();
    await screenshot(page, 'service-mark');
    // It gets its place a moment after it appears.
    await expect
      .poll(async () => (await label.boundingBox())?.y)
      .toBeGreaterThanOrEqual((number?.y ?? 0) + (number?.height ?? 0));
  });
});
