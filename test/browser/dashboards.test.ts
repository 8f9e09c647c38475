import { expect, it } from 'vitest';
import { type SignedUp, stored, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { editorIn, isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendLogs, sendOtlp } from './support/otlp.ts';
import { shopToLookAt } from './support/shop.ts';

describeInBrowser('dashboards in the browser', () => {
  const app = useApp('grace');
  const place = { x: 0, y: 0, w: 12, h: 6 };

  async function created(user: SignedUp, more: object): Promise<string> {
    const answer = await user.post(`${user.workspace}/dashboards`, { name: 'Shop', project: 'default', ...more });
    expect(answer.status, answer.text).toBe(201);
    return answer.data.id;
  }
  const savedOf = async (user: SignedUp, id: string) => (await user.get(`${user.workspace}/dashboards/${id}`)).data;

  it('shows panels with a variable, an error in its own panel, and Markdown without its scripts', async () => {
    const { user } = await shopToLookAt(app.base);
    const id = await created(user, {
      variables: [{ name: 'service', type: 'query', query: 'spans | count by service.name | fields service.name' }],
      panels: [
        {
          ...place,
          id: 'n',
          type: 'stat',
          title: 'Spans of $service',
          query: 'spans | where service.name == $service | stats spans=count()',
        },
        {
          ...place,
          id: 't',
          x: 12,
          type: 'table',
          title: 'Services',
          query: 'spans | where service.name == $service | stats n=count() by service.name',
        },
        { ...place, id: 'x', y: 6, type: 'table', title: 'Broken', query: 'spans | wher' },
        {
          ...place,
          id: 'm',
          x: 12,
          y: 6,
          type: 'text',
          title: 'Notes',
          text: '# Runbook\n\n<script>document.title = "run"</script>',
        },
      ],
    });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}`) });
    await page.getByRole('region', { name: 'Services' }).getByText('frontend').waitFor();
    await page.getByRole('region', { name: 'Spans of all' }).waitFor();
    await page.getByRole('region', { name: 'Broken' }).getByText('SVC-5001').waitFor();
    await page.getByRole('heading', { name: 'Runbook' }).waitFor();
    await sees(page, '<script>document.title = "run"</script>');
    await page.getByRole('combobox', { name: 'service' }).click();
    await page.getByRole('option', { name: 'payments' }).click();
    await page.getByRole('region', { name: 'Spans of payments' }).waitFor();
    await isAt(page, /v=service:payments/);
    await page.getByRole('region', { name: 'Services' }).getByText('frontend').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Services' }).getByText('payments').click();
    const row = page.getByRole('complementary', { name: 'Row' });
    await row.getByRole('button', { name: 'Without this service.name' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await row.getByRole('button', { name: 'Group by service.name' }).click();
    await isAt(page, /explore/);
    await page.getByRole('table', { name: 'Query results' }).getByText('payments').first().waitFor();
  });

  it('splits a panel by a flag, for a reader and in edit mode', async () => {
    const user = await app.workspace();
    await flagsOf(user).create('colour');
    const timeUnixNano = `${Date.now() - 60_000}000000`;
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const logRecords = ['true', 'true', 'false'].flatMap((variant, at) => {
      const one = { timeUnixNano, traceId: `${at + 1}`.padStart(32, 'a') };
      const attributes = [text('feature_flag.key', 'colour'), text('feature_flag.result.variant', variant)];
      return [
        { ...one, eventName: 'feature_flag.evaluation', attributes },
        { ...one, severityNumber: 17, body: { stringValue: `failed ${at}` } },
      ];
    });
    const resource = { attributes: [text('service.name', 'shop')] };
    await sendOtlp(user, '/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
    await stored(user.base);
    const query = 'logs | where severity >= error | stats n=count()';
    const id = await created(user, { panels: [{ ...place, id: 'n', type: 'bar', title: 'Errors', query }] });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}`) });
    const split = async () => {
      await page.getByRole('button', { name: 'Actions of Errors' }).click();
      await page.getByRole('menuitem', { name: 'Split by flag' }).click();
      await page.getByRole('combobox', { name: 'Split by flag' }).click();
      await page.getByRole('option', { name: 'colour' }).click();
      await page.getByRole('button', { name: 'Split', exact: true }).click();
    };
    const bars = page.getByRole('region', { name: 'Errors' }).getByRole('listitem');
    await split();
    await isAt(page, /split=n:colour/);
    await bars.filter({ hasText: 'true' }).getByText('2', { exact: true }).waitFor();
    await bars.filter({ hasText: 'false' }).getByText('1', { exact: true }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.goto(pathOf(user, `/dashboards/${id}?edit=yes`));
    await split();
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await savedOf(user, id)).version === 2);
    expect((await savedOf(user, id)).panels).toMatchObject([{ split: { flag: 'colour' } }]);
  });

  it('repeats a row and a panel for each value of a variable, and once in edit mode', async () => {
    const user = await app.workspace();
    const text = { type: 'text', w: 12, h: 4, x: 0 };
    const panels = [
      { ...text, id: 'disk', y: 0, title: 'Disk of $node', text: 'Disk', repeat: { variable: 'node' } },
      { ...place, id: 'row', type: 'row', y: 4, w: 24, h: 1, title: 'Node $node', repeat: { variable: 'node' } },
      { ...text, id: 'notes', y: 5, title: 'Notes of $node', text: 'Notes' },
    ];
    const variables = [{ name: 'node', type: 'list', values: ['a', 'b', 'c'], multi: true, include_all: true }];
    const id = await created(user, { panels, variables });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}`) });
    for (const node of ['a', 'b', 'c']) {
      await page.getByRole('region', { name: `Disk of ${node}` }).waitFor();
      await page.getByRole('button', { name: `Node ${node}` }).waitFor();
      await page.getByRole('region', { name: `Notes of ${node}` }).waitFor();
    }
    await page.getByRole('button', { name: 'Node b' }).click();
    await page.getByRole('region', { name: 'Notes of b' }).waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Notes of c' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.goto(pathOf(user, `/dashboards/${id}?v=node:a|c`));
    await page.getByRole('region', { name: 'Notes of c' }).waitFor();
    expect(await page.getByRole('region', { name: /^Notes of/ }).count()).toBe(2);
    await page.goto(pathOf(user, `/dashboards/${id}?edit=yes`));
    await page.getByRole('region', { name: 'Notes of all' }).waitFor();
    expect(await page.getByRole('region', { name: /^Notes of/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Actions of Notes of all' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('combobox', { name: 'Repeat for each value of' }).click();
    await page.getByRole('option', { name: '$node' }).click();
    await drawer.getByRole('combobox', { name: 'Copies' }).click();
    await page.getByRole('option', { name: 'Below each other' }).click();
    await drawer.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await savedOf(user, id)).version === 2);
    expect((await savedOf(user, id)).panels[2]).toMatchObject({ repeat: { variable: 'node', direction: 'down' } });
  });

  it('is edited with the keyboard, with undo, and saved as a version', async () => {
    const user = await app.workspace();
    const id = await created(user, { panels: [{ ...place, id: 'a', type: 'text', title: 'One', text: 'First' }] });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}?edit=yes`) });
    await page.getByRole('button', { name: 'Move One' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Resize One' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Actions of One' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('button', { name: 'Move One' }).nth(1).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Move One' }).nth(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('textbox', { name: 'From' }).fill('now-6h');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await sees(page, 'Saved as version 2');
    expect((await savedOf(user, id)).time).toMatchObject({ from: 'now-6h', to: 'now', time_zone: 'Asia/Tokyo' });
    expect((await savedOf(user, id)).panels).toMatchObject([{ id: 'a', x: 1, y: 0, w: 12, h: 7 }]);
  });

  it('edits a panel in a drawer with the answer of its query above', async () => {
    const { user } = await shopToLookAt(app.base);
    const id = await created(user, { panels: [] });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}?edit=yes`) });
    await page.getByRole('button', { name: 'Panel', exact: true }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('textbox', { name: 'Title' }).fill('Per service');
    await (await editorIn(drawer)).click();
    await page.keyboard.insertText('spans | stats n=count() by service.name');
    await drawer.getByRole('combobox', { name: 'Drawn as' }).click();
    await page.getByRole('option', { name: 'Area' }).click();
    await drawer.getByRole('combobox', { name: 'Shown as' }).click();
    await page.getByRole('option', { name: 'Experiment' }).click();
    await drawer.getByRole('combobox', { name: 'Experiment' }).waitFor();
    await drawer.getByRole('combobox', { name: 'Shown as' }).click();
    await page.getByRole('option', { name: 'Table' }).click();
    await drawer.getByRole('button', { name: 'Run' }).click();
    await drawer.getByRole('region', { name: 'Preview' }).getByText('payments').waitFor();
    await drawer.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('region', { name: 'Per service' }).getByText('payments').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await savedOf(user, id)).version === 2);
    expect((await savedOf(user, id)).panels).toMatchObject([{ type: 'table', draw: 'area' }]);
  });

  it('takes several values of a variable, one after the other', async () => {
    const user = await app.workspace();
    const id = await created(user, { panels: [] });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}?edit=yes`) });
    await page.getByRole('button', { name: 'Variables' }).click();
    const drawer = page.getByRole('dialog', { name: 'Variables' });
    await drawer.getByRole('button', { name: 'Add variable' }).click();
    await drawer.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'List of values' }).click();
    await drawer.getByRole('combobox', { name: 'Values' }).click();
    await page.keyboard.type('eu,us,');
    await drawer.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await savedOf(user, id)).version === 2);
    expect((await savedOf(user, id)).variables).toMatchObject([{ type: 'list', values: ['eu', 'us'] }]);
  });

  it('goes back to a version, and shows what a version changed', async () => {
    const user = await app.workspace();
    const text = (title: string) => [{ ...place, id: 'a', type: 'text', title, text: '' }];
    const id = await created(user, { panels: text('Before') });
    const change = { name: 'Shop', panels: text('After'), version: 1 };
    expect((await user.put(`${user.workspace}/dashboards/${id}`, change)).status).toBe(200);
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}`) });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await page.getByRole('button', { name: /^Version 2/ }).click();
    await page.getByText('panels.a.title').waitFor();
    await page.getByRole('button', { name: /^Version 1/ }).click();
    await page.getByRole('button', { name: 'Go back to version 1' }).click();
    await page.getByRole('button', { name: 'Go back', exact: true }).click();
    await sees(page, 'Version 3 equals version 1');
    await page.getByRole('heading', { name: 'Before' }).waitFor();
  });

  it('says what changed when somebody else saved first', async () => {
    const user = await app.workspace();
    const id = await created(user, { panels: [{ ...place, id: 'a', type: 'text', title: 'One', text: '' }] });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}?edit=yes`) });
    await page.getByRole('textbox', { name: 'Name of the dashboard' }).fill('Mine');
    const theirs = { name: 'Theirs', panels: [], version: 1 };
    expect((await user.put(`${user.workspace}/dashboards/${id}`, theirs)).status).toBe(200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('panels.a').waitFor();
    await page.getByRole('button', { name: /load the current version/ }).click();
    await page.getByRole('heading', { name: 'Theirs' }).waitFor();
  });

  it('is created, imported from JSON, and added to from Explore', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/dashboards') });
    await page.getByRole('button', { name: 'Import' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'JSON' }).fill('{"name": "Imported", "panels": [{}]}');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText(/panels\.0/).waitFor();
    await dialog.getByRole('textbox', { name: 'JSON' }).fill('{"name": "Imported", "panels": []}');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    const query = encodeURIComponent('spans | stats n=count()');
    await page.goto(pathOf(user, `/explore?q=${query}`));
    await page.getByRole('button', { name: 'Add to dashboard' }).click();
    await dialog.getByRole('textbox', { name: 'Title of the panel' }).fill('Spans');
    await dialog.getByRole('combobox', { name: 'Dashboard' }).click();
    await page.getByRole('option', { name: 'Imported' }).click();
    await dialog.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByRole('region', { name: 'Spans' }).waitFor();
    await isAt(page, /dashboards/);
  });

  it('is imported from a file, also one of Grafana, without holes for lost panels', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/dashboards') });
    await page.getByRole('button', { name: 'Import' }).first().click();
    const dialog = page.getByRole('dialog');
    const texts = ['Left', 'Right'].map((title, at) => ({
      ...{ type: at === 0 ? 'text' : 'news', title, options: { content: 'Notes' } },
      gridPos: { x: at * 12, y: 0, w: 12, h: 6 },
    }));
    const file = { title: 'From Grafana', schemaVersion: 39, panels: texts };
    const files = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    const input = dialog.locator('input[type=file]');
    await input.setInputFiles(files('large.json', ' '.repeat(9 << 20)));
    await dialog.getByText(/large.json has 9.4 MB/).waitFor();
    await input.setInputFiles(files('node.json', JSON.stringify(file)));
    await dialog.getByText('node.json').waitFor();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('1 of 2 panels can be kept.').waitFor();
    await dialog.getByRole('button', { name: 'Create dashboard' }).click();
    await page.getByRole('heading', { name: 'From Grafana' }).waitFor();
    const panel = await page.getByRole('region', { name: 'Left' }).boundingBox();
    const main = await page.getByRole('main').boundingBox();
    expect(panel?.width).toBeGreaterThan(0.9 * (main?.width ?? 0));
  });

  it('is imported from a dropped file', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/dashboards') });
    await page.getByRole('button', { name: 'Import' }).first().click();
    const dialog = page.getByRole('dialog');
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['{"name": "Dropped", "panels": []}'], 'dropped.json'));
      return transfer;
    })()`);
    await dialog.getByRole('textbox', { name: 'JSON' }).dispatchEvent('drop', { dataTransfer: dropped });
    await dialog.getByText('dropped.json').waitFor();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'Dropped' }).waitFor();
  });

  it('marks on charts what happened, and opens the change', async () => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('colour');
    await flags.serve('colour', { fallthrough: { variant: 'true' } });
    await sendLogs(user, 'shop', 'started');
    await stored(user.base);
    const note = { time: 'now-30m', text: 'Load test', service: 'shop' };
    expect((await user.post(`${user.workspace}/annotations`, note)).status).toBe(201);
    const panel = {
      ...place,
      id: 'n',
      type: 'time_series',
      title: 'Lines',
      query: 'logs | stats n=count() by bucket(1m)',
    };
    const id = await created(user, { panels: [panel] });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}`) });
    const marks = page.getByRole('region', { name: 'Lines' }).getByRole('list', { name: 'Annotations' });
    await marks.getByRole('button', { name: 'Load test' }).click();
    await page.getByRole('dialog').getByText('Note · grace').waitFor();
    await page.keyboard.press('Escape');
    await marks.getByRole('button', { name: /colour|events/ }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Open the history of colour' }).first().click();
    await isAt(page, /flags\/colour\?.*tab=history/);
    await page.goto(pathOf(user, '/logs'));
    await page.getByRole('list', { name: 'Annotations' }).getByRole('button', { name: 'Load test' }).waitFor();
  });

  it('lists ready dashboards with what they need, and adds one', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/dashboards') });
    const row = page.getByRole('row', { name: /JVM/ });
    await row.getByText('jvm.memory.used').waitFor();
    await row.getByRole('link', { name: 'JVM' }).click();
    await sees(page, /has no data yet/);
    await page.getByRole('region', { name: 'Threads by state' }).waitFor();
    await page.getByRole('button', { name: 'Add dashboard' }).click();
    await isAt(page, /dashboards\/[0-9a-f-]{36}/);
    await page.getByRole('region', { name: 'Threads by state' }).waitFor();
  });

  it('takes a snapshot that stays when the dashboard changes', async () => {
    const user = await app.workspace();
    const panels = [
      { ...place, id: 'n', type: 'stat', title: 'Spans', query: 'spans | stats n=count()' },
      { ...place, id: 'm', x: 12, type: 'service_map', title: 'Map' },
    ];
    const id = await created(user, { panels });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}`) });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Take a snapshot' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Incident');
    await dialog.getByRole('button', { name: 'Take snapshot' }).click();
    await isAt(page, /dashboards\/snapshots\//);
    await page.getByRole('heading', { name: 'Incident' }).waitFor();
    expect((await user.del(`${user.workspace}/dashboards/${id}`)).status).toBe(204);
    await page.reload();
    await page.getByRole('region', { name: 'Spans' }).getByText('0', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'Map' })
      .getByText(/Not part of the snapshot/)
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.goto(pathOf(user, '/dashboards'));
    await page.getByRole('link', { name: 'Incident' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete snapshot' }).click();
    await sees(page, 'Incident is deleted');
  });

  it('is added to from the page of a service', async () => {
    const user = await app.workspace();
    const id = await created(user, { name: 'Checkout', panels: [] });
    const page = await app.open({ as: user, path: pathOf(user, '/services/checkout') });
    await page.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByRole('menuitem', { name: 'Latency' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Title of the panel' }).fill('How slow');
    await dialog.getByRole('combobox', { name: 'Dashboard' }).click();
    await page.getByRole('option', { name: 'Checkout' }).click();
    await dialog.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByRole('region', { name: 'How slow' }).waitFor();
    const [panel] = (await savedOf(user, id)).panels;
    expect(panel).toMatchObject({
      type: 'time_series',
      query: expect.stringContaining('p99=p99(duration) by bucket(auto)'),
    });
  });

  it('imports a dashboard of Grafana, and says what is lost', async () => {
    const user = await app.workspace();
    const panel = (id: number, type: string, title: string, expr: string) => ({
      ...{ id, type, title, targets: [{ expr }], gridPos: { x: 0, y: 8 * id, w: 12, h: 8 } },
    });
    const panels = [
      panel(1, 'timeseries', 'Load', 'sum by (job) (rate(x_total[5m]))'),
      panel(2, 'geomap', 'Map', 'up'),
    ];
    const page = await app.open({ as: user, path: pathOf(user, '/dashboards') });
    await page.getByRole('button', { name: 'Import' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('textbox', { name: 'JSON' })
      .fill(JSON.stringify({ title: 'Node', schemaVersion: 39, panels }));
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('1 of 2 panels can be kept.').waitFor();
    await dialog.getByText(/there is no panel of the type geomap/).waitFor();
    await dialog.getByRole('button', { name: 'Create dashboard' }).click();
    await page.getByRole('heading', { name: 'Node' }).waitFor();
    await page.getByRole('region', { name: 'Load' }).getByText('No data in this window.').waitFor();
    const [{ id }] = (await user.get(`${user.workspace}/dashboards`)).data;
    expect((await savedOf(user, id)).panels).toMatchObject([
      { query: 'sum by (job) (rate(x_total[5m]))', query_language: 'promql', type: 'time_series' },
    ]);
  });

  it('shows and edits a panel in PromQL', async () => {
    const user = await app.workspace();
    const promql = { query: 'vector(7)', query_language: 'promql', series_name: 'seven' };
    const more_queries = [{ query: 'vector(8)', series_name: 'eight' }];
    const panel = { ...place, id: 'a', type: 'time_series', title: 'Load', ...promql, more_queries };
    const id = await created(user, { panels: [panel] });
    const page = await app.open({ as: user, path: pathOf(user, `/dashboards/${id}?edit=yes`) });
    for (const name of ['seven', 'eight'])
      await page.getByRole('region', { name: 'Load' }).getByText(name).first().waitFor();
    await page.getByRole('button', { name: 'Actions of Load' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('textbox', { name: 'PromQL query' }).fill('vector(9)');
    await drawer.getByRole('textbox', { name: 'Name of a series' }).fill('nine');
    await drawer.getByRole('button', { name: 'Run' }).click();
    await drawer.getByText('nine').first().waitFor();
    // A panel that is being read again is dimmed.
    await page.locator('[data-stale]').first().waitFor({ state: 'detached' });
    expect(await seriousViolations(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await savedOf(user, id)).version === 2);
    expect((await savedOf(user, id)).panels).toMatchObject([
      { ...promql, query: 'vector(9)', series_name: 'nine', more_queries },
    ]);
  });
});
