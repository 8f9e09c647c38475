import { beforeAll, expect, it } from 'vitest';
import { type SignedUp, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf, half } from '../flags/support.ts';
import { seriousInBothSchemes, seriousViolations } from './support/accessibility.ts';
import { hasFocus, isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser, PATIENCE_MS } from './support/chromium.ts';
import { sendPictures, sendShop } from './support/telemetry.ts';

const query = 'spans | stats value=ratio(status == error) by service.name';

describeInBrowser('alerts', () => {
  const app = useApp('grete');

  /** A workspace with a shop whose payments fail. */
  async function withShop() {
    const user = await app.workspace();
    await sendShop(user);
    return user;
  }

  async function createChannel(user: SignedUp) {
    const channel = { name: 'On call', kind: 'email', config: { to: ['ada@example.com'] } };
    const answer = await user.post(`${user.workspace}/channels`, channel);
    expect(answer.status, answer.text).toBe(201);
    return answer.data as { id: string };
  }

  async function createRule(user: SignedUp, name: string, more: object = {}) {
    const answer = await user.post(`${user.workspace}/alert-rules`, {
      name,
      project: 'default',
      query,
      condition: { op: '>', threshold: 0.5 },
      window: '1h',
      every: '10s',
      offset: '0s',
      labels: { team: 'shop' },
      ...more,
    });
    expect(answer.status, answer.text).toBe(201);
    return answer.data as { id: string };
  }

  /**
   * A shop whose payments fail, with the alert about it: notified, with a flag that ramps; and two alerts of another rule.
   * It takes seconds until a rule fires, so the tests share it; each has its own silences, and only one changes the flag.
   */
  let failing: { readonly user: SignedUp; readonly alert: string };

  beforeAll(async () => {
    const user = await withShop();
    const flags = flagsOf(user);
    await flags.create('new-checkout');
    await flags.serve('new-checkout');
    const steps = [{ weight: 5_000, hold: '1h' }];
    const ramp = await user.post(`${flags.path('new-checkout')}/ramp`, { variant: 'false', steps });
    expect(ramp.status, ramp.text).toBe(201);
    const { id } = await createChannel(user);
    const [root] = (await user.get(`${user.workspace}/routing-policies`)).data;
    const told = { channels: [id], group_wait: '0s' };
    expect((await user.patch(`${user.workspace}/routing-policies/${root.id}`, told)).status).toBe(200);
    await createRule(user, 'Shop fails');
    const busy = 'spans | stats value=count() by service.name';
    await createRule(user, 'Busy', { query: busy, labels: { team: 'web' } });
    const alert = await until(async () => {
      const alerts = (await user.get(`${user.workspace}/alert-instances?state=firing`)).data;
      const found = alerts.find(({ rule_name }: { rule_name: string }) => rule_name === 'Shop fails');
      if (alerts.length < 3 || found === undefined) return undefined;
      const { deliveries } = (await user.get(`${user.workspace}/alert-instances/${found.id}`)).data;
      return deliveries[0]?.status === 'delivered' ? found : undefined;
    }, 2 * PATIENCE_MS);
    failing = { user, alert: alert.id };
  });

  it('creates a rule after its preview has shown what would have fired', async () => {
    const user = await withShop();
    const page = await app.open({
      as: user,
      path: pathOf(user, `/alerts/rules/new?q=${encodeURIComponent(query)}`),
    });
    await page.getByLabel('Name').fill('Payments fail');
    await page.getByRole('textbox', { name: 'Threshold' }).fill('0.5');
    await page.getByLabel('Look back').fill('5m');
    await page.getByRole('figure', { name: /^Values of the rule/ }).waitFor();
    const line = page.getByRole('slider', { name: 'Threshold' });
    await line.press('ArrowUp');
    await expect.poll(() => page.getByRole('textbox', { name: 'Threshold' }).inputValue()).not.toBe('0.5');
    await page.getByRole('button', { name: 'Run over the past' }).click();
    const backtest = page.getByRole('region', { name: 'Backtest' });
    await backtest.getByText(/It would have fired \d+ times? in \d+ evaluations/).waitFor();
    await backtest.getByText('service.name=payments').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await isAt(page, /\/alerts\/rules\/[0-9a-f-]{36}/);
    await page.getByRole('heading', { name: 'Payments fail' }).waitFor();
  });

  it('creates a rule in PromQL, which compares in its expression', async () => {
    const user = await withShop();
    const page = await app.open({ as: user, path: pathOf(user, '/alerts/rules/new?q=spans') });
    await page.getByText('PromQL', { exact: true }).click();
    await page.getByRole('textbox', { name: 'PromQL query' }).fill('vector(7) > 1');
    await page.getByLabel('Name').fill('Too many');
    expect(await page.getByRole('combobox', { name: 'Value is' }).inputValue()).toBe('Whatever is returned');
    await expect.poll(() => page.getByRole('textbox', { name: 'Threshold' }).count()).toBe(0);
    await expect.poll(() => page.getByLabel('Look back').count()).toBe(0);
    await page.getByRole('figure', { name: /^Values of the rule/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await isAt(page, /\/alerts\/rules\/[0-9a-f-]{36}/);
    await page.getByRole('heading', { name: 'Too many' }).waitFor();
    const [rule] = (await user.get(`${user.workspace}/alert-rules`)).data;
    expect(rule).toMatchObject({ query: 'vector(7) > 1', query_language: 'promql' });
    expect(rule.condition).toEqual({ for: '0s', keep_firing_for: '0s' });
  });

  it('shows where a query is wrong, and keeps what was written', async () => {
    const user = await app.workspace();
    const page = await app.open({
      as: user,
      path: pathOf(user, `/alerts/rules/new?q=${encodeURIComponent('spans | wher x == 1')}`),
    });
    await page.getByLabel('Name').fill('Wrong');
    await page.getByRole('textbox', { name: 'Threshold' }).fill('1');
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await sees(page, /Line 1, column 9: There is no stage/);
    expect(await page.getByLabel('Name').inputValue()).toBe('Wrong');
    const filtered = 'spans | stats value=ratio(status == error) by service.name | where value > 0.05';
    await page.goto(pathOf(user, `/alerts/rules/new?q=${encodeURIComponent(filtered)}`));
    await sees(page, /below the threshold has no value to show/);
  });

  it('lists what fires, and opens its instance with the timeline', async () => {
    const { user } = failing;
    const page = await app.open({ as: user, path: pathOf(user, '/alerts') });
    const table = page.getByRole('table', { name: 'Firing and pending alerts' });
    const row = table.getByRole('row', { name: /Firing Shop fails.*service\.name=payments/ });
    await row.getByText(/before, the flag new-checkout changed in production/).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    // A rule with several alerts is one row, until it is opened.
    const group = table.getByRole('row', { name: /Firing Busy 2 alerts collapsed team=web/ });
    await group.press('Enter');
    await table.getByRole('row', { name: /Firing Busy team=web service\.name=frontend/ }).waitFor();
    await table.getByRole('row', { name: /Firing Busy 2 alerts expanded/ }).press('s');
    const ofGroup = page.getByRole('dialog', { name: 'Silence Busy (2 alerts)' });
    await ofGroup.getByText('Matches 2 firing alerts now.').waitFor();
    await page.keyboard.press('Escape');
    await ofGroup.waitFor({ state: 'detached' });
    // In two keys: the row that has the focus, for the time and with the comment that the dialog suggests.
    await row.press('s');
    const dialog = page.getByRole('dialog', { name: 'Silence Shop fails' });
    await dialog.getByText('Matches 1 firing alert now.').waitFor();
    await hasFocus(dialog.getByLabel('Comment'));
    await page.keyboard.press('Enter');
    await table.getByRole('row', { name: /Firing Shop fails.*silenced/ }).waitFor();
    const [silence] = (await user.get(`${user.workspace}/silences?status=active`)).data;
    const labels = { alertname: 'Shop fails', 'service.name': 'payments', team: 'shop' };
    const matchers = Object.entries(labels).map(([name, value]) => ({ name, op: '=', value }));
    expect(silence).toMatchObject({ matchers, comment: 'Acknowledged', matched: 1 });
    await dialog.waitFor({ state: 'detached' });
    await row.click();
    await isAt(page, /\/alerts\/[0-9a-f-]{36}/);
    await sees(page, '1 silence matches it');
    const timeline = page.getByRole('table', { name: 'Timeline' });
    await timeline.getByRole('row', { name: /Firing/ }).waitFor();
    await page.getByRole('link', { name: query }).waitFor();
    const traces = page.getByRole('region', { name: 'Example traces' });
    await traces.getByRole('link', { name: 'POST /charge' }).first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('marks services that have firing alerts, and starts a rule from what a page shows', async () => {
    const { user } = failing;
    const page = await app.open({ as: user, path: pathOf(user, '/services') });
    const strip = page.getByRole('region', { name: 'Firing now' });
    await strip.getByText('3 alerts firing now').waitFor();
    const services = page.getByRole('table', { name: 'Services' });
    await services.getByRole('row', { name: /frontend.*1 firing alert: Busy/ }).waitFor();
    await services.getByRole('row', { name: /payments.*2 firing alerts: .*Shop fails/ }).waitFor();
    expect(await seriousInBothSchemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'Service map' }).click();
    const map = page.getByRole('list', { name: 'Services' });
    await map.getByRole('link', { name: /payments 2 firing alerts: / }).click();
    await isAt(page, /\/services\/payments/);
    await strip.getByRole('link', { name: 'Shop fails' }).waitFor();
    await page.getByRole('link', { name: 'Create alert' }).click();
    await isAt(page, /\/alerts\/rules\/new/);
    await sees(page, /service\.name == "payments"/);
    await page.goto(pathOf(user, '/logs?service=payments&severity=error'));
    await page.getByRole('link', { name: 'Create alert' }).click();
    await isAt(page, /\/alerts\/rules\/new/);
    await sees(page, /service\.name == "payments" and severity >= error/);
  });

  it('shows what receivers answered, and stops a flag that changed before', async () => {
    const { user, alert } = failing;
    const flags = flagsOf(user);
    const page = await app.open({ as: user, path: pathOf(user, `/alerts/${alert}`) });
    const deliveries = page.getByRole('table', { name: 'Deliveries' });
    // The test server has no mail server.
    const sent = deliveries.getByRole('row', { name: /On call email firing first message Delivered/ });
    await sent.getByText('Answer of the receiver').click();
    await sent.getByText(/written to a file/).waitFor();
    expect(await seriousViolations(page)).toEqual([]);

    const stop = page.getByRole('button', { name: 'Stop new-checkout' });
    const dialog = page.getByRole('dialog', { name: 'Stop new-checkout' });
    await stop.click();
    await dialog.getByText(/A ramp serves false to 5% in Production/).waitFor();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await sees(page, 'The ramp of new-checkout is rolled back in Production');
    await dialog.waitFor({ state: 'detached' });
    expect(await flags.targeting('new-checkout')).toMatchObject({ enabled: true, ramp: null });
    await stop.click();
    await dialog.getByText(/new-checkout is on in Production/).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await sees(page, 'new-checkout is off in Production');
    expect(await flags.targeting('new-checkout')).toMatchObject({ enabled: false });
    const history = await user.get(`${user.project}/flags/new-checkout/changes`);
    expect(history.data[0]).toMatchObject({ comment: 'Alert: Shop fails', environment: 'production' });
  });

  it('names the cause of failures, and what runs on a flag before it is turned off', async () => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('image-cdn');
    await flags.serve('image-cdn', { fallthrough: { variant: 'false' }, off_variant: 'false' });
    const metric = { key: 'bought', name: 'Bought', kind: 'conversion', source: 'logs', unit: 'user.id' };
    expect((await user.post(`${user.project}/metrics`, metric)).status).toBe(201);
    const experiment = await user.post(`${user.project}/experiments`, {
      key: 'pictures',
      name: 'Faster pictures',
      flag: 'image-cdn',
      environment: 'production',
      control: 'false',
      variants: half,
      metrics: { goals: ['bought'] },
    });
    expect(experiment.status, experiment.text).toBe(201);
    const started = await user.post(`${user.project}/experiments/${experiment.data.id}/start`);
    expect(started.status, started.text).toBe(200);
    await sendPictures(user, { flag: 'image-cdn', count: 400 });
    const rule = await createRule(user, 'Pictures fail', { condition: { op: '>', threshold: 0.01 } });
    const id = await until(
      async () => (await user.get(`${user.workspace}/alert-instances?rule=${rule.id}`)).data[0]?.id,
      2 * PATIENCE_MS,
    );
    const page = await app.open({ as: user, path: pathOf(user, `/alerts/${id}`) });
    const causes = page.getByRole('list', { name: 'Causes' });
    await causes
      .getByText(/^image-cdn.*; errors \+\d+ points, only in traces with `true`; explains \d+ % of them$/)
      .waitFor();
    expect(await causes.getByRole('listitem').count()).toBe(1);
    await causes.getByText('Turning it off disturbs the experiment “Faster pictures” in production.').waitFor();
    await page.getByText(/\d+ selected traces compared with \d+ others/).click();
    await page.getByText(/^status.*: the condition names it$/).waitFor();
    expect(await seriousInBothSchemes(page)).toEqual([]);
    await causes.getByRole('button', { name: 'Turn off image-cdn' }).click();
    const dialog = page.getByRole('dialog', { name: 'Turn off image-cdn' });
    await dialog.getByText('Turning it off disturbs the experiment “Faster pictures” in production.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('turns a rule off and deletes it', async () => {
    const user = await app.workspace();
    const { id } = await createRule(user, 'Short lived');
    const page = await app.open({ as: user, path: pathOf(user, `/alerts/rules/${id}`) });
    await page.getByRole('switch', { name: 'On' }).click({ force: true });
    await sees(page, 'Short lived is off');
    await expect.poll(() => page.getByRole('switch', { name: 'On' }).isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete alert rule' }).click();
    await isAt(page, /\/alerts$/);
    const answer = await user.get(`${user.workspace}/alert-rules/${id}`);
    expect(answer.status).toBe(404);
  });

  it('creates, edits and expires a silence, and shows what it matches while it is written', async () => {
    const { user } = failing;
    const page = await app.open({ as: user, path: pathOf(user, '/silences') });
    await page.getByRole('link', { name: 'Create silence' }).first().click();
    await page.getByRole('combobox', { name: 'Matchers, 1: label' }).fill('team');
    await page.getByRole('combobox', { name: 'Matchers, 1: value' }).fill('other');
    await sees(page, /No firing alert matches/);
    await page.getByRole('button', { name: 'Create silence' }).click();
    await sees(page, 'Enter a reason for your team');
    await page.getByRole('combobox', { name: 'Matchers, 1: value' }).fill('shop');
    const matched = page.getByRole('list', { name: 'Firing alerts that match' });
    await matched.getByRole('link', { name: 'Shop fails' }).waitFor();
    await page.getByLabel('Comment').fill('Provider is down');
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create silence' }).click();
    const active = page.getByRole('table', { name: 'Active silences' });
    await active.getByRole('row', { name: /team=“shop” Provider is down 1 firing alert/ }).waitFor();

    await page.getByRole('button', { name: 'Edit Provider is down' }).click();
    await page.getByLabel('Comment').fill('Provider is back');
    await page.getByRole('button', { name: 'Save silence' }).click();
    await active.getByRole('row', { name: /Provider is back/ }).waitFor();
    expect(await active.getByRole('row', { name: /Provider is down/ }).count()).toBe(0);

    await page.getByRole('button', { name: 'Expire Provider is back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Expire silence' }).click();
    await active.getByRole('row', { name: /Provider is back/ }).waitFor({ state: 'detached' });
    await page.getByText('Expired', { exact: true }).click();
    const expired = page.getByRole('table', { name: 'Expired silences' });
    await expired.getByRole('row', { name: /Provider is back/ }).waitFor();
  });

  it('edits the routing tree and shows where labels go', async () => {
    const user = await app.workspace();
    await createChannel(user);
    const page = await app.open({ as: user, path: pathOf(user, '/routing') });
    await sees(page, /Nobody is notified of alerts/);
    await page.getByRole('button', { name: /^Add a policy below/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Create policy' });
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByRole('combobox', { name: 'Matchers, 1: label' }).fill('team');
    await dialog.getByRole('combobox', { name: 'Matchers, 1: value' }).fill('shop');
    await dialog.getByRole('checkbox', { name: 'On call' }).check();
    await dialog.getByRole('button', { name: 'Create policy' }).click();
    const shop = page.getByRole('article', { name: 'Shop' });
    await shop.getByText('On call').waitFor();

    await page.getByLabel('Labels of an alert').fill('team=shop');
    await shop.getByText('goes here').waitFor();
    await page.getByRole('status', { name: 'Where it goes' }).getByText('On call').waitFor();
    await isAt(page, /labels=team%3Dshop/);
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByLabel('Labels of an alert').fill('team=other');
    await page.getByRole('status', { name: 'Where it goes' }).getByText('nobody').waitFor();
    await shop.getByText('goes here').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Edit Shop' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Shop' });
    await edit.getByRole('button', { name: 'Add interval' }).first().click();
    await edit.getByRole('button', { name: 'Save policy' }).click();
    await edit.getByText('Give each interval times, days, months or years').waitFor();
    await edit.getByLabel('Mute 1: Weekdays').fill('funday');
    await edit.getByRole('button', { name: 'Save policy' }).click();
    await edit.getByText(/invalid weekday "funday"/).waitFor();
    await edit.getByLabel('Mute 1: Weekdays').fill('sunday');
    await edit.getByRole('button', { name: 'Save policy' }).click();
    await shop.getByText(/^sunday/).waitFor();

    await page.getByRole('button', { name: 'Create inhibition rule' }).click();
    const rule = page.getByRole('dialog', { name: 'Create inhibition rule' });
    await rule.getByLabel('Name').fill('Critical first');
    await rule.getByRole('combobox', { name: 'While an alert fires with, 1: label' }).fill('severity');
    await rule.getByRole('combobox', { name: 'While an alert fires with, 1: value' }).fill('critical');
    await rule.getByRole('combobox', { name: 'hold back alerts with, 1: label' }).fill('severity');
    await rule.getByRole('combobox', { name: 'hold back alerts with, 1: value' }).fill('warning');
    await rule.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('row', { name: /Critical first severity=“critical” severity=“warning” always/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
