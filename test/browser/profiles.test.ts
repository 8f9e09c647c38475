import { beforeAll, expect, it } from 'vitest';
import { stored } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendOtlp } from './support/otlp.ts';

describeInBrowser('profiles in the browser', () => {
  const app = useApp('dorothy');
  const visit = (path: string) => app.open({ as: app.owner, path: pathOf(app.owner, path) });

  // The tests only look at these profiles.
  beforeAll(sendProfiles);

  /** Samples of three stacks: 150 ms in parse, 30 ms in render, 20 ms in gc; 90 minutes ago 400 ms in render. */
  async function sendProfiles(): Promise<void> {
    const strings = ['', 'cpu', 'nanoseconds', 'main', 'serve', 'parse', 'render', 'gc'];
    const functionOf = (name: string) => strings.indexOf(name) - 2;
    // A stack begins with the innermost call.
    const stacks = [
      ['parse', 'serve', 'main'],
      ['render', 'serve', 'main'],
      ['gc', 'main'],
    ];
    const functions = strings.slice(3);
    const dictionary = {
      stringTable: strings,
      functionTable: [{}, ...functions.map((name) => ({ nameStrindex: strings.indexOf(name) }))],
      locationTable: [{}, ...functions.map((name) => ({ lines: [{ functionIndex: functionOf(name), line: 1 }] }))],
      stackTable: [{}, ...stacks.map((names) => ({ locationIndices: names.map(functionOf) }))],
    };
    const now = Date.now();
    const profile = (stackIndex: number, minutes: number, milliseconds: number) => ({
      sampleType: { typeStrindex: 1, unitStrindex: 2 },
      timeUnixNano: `${now - minutes * 60_000}000000`,
      durationNano: '1000000000',
      samples: [{ stackIndex, values: [String(milliseconds * 1_000_000)] }],
    });
    const profiles = [profile(1, 10, 150), profile(2, 20, 30), profile(3, 30, 20), profile(2, 90, 400)];
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'cart' } }] };
    const resourceProfiles = [{ resource, scopeProfiles: [{ profiles }] }];
    await sendOtlp(app.owner, '/v1development/profiles', { resourceProfiles, dictionary });
    await stored(app.base);
  }

  it('draws, zooms and searches a flame graph', async () => {
    const page = await visit('/profiles');
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
    const page = await visit('/profiles');
    const functions = page.getByRole('table', { name: 'Functions' });
    await functions.getByRole('row', { name: /^parse/ }).waitFor();
    await functions.getByRole('row', { name: /^serve/ }).click();
    await isAt(page, /view=sandwich/);
    await page.getByRole('img', { name: 'Callers of serve' }).waitFor();
    await page.getByRole('img', { name: 'Callees of serve' }).waitFor();
    await sees(page, /total 180 ms/);
  });

  it('compares with the previous window', async () => {
    const page = await visit('/profiles?view=diff');
    await page.getByRole('img', { name: 'Difference of cpu:nanoseconds: 200 ms, before 400 ms' }).waitFor();
  });
});
