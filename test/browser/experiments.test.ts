import { bucketValue } from '@fanion/flag-engine';
import { expect, it } from 'vitest';
import { type SignedUp, stored } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf, half } from '../flags/support.ts';
import { seriousViolations } from './support/accessibility.ts';
import { editorIn, pathOf, takesFocus, useApp } from './support/app.ts';
import { describeInBrowser } from './support/chromium.ts';
import { sendOtlp } from './support/otlp.ts';

describeInBrowser('experiments in the browser', () => {
  const app = useApp('emmy');

  it('begin with a metric, are planned, and start with what they serve', async () => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    await flags.serve('banner', { fallthrough: { variant: 'false' } });
    const page = await app.open({ as: user, path: pathOf(user, '/flag-metrics/new'), provokes: /422/ });
    await page.getByLabel('Name').fill('Purchase');
    await (await editorIn(page, 'Rows: each row is an event of a unit')).fill('logs | where body == "bought"');
    await page.getByRole('status', { name: 'Rows that count' }).getByText('The query returned no rows.').waitFor();
    await page.getByRole('button', { name: 'Create metric' }).click();
    await page.getByRole('heading', { name: 'Purchase' }).waitFor();

    await page.goto(pathOf(user, '/experiments/new?flag=banner&env=production'));
    await page.getByLabel('Name').fill('Banner on top');
    await page.getByLabel('Share of true').fill('40');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByText('Choose at least one metric that decides').waitFor();
    await page.getByRole('combobox', { name: 'Metrics that decide' }).click();
    await page.getByRole('option', { name: 'Purchase' }).click();
    await page.getByText('There is not enough traffic to plan with').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByRole('heading', { name: 'Banner on top' }).waitFor();

    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Start Banner on top' });
    await takesFocus(dialog);
    await dialog.getByRole('cell', { name: 'after: 60% false, 40% true, measured' }).waitFor();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    expect((await flags.targeting('banner')).holder.kind).toBe('experiment');

    const experiment = new URL(page.url()).pathname.split('/').at(-1);
    const panel = { id: 'e', type: 'experiment', title: 'Result', experiment, x: 0, y: 0, w: 12, h: 8 };
    const dashboard = await user.post(`${user.workspace}/dashboards`, { name: 'Shop', panels: [panel] });
    expect(dashboard.status, dashboard.text).toBe(201);
    await page.goto(pathOf(user, `/dashboards/${dashboard.data.id}`));
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('No unit has taken part yet.').waitFor();
    await result.getByRole('link', { name: 'Banner on top' }).waitFor();
  });

  /** 400 units that all saw `false`. Those that the salt of the experiment gives `true` happen to buy more. */
  async function sendUnluckyPast(user: SignedUp, experiment: string): Promise<void> {
    const all = Array.from({ length: 4_000 }, (_, i) => `unit-${i}`);
    const isControl = (unit: string) => bucketValue({ seed: `experiment-${experiment}` }, unit) < 0.5;
    const controls = all.filter(isControl).slice(0, 200);
    const others = all.filter((unit) => !isControl(unit)).slice(0, 200);
    const buyers = [...controls.filter((_, i) => i % 10 === 0), ...others.filter((_, i) => i % 2 === 0)];
    const timeUnixNano = `${Date.now() - 60_000}000000`;
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const logRecords = [
      ...[...controls, ...others].map((unit) => ({
        timeUnixNano,
        eventName: 'feature_flag.evaluation',
        attributes: [
          text('feature_flag.key', 'banner'),
          text('feature_flag.result.variant', 'false'),
          text('feature_flag.result.reason', 'static'),
          text('feature_flag.context.id', unit),
        ],
      })),
      ...buyers.map((unit) => ({
        timeUnixNano,
        body: { stringValue: 'bought' },
        attributes: [text('user.id', unit)],
      })),
    ];
    const resource = { attributes: [text('deployment.environment.name', 'production')] };
    await sendOtlp(user, '/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
    await stored(user.base);
  }

  it('are not started with an unlucky salt, take another one, and list their phases', async () => {
    const user = await app.workspace();
    const flags = flagsOf(user);
    await flags.create('banner');
    await flags.serve('banner', { fallthrough: { variant: 'false' } });
    const source = 'logs | where body == "bought"';
    const metric = { key: 'bought', name: 'Purchase', kind: 'conversion', source, unit: 'user.id' };
    expect((await user.post(`${user.project}/metrics`, metric)).status).toBe(201);
    const { data } = await user.post(`${user.project}/experiments`, {
      key: 'banner',
      name: 'Banner on top',
      flag: 'banner',
      environment: 'production',
      control: 'false',
      variants: half.toReversed(),
      metrics: { goals: ['bought'] },
    });
    await sendUnluckyPast(user, data.id);
    const page = await app.open({ as: user, path: pathOf(user, `/experiments/${data.id}`), provokes: /409/ });
    await page.getByRole('button', { name: 'Replay past units' }).click();
    await page
      .getByRole('alert')
      .getByText(/The salt is unlucky.*differ in Purchase/)
      .waitFor();
    await page
      .getByRole('table', { name: 'Replay of past units' })
      .getByRole('row', { name: /Purchase.*yes/ })
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Start Banner on top' });
    await takesFocus(dialog);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByText('The experiment did not start.').waitFor();
    await dialog.getByRole('button', { name: 'Try another salt' }).click();
    await dialog.getByText('The experiment did not start.').waitFor({ state: 'hidden' });
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Running', { exact: true }).waitFor();
    await page
      .getByRole('table', { name: 'Phases' })
      .getByRole('row', { name: /^1 .*now 50% false, 50% true, measured/ })
      .waitFor();

    await page.getByRole('button', { name: 'Start a new phase' }).click();
    const phase = page.getByRole('dialog', { name: 'Begin a new phase of Banner on top' });
    await takesFocus(phase);
    await phase.getByLabel('Share of true').fill('40');
    await phase.getByRole('button', { name: 'Add condition' }).click();
    await phase.getByText('Fill in each condition, or remove it').waitFor();
    await phase.getByRole('button', { name: 'Remove condition 1' }).click();
    await phase.getByRole('cell', { name: 'after: 60% false, 40% true, measured' }).waitFor();
    await phase.getByRole('button', { name: 'Begin the phase' }).click();
    await page
      .getByRole('table', { name: 'Phases' })
      .getByRole('row', { name: /^2 .*now 60% false, 40% true, measured/ })
      .waitFor();
    await page.getByRole('region', { name: 'Code' }).getByText('There are no profiles of these requests').waitFor();
  });
});
