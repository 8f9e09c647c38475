import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const directory = fileURLToPath(new URL('../../../.build/screenshots/', import.meta.url));

/** With FANION_SCREENSHOTS set, saves a picture of a page under `.build/screenshots`, for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.FANION_SCREENSHOTS) return;
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: `${directory}${name}.png` });
}
