import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The elements that Tab reaches from the top of the page, up to the end of the page. */
export async function tabStops(page: Page): Promise<string[]> {
  // The next Tab starts from what had the focus last.
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  const stops: string[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate((isFirst) => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      if (!isFirst && element.hasAttribute('data-first-stop')) return null;
      if (isFirst) element.setAttribute('data-first-stop', '');
      const labelled = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
      const name = element.getAttribute('aria-label') ?? labelled ?? element.textContent ?? element.tagName;
      return `${element.closest('main, nav')?.tagName.toLowerCase() ?? 'page'}: ${name.trim()}`;
    }, stops.length === 0);
    if (stop === null) return stops;
    stops.push(stop);
    expect(stops.length).toBeLessThan(100);
  }
}
