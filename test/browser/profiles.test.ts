import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../packages/server/src/features/telemetry/ingest/testing/store.ts';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { type App, isAt, type OpenPage, pathOf, sees, startApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';

describeInBrowser('profiles in the browser', () => {
  let telemetry: TestStore;
  let app: App;
  let user: SignedUp;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    telemetry = await startTestStore();
    app = await startApp({ env: { CLICKHOUSE_URL: telemetry.engine.url } });
    user = await signUp(app.base, 'dorothy');
    await insertProfiles();
    open = await app.open({ as: user });
    page = open.page;
  }, 90_000);
  afterAll(async () => {
    await app?.stop();
    await telemetry?.close();
  });

  /** Samples of three stacks: 150 ms in parse, 30 ms in render, 20 ms in gc; 90 minutes ago 400 ms in render. */
  async function insertProfiles(): Promise<void> {
    // A fresh control plane counts from one.
    const tenant = { workspace: 1, project: 1, environment: 'production', retention_days: 3650 };
    const stacks = [
      ['main', 'serve', 'parse'],
      ['main', 'serve', 'render'],
      ['main', 'gc'],
    ];
    const at = (minutes: number) =>
      new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 23).replace('T', ' ');
    const sample = (stack_id: number, minutes: number, milliseconds: number) => ({
      ...tenant,
      profile_type: 'cpu:nanoseconds',
      service: 'cart',
      time: at(minutes),
      stack_id,
      value: milliseconds * 1_000_000,
    });
    const insert = async (table: string, rows: readonly object[]) =>
      telemetry.store.command(
        `INSERT INTO ${table} FORMAT JSONEachRow ${rows.map((row) => JSON.stringify(row)).join('\n')}`,
      );
    await insert(
      'profile_stacks',
      stacks.map((frames, index) => ({
        ...tenant,
        day: at(0).slice(0, 10),
        stack_id: index + 1,
        frames,
        files: frames.map((name) => `${name}.go`),
        lines: frames.map(() => 1),
      })),
    );
    await insert('profile_samples', [sample(1, 10, 150), sample(2, 20, 30), sample(3, 30, 20), sample(2, 90, 400)]);
  }

  it('draws, zooms and searches a flame graph', async () => {
    await page.goto(pathOf(user, '/profiles'));
    const graph = page.getByRole('img', { name: 'Flame graph of cpu:nanoseconds, 200 ms' });
    await graph.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    const box = await graph.boundingBox();
    if (!box) throw new Error('the flame graph has no area');
    // The second row is serve, at the left.
    await page.mouse.move(box.x + 40, box.y + 28);
    await sees(page, /180 ms, 90%/);
    await page.mouse.click(box.x + 40, box.y + 28);
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await page.getByLabel('Search for functions').fill('parse');
    await page.keyboard.press('Enter');
    await sees(page, '75% matches');
    await isAt(page, /q=parse/);
  });

  it('lists functions, and shows the callers and callees of one', async () => {
    await page.goto(pathOf(user, '/profiles'));
    const functions = page.getByRole('table', { name: 'Functions' });
    await functions.getByRole('row', { name: /^parse/ }).waitFor();
    await functions.getByRole('row', { name: /^serve/ }).click();
    await isAt(page, /view=sandwich/);
    await page.getByRole('img', { name: 'Callers of serve' }).waitFor();
    await page.getByRole('img', { name: 'Callees of serve' }).waitFor();
    await sees(page, /total 180 ms/);
  });

  it('compares with the previous window', async () => {
    await page.goto(pathOf(user, '/profiles?view=diff'));
    await page.getByRole('img', { name: 'Difference of cpu:nanoseconds: 200 ms, before 400 ms' }).waitFor();
  });

  it('causes no errors in the page', () => expect(open.faults).toEqual([]));
});
