import type { Page } from 'playwright-core';

/** Reviews the unsaved changes of a flag or segment, and saves them. */
export async function reviewAndSave(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click();
  const review = page.getByRole('dialog', { name: /^Save / });
  await review.getByRole('button', { name: 'Save', exact: true }).click();
  await review.waitFor({ state: 'detached' });
}

/** Turns the flag of the page on in production, and saves that. */
export async function turnOnInProduction(page: Page): Promise<void> {
  await page.getByRole('switch', { name: 'Off in Production' }).click({ force: true });
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('tab', { name: 'Production on' }).waitFor();
}
