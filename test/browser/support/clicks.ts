import type { Page } from 'playwright-core';

/**
 * Counts what a person does to a page from now on: presses of the pointer, of which the drawing of a box is one, and presses of
 * Enter and of the space bar. A page that is loaded again has lost its count.
 */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`{
    window.clicks = 0;
    addEventListener('pointerdown', () => { window.clicks += 1; }, true);
    addEventListener('keydown', ({ key }) => { if (key === 'Enter' || key === ' ') window.clicks += 1; }, true);
  }`);
  return async () => {
    const counted: unknown = await page.evaluate('window.clicks');
    if (typeof counted !== 'number') throw new Error('the page was loaded again');
    return counted;
  };
}

/** Draws a box over a part of a plot, whose sides are shares of its width and height from the top left. */
export async function drawBox(
  page: Page,
  plot: ReturnType<Page['locator']>,
  sides: Record<'left' | 'top' | 'right' | 'bottom', number>,
) {
  const area = await plot.boundingBox();
  if (area === null) throw new Error('the plot is not drawn');
  const x = (share: number) => area.x + share * area.width;
  const y = (share: number) => area.y + share * area.height;
  await page.mouse.move(x(sides.left), y(sides.top));
  await page.mouse.down();
  await page.mouse.move(x(sides.right), y(sides.bottom), { steps: 4 });
  await page.mouse.up();
}
