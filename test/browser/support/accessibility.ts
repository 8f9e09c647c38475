import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly impact: string;
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/**
 * axe's violations of a page, one line each. Runs axe through the debugger, because the page's security policy blocks foreign
 * scripts. `only` names the rules to run; by default all run.
 */
async function violationsOf(page: Page, only?: readonly string[]): Promise<string[]> {
  return (await violations(page, only)).map(described);
}

/** Serious and critical violations, for pages with content of users, such as the headings of a Markdown panel. */
export async function seriousViolations(page: Page): Promise<string[]> {
  const found = await violations(page);
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(described);
}

/** Rules whose results depend on the sizes of elements, and not only on what they are. */
const SIZE_RULES = ['color-contrast', 'scrollable-region-focusable', 'target-size'];

/** Violations that another size of the same elements can bring, in light colors and then in dark ones. */
export function violationsOfSizes(page: Page): Promise<string[]> {
  return inBothSchemes(page, (one) => violationsOf(one, SIZE_RULES));
}

/** axe's violations of a page in light colors, and then of its contrasts in dark ones. The page stays dark. */
export function violationsInBothSchemes(page: Page): Promise<string[]> {
  return inBothSchemes(page, violationsOf);
}

/** The same of serious and critical violations. */
export function seriousInBothSchemes(page: Page): Promise<string[]> {
  return inBothSchemes(page, seriousViolations);
}

/** The schemes differ only in colors. */
async function inBothSchemes(page: Page, find: (page: Page) => Promise<string[]>): Promise<string[]> {
  await showColors(page, 'light');
  const light = await find(page);
  await showColors(page, 'dark');
  const dark = await violationsOf(page, ['color-contrast']);
  return [...light, ...dark.map((violation) => `in dark colors: ${violation}`)];
}

/** The page follows the setting of the system a little later. */
export async function showColors(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
}

async function violations(page: Page, only?: readonly string[]): Promise<Violation[]> {
  const options = { resultTypes: ['violations'], ...(only && { runOnly: only }) };
  const session = await page.context().newCDPSession(page);
  // A page keeps it until it is left.
  const { result: kind } = await session.send('Runtime.evaluate', { expression: 'typeof axe' });
  if (kind.value === 'undefined') await session.send('Runtime.evaluate', { expression: axe });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)}).then((found) => JSON.stringify(found.violations))`,
    awaitPromise: true,
  });
  await session.detach();
  return JSON.parse(String(result.value));
}

function described({ id, nodes }: Violation): string {
  return `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join('; ')}`;
}
