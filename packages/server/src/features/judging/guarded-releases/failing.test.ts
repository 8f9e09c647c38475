import type { GuardedLook } from '@fanion/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { builtInMetric } from '../metrics/index.ts';
import { testMetric } from '../metrics/testing/test-metric.ts';
import { createContrastFailing } from './failing.ts';
import { failingRows } from './failing-rules.ts';

let world: TelemetryWorld;
let gateway: Gateway;
beforeAll(async () => {
  world = await startTelemetryWorld();
  gateway = testGateway(world.store);
});
afterAll(async () => {
  await gateway?.compiler.stop();
  await world?.stop();
});

/** An hour ago, far from what the server itself writes now. */
const at = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
const timeOf = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');

describe('the failing rows of a rollback', () => {
  it('are those of the variant that are worse than the control, with what they have in common', async () => {
    const place = { ...world.ada.numbers, environment: 'production', retention_days: 30, time: timeOf(at) };
    const traces = Array.from({ length: 40 }, (_, i) => ({
      trace_id: `failing${i}`.padStart(16, '-'),
      variant: i % 2 === 0 ? 'true' : 'false',
      // Requests of the variant fail in one region; those of the control fail in another.
      failed: i % 4 === 0 || i % 8 === 1,
      region: i % 4 === 0 ? 'eu' : 'us',
    }));
    await world.insert(
      'flag_events',
      traces.map(({ trace_id, variant }) => ({
        ...{ ...place, trace_id, variant, flag: 'failing', reason: 'split', version: '1', unit: trace_id },
        ...{ tracked: true, source: 'server', evaluations: 1 },
      })),
    );
    await world.insert(
      'spans',
      traces.map(({ trace_id, failed, region }) => ({
        ...{ ...place, trace_id, service: 'shop', name: 'POST /pay', kind: 'server', duration: 1_000_000 },
        ...{ status: failed ? 'error' : 'ok', string_attributes: { region } },
      })),
    );
    const metric = builtInMetric('error_rate');
    if (metric === undefined) throw new Error('error_rate is built in');
    const numbers = { n: 20, mean: 0.25 };
    const look: GuardedLook = {
      at: new Date(at + 60_000).toISOString(),
      units: {},
      crossed: 0,
      sample_ratio: { ok: true, p_value: 1, chi_squared_p: 1, observed: {}, expected: {}, crossed: 0 },
      compared_with: 'control',
      guards: [
        {
          ...{
            metric: 'error_rate',
            name: 'Error rate',
            verdict: 'harm',
            upper: null,
            units_needed: null,
            error: null,
          },
          ...{ control: numbers, treatment: { n: 20, mean: 0.5 }, harm: 0.25, bound: 0.1, tolerance: 0.01 },
        },
      ],
    };
    const found = await createContrastFailing(gateway)(
      {
        flag: 'failing',
        environment: 'production',
        armed_at: new Date(at - 60_000),
        workspace_number: world.ada.numbers.workspace,
        project_number: world.ada.numbers.project,
        frozen: { control: 'false', metrics: [metric] },
        definition: {
          ...{
            variant: 'true',
            steps: [],
            bucket_by: null,
            when_unsure: 'hold',
            hold_at_most: '7d',
            alpha: 0.05,
            channels: [],
            watch: '0s',
          },
          guards: [
            {
              metric: 'error_rate',
              direction: 'down_is_good',
              tolerance: 0.01,
              min_units: 8,
              on_regression: 'rollback',
            },
          ],
        },
      },
      look,
      new AbortController().signal,
    );
    expect(found).toMatchObject({ metric: 'error_rate', failing: expect.stringContaining('status == error') });
    expect(found?.attributes).toContainEqual({ field: 'region', value: 'eu', failing: 1, others: 0 });
  });

  it.each([
    ['join by an attribute', { unit: 'user.id', value: 'duration' }],
    ['have no number by which one could be worse', { unit: 'trace_id', value: undefined }],
  ])('are not compared where the rows of the metric %s', (_name, metric) => {
    const of = { flag: 'f', variant: 'true' };
    expect(failingRows({ ...testMetric({}), ...metric }, { n: 9, mean: 1 }, of)).toBeUndefined();
  });
});
