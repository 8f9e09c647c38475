import { expect, it } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { seriousViolations } from './support/accessibility.ts';
import { hasCount, isAt, pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendOtlp } from './support/otlp.ts';

describeInBrowser('the page of a trace that failed', () => {
  const app = useApp('radia');

  /** A request of 8 equal queries, the sixth of which failed, and a failed audit after them. */
  async function visitFailed() {
    const user = await app.workspace();
    const traceId = 'c'.repeat(32);
    const start = Date.now() - 60_000;
    const id = (index: number) => String(index).padStart(16, '0');
    const span = (index: number, parent: number | undefined, name: string, at: number, failure?: string) => ({
      traceId,
      spanId: id(index),
      ...(parent !== undefined && { parentSpanId: id(parent) }),
      name,
      kind: 1,
      startTimeUnixNano: `${start + at}000000`,
      endTimeUnixNano: `${start + at + 5}000000`,
      ...(failure !== undefined && { status: { code: 2, message: failure } }),
    });
    const queries = Array.from({ length: 8 }, (_, index) =>
      span(10 + index, 1, 'SELECT items', 10 + index * 10, index === 5 ? 'deadlock' : undefined),
    );
    const spans = [span(1, undefined, 'GET /cart', 0), ...queries, span(30, 1, 'write audit', 95, 'disk full')];
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'cart' } }] };
    await sendOtlp(user, '/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    await until(async () => {
      const trace = await user.get(`${user.workspace}/traces/${traceId}`);
      return trace.status === 200 && trace.data.spans.length === spans.length;
    });
    return app.open({ as: user, path: pathOf(user, `/traces/${traceId}`) });
  }

  it('opens on the first failure, steps through the errors with n and p, and folds what is repeated', async () => {
    const page = await visitFailed();
    const panel = (name: string) => page.getByRole('complementary', { name: `Span ${name}` });
    const items = page.getByRole('treeitem');
    const fold = page.getByRole('treeitem', { name: /8.*times.*SELECT items.*1 error/ });
    await panel('SELECT items').getByText('deadlock').first().waitFor();
    // The fold of the failing span is open: the request, the fold, its queries and the audit.
    await hasCount(items, 11);
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('n');
    await panel('write audit').getByText('disk full').first().waitFor();
    await page.keyboard.press('p');
    await panel('SELECT items').waitFor();
    await isAt(page, /span=0{14}15/);
    await panel('SELECT items').getByRole('button', { name: 'Next row' }).click();
    await isAt(page, /span=0{14}16/);
    await page.getByRole('button', { name: 'Next error' }).click();
    await panel('write audit').waitFor();
    await fold.click();
    await hasCount(items, 3);
    await panel('write audit').getByRole('button', { name: 'Close' }).click();
    await hasCount(panel('write audit'), 0);
    await page.keyboard.press('n');
    await panel('SELECT items').waitFor();
    await hasCount(items, 11);
  });
});
