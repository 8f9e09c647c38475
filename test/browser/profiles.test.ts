import { beforeAll, expect, it } from 'vitest';
import { seriousViolations } from './support/accessibility.ts';
import { isAt, pathOf, sees, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendProfiles } from './support/profiles.ts';

describeInBrowser('profiles in the browser', () => {
  const app = useApp('dorothy');
  const visit = (path: string) => app.open({ as: app.owner, path: pathOf(app.owner, path) });

  // The tests only look at these profiles.
  beforeAll(() => sendProfiles(app.owner));

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
