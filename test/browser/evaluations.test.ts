import { beforeAll, expect, it } from 'vitest';
import { testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { isAt, pathOf, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendOtlp } from './support/otlp.ts';
import { sendShop } from './support/telemetry.ts';

describeInBrowser('flag evaluations', () => {
  const app = useApp('grace');
  let traceId: string;

  // The tests only look at these evaluations.
  beforeAll(async () => {
    const user = app.owner;
    ({ traceId } = await sendShop(user, 1));
    const flags = flagsOf(user);
    await flags.create('checkout-v2');
    await flags.create('never-asked');
    await flags.serve('checkout-v2');
    const sdk = testClient(app.base, { bearer: await user.sdkKey() });
    for (let i = 0; i < 5; i++)
      await sdk.post('/ofrep/v1/evaluate/flags/checkout-v2', { context: { targetingKey: `user-${i}` } });
    await report(await startOf(traceId));
    await until(async () => {
      const query = 'flags "checkout-v2" | stats n=count()';
      return (await user.post(`${user.workspace}/query`, { query })).data?.rows?.[0]?.[0] === 6;
    });
  });

  /** Start of the trace in nanoseconds. */
  async function startOf(trace: string): Promise<string> {
    const found = await until(async () => (await app.owner.get(`${app.owner.workspace}/traces/${trace}`)).data);
    return `${Date.parse(found.start)}000000`;
  }

  /** A client's evaluation in the trace, as an OpenTelemetry event. */
  async function report(timeUnixNano: string): Promise<void> {
    const told = { key: 'checkout-v2', 'result.variant': 'false', 'result.reason': 'targeting_match', version: '1' };
    const attributes = Object.entries({ ...told, 'context.id': 'ada' }).map(([name, stringValue]) => ({
      key: `feature_flag.${name}`,
      value: { stringValue },
    }));
    const record = { timeUnixNano, traceId, eventName: 'feature_flag.evaluation', attributes };
    await sendOtlp(app.owner, '/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
  }

  it('shows on the flag page the time and number of evaluations, and the number of units', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/flags') });
    await page.getByRole('columnheader', { name: 'Evaluated' }).waitFor();
    await page.getByRole('link', { name: 'checkout-v2' }).click();
    await isAt(page, /\/flags\/checkout-v2/);
    const table = page.getByRole('table', { name: 'Evaluations of the last day' });
    await table.waitFor();
    expect((await table.getByRole('row').allInnerTexts()).map((row) => row.split(/\s+/))).toEqual([
      ['true', '5', ''],
      ['false', '1', '1', 'unit'],
    ]);
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Errors and durations by variant' }).click();
    await isAt(page, /\/explore/);
  });

  it('shows that a flag has no recorded evaluations', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, '/flags/never-asked') });
    await page.getByText('No evaluations recorded.').waitFor();
  });

  it('shows evaluations on the trace page with a link to the flag', async () => {
    const page = await app.open({ as: app.owner, path: pathOf(app.owner, `/traces/${traceId}`) });
    await page.getByRole('radiogroup', { name: 'Show' }).getByText('Flags 1').click();
    const lines = page.getByRole('list', { name: 'Flags' });
    expect(await lines.getByRole('listitem').innerText()).toMatch(
      /checkout-v2\s+false\s+targeting_match, version 1, for ada/,
    );
    expect(await seriousViolations(page)).toEqual([]);
    await lines.getByRole('link', { name: 'checkout-v2' }).click();
    await isAt(page, /\/flags\/checkout-v2/);
  });
});
