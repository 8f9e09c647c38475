import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly impact: string;
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** Waits for the transitions that end. */
const movingStops = `Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity).map((a) => a.finished)).then(() => '')`;

/**
 * What axe finds on a page that is serious or critical, a line for each. It is run through the debugger, since the
 * page's security policy rightly lets no foreign script in. `only` names the rules to run, all without it.
 */
export async function seriousViolations(page: Page, only?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(only && { runOnly: only }) };
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  // Colours on their way from one to another are nobody's.
  await session.send('Runtime.evaluate', { expression: movingStops, awaitPromise: true });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)}).then((found) => JSON.stringify(found.violations))`,
    awaitPromise: true,
  });
  await session.detach();
  const violations = JSON.parse(String(result.value)) as Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join('; ')}`,
    );
}
