import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const directory = fileURLToPath(new URL('../../../.build/screenshots/', import.meta.url));

/** Saves a screenshot of a page under `.build/screenshots` for manual review. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: `${directory}${name}.png` });
}
