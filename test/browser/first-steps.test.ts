import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { editorIn, isAt, pathOf, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser, PATIENCE_MS } from './support/chromium.ts';
import { shopToLookAt } from './support/shop.ts';

const run = promisify(execFile);
// Inside the repository, so that the programs find the packages that the page says to install.
const folder = fileURLToPath(new URL(`../../.build/first-steps-${process.pid}/`, import.meta.url));

/** The text of a code block with a copy button. */
async function block(page: Page, name: string): Promise<string> {
  return (await page.getByRole('region', { name, exact: true }).textContent()) ?? '';
}

/** Parses `export A="b"` lines into an environment. */
function environmentOf(settings: string): Record<string, string> {
  return Object.fromEntries(
    [...settings.matchAll(/^export (\w+)="([^"]*)"$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

async function runProgram(name: string, program: string, env: Record<string, string> = {}): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}${name}`, program);
  const { stdout } = await run(process.execPath, [`${folder}${name}`], { env: { ...process.env, ...env } });
  return stdout;
}

describeInBrowser('first steps: from an empty server to the first result', () => {
  const app = useApp('charles');
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const follow = (page: Page, link: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link }).click();

  it('opens the first steps after sign-up', async () => {
    const page = await app.open({ path: '/' });
    await isAt(page, /\/sign-in/);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('E-mail').fill(`ada-${randomUUID()}@example.com`);
    await page.getByLabel('Password', { exact: true }).fill('correct-Horse-battery-9');
    await page.getByLabel('Workspace name').fill('Analytical Engines');
    await page.getByRole('button', { name: 'Create account' }).click();
    await isAt(page, /\/w\/analytical-engines[-\w]*\/default\/first-steps/);
    await page.getByRole('heading', { name: 'Waiting for data' }).waitFor();
  });

  it('creates a token with one click, with which the sample program sends a trace and a log line that the pages show', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/first-steps') });
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('region', { name: 'token', exact: true }).waitFor();
    const settings = environmentOf(await block(page, 'exporter settings'));
    expect(settings.OTEL_EXPORTER_OTLP_ENDPOINT).toBe(app.base);
    expect(settings.OTEL_EXPORTER_OTLP_HEADERS).toMatch(/^Authorization=Bearer svc_pat_/);

    await runProgram('hello.mjs', await block(page, 'program'), settings);
    await page.getByRole('heading', { name: 'Data has arrived' }).waitFor();
    const signals = page.getByRole('list', { name: 'Signals' });
    await signals.getByText('1 span from hello').waitFor();
    await signals.getByText('1 log line from hello').waitFor();

    await page.getByRole('link', { name: 'See the traces' }).click();
    await page.getByRole('table', { name: 'Traces' }).getByRole('link', { name: 'say hello' }).click();
    await isAt(page, /\/traces\/[0-9a-f]{32}/);
    await page.getByRole('treeitem', { name: /hello say hello/ }).click();
    const panel = page.getByRole('complementary', { name: 'Span say hello' });
    await panel.getByRole('tab', { name: 'Logs 1' }).click();
    await panel.getByText('Hello, Fanion').waitFor();
  });

  it('remembers that a token exists, and leads pages of an empty project to the first steps', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/first-steps') });
    const isDone = page.getByRole('heading', { name: 'Create a token (done)' });
    await page.getByRole('button', { name: 'Create token' }).click();
    await isDone.waitFor();
    await page.reload();
    await isDone.waitFor();
    await page.getByRole('heading', { name: 'Send something', exact: true }).waitFor();
    for (const path of ['/logs', '/traces', '/metrics', '/services', '/service-map']) {
      await page.goto(pathOf(user, path));
      await page.getByRole('heading', { name: 'No telemetry yet' }).waitFor();
    }
    await page.getByRole('link', { name: 'Send the first telemetry' }).click();
    await isDone.waitFor();
  });

  it('answers the first query', async () => {
    const { user } = await shopToLookAt(app.base);
    const page = await app.open({ as: user, path: pathOf(user, '/first-steps') });
    await follow(page, 'Explore');
    await (await editorIn(page)).click();
    await page.keyboard.insertText('spans | stats n=count(), p99=p99(duration) by service.name | sort service.name');
    await page.keyboard.press('Control+Enter');
    const row = page.getByRole('table', { name: 'Query results' }).getByRole('row').nth(1);
    await row.getByText('frontend').waitFor();
    // The table may still be that of the query before.
    await expect.poll(() => row.getByRole('cell').nth(1).textContent(), { timeout: PATIENCE_MS }).toBe('60');
  });

  it('creates a flag, turns it on, and the stock OpenFeature provider reads its value', async () => {
    const user = await app.workspace();
    const page = await app.open({ as: user, path: pathOf(user, '/first-steps') });
    await follow(page, 'Flags');
    await page.getByRole('link', { name: 'Create the first flag' }).click();
    await page.getByLabel('Name', { exact: true }).fill('New checkout');
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.getByRole('switch', { name: 'Off in Production' }).click({ force: true });
    const review = page.getByRole('dialog', { name: 'Save new-checkout in Production' });
    await takesFocus(review);
    await review.getByLabel('Comment').fill('everybody gets it');
    await review.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('switch', { name: 'On in Production' }).waitFor();
    await review.waitFor({ state: 'detached' });

    await follow(page, 'First steps');
    await page.getByRole('button', { name: 'Create SDK key for production' }).click();
    await page.getByText(/Bearer svc_sdk_/).waitFor();
    const printed = await runProgram('flag.mjs', await block(page, 'flag program'));
    expect(printed).toMatch(/value: true/);
    expect(printed).toMatch(/reason: 'DEFAULT'/);
  });
});
