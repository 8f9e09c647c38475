import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Recorder, startRecorder } from '../../packages/server/src/testing/recorder.ts';
import { seriousViolations } from './support/accessibility.ts';
import { pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('import of dashboards by URL', () => {
  const app = useApp('lovelace', { FANION_EGRESS_ALLOW: '127.0.0.0/8' });
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await startRecorder();
  });
  afterAll(() => recorder?.stop());
  beforeEach(() => {
    recorder.requests.length = 0;
  });

  async function openDialog() {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/dashboards') });
    await page.getByRole('button', { name: 'Import' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Import a dashboard' });
    return { user, page, dialog };
  }

  it('creates a Grafana dashboard after it shows what is lost', async () => {
    const panels = [
      { type: 'text', title: 'Notes', options: { content: 'Hello' } },
      { type: 'news', title: 'Headlines' },
    ];
    recorder.answer({ status: 200, body: JSON.stringify({ title: 'Node', schemaVersion: 39, panels }) });
    const { user, page, dialog } = await openDialog();
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${recorder.url}/node.json`);
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('1 of 2 panels can be kept.').waitFor();
    await dialog.getByText(/Headlines/).waitFor();
    await dialog.getByRole('button', { name: 'Create dashboard' }).click();
    await page.getByRole('heading', { name: 'Node' }).waitFor();
    expect(recorder.requests).toMatchObject([{ method: 'GET', path: '/node.json' }]);
    expect((await user.get(`${user.workspace}/dashboards`)).data).toMatchObject([{ name: 'Node', panels: 1 }]);
  });

  it('creates an exported dashboard', async () => {
    recorder.answer({ status: 200, body: JSON.stringify({ schema_version: 1, name: 'Shop', panels: [] }) });
    const { page, dialog } = await openDialog();
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${recorder.url}/shop.json`);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'Shop' }).waitFor();
  });

  it('shows at the URL why nothing can be imported, and takes another source instead', async () => {
    recorder.answer({ status: 200, body: '<!doctype html><title>Sign in</title>' });
    const { page, dialog } = await openDialog();
    const url = dialog.getByRole('textbox', { name: 'URL' });
    await url.fill(recorder.url);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText(/a web page \(HTML\) instead of JSON/).waitFor();
    await url.fill('http://169.254.169.254/latest');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText(/the address is not allowed: a link-local address/).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'JSON' }).fill('{ "schema_version": 1, "name": "Pasted", "panels": [] }');
    expect(await url.inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'Pasted' }).waitFor();
  });
});
