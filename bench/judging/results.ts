import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MetricDefinition } from '@fanion/contract';
import { startTelemetryStore } from '@fanion/embedded';
import {
  builtInMetric,
  createMeasure,
  type Exposed,
} from '../../packages/server/src/features/judging/metrics/index.ts';
import { testMetric } from '../../packages/server/src/features/judging/metrics/testing/test-metric.ts';
import { createClickHouse, migrateTelemetry } from '../../packages/server/src/platform/clickhouse/index.ts';
import { testGateway } from '../../packages/server/src/testing/test-gateway.ts';
import { median } from '../support/load.ts';
import { childrenCpu } from './processes.ts';

const value = 'attr["total"]';
export const tenMetrics: readonly MetricDefinition[] = [
  testMetric({ source: 'logs | where body == "purchase"' }),
  testMetric({ source: 'logs | where body == "login"' }),
  testMetric({ kind: 'count' }),
  testMetric({ kind: 'count', source: 'logs | where body == "search"' }),
  testMetric({ kind: 'sum', value, source: 'logs | where body == "purchase"' }),
  testMetric({ kind: 'sum', value, source: 'logs | where body == "purchase"', cap: 0.99 }),
  testMetric({ kind: 'mean', value, source: 'logs | where body == "purchase"' }),
  testMetric({ kind: 'ratio', value: 'if(body == "purchase", 1, 0)' }),
  testMetric({ kind: 'retention', retention: { from: '1h', to: '5h' } }),
  testMetric({ kind: 'funnel', steps: ['body == "view"', 'body == "purchase"'] }),
];

export interface ResultsOptions {
  readonly units: number;
  readonly events: number;
  readonly rounds: number;
}

/** Measures ten metrics of three arms, beside a bare count of the same events, and one look of a guarded release over a thousandth of the units. */
export async function measureResults({ units, events, rounds }: ResultsOptions): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'fanion-judging-'));
  const quiet = { info() {}, warn: console.error, error: console.error };
  const engine = await startTelemetryStore({ dir, memoryBytes: 3 * 1024 ** 3, log: quiet });
  await migrateTelemetry({ url: engine.url, database: 'fanion' });
  const store = createClickHouse({ url: engine.url, database: 'fanion' });
  const gateway = testGateway(store);
  const { signal } = new AbortController();

  /** Noon of yesterday; events lie in the day after it. */
  const start = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;
  const at = (seconds: string) => `fromUnixTimestamp64Milli(toInt64(${start}) + ${seconds} * 1000, 'UTC')`;
  const place = `1 AS workspace, 1 AS project, 'production' AS environment, 3650 AS retention_days`;
  const slice = 1_000_000;
  /** @param many the flag \`many\` has all units, \`few\` a thousandth of them, each in a trace */
  for (const [flag, count] of [
    ['many', units],
    ['few', Math.ceil(units / 1_000)],
  ] as const)
    for (let from = 0; from < count; from += slice)
      await store.command(
        `INSERT INTO flag_events (workspace, project, environment, retention_days, time, flag, variant, reason, version, unit, tracked, trace_id, source, evaluations)
         SELECT ${place}, ${at('number % 3600')}, '${flag}', ['a', 'b', 'c'][1 + number % 3], 'split', '1', concat('user-', toString(number)), true,
           toFixedString(unhex(leftPad(hex(number), 32, '0')), 16), 'server', 1 FROM numbers(${from}, ${Math.min(slice, count - from)})`,
      );
  for (let from = 0; from < events; from += slice)
    await store.command(
      `INSERT INTO logs (workspace, project, environment, retention_days, time, body, string_attributes, float_attributes)
       SELECT ${place}, ${at('3600 + number % 36000')}, ['purchase', 'view', 'login', 'search'][1 + number % 4],
         map('user.id', concat('user-', toString(cityHash64(number) % ${units}))), map('total', (number % 1000) / 10)
       FROM numbers(${from}, ${Math.min(slice, events - from)})`,
    );
  await store.command(
    `INSERT INTO spans (workspace, project, environment, retention_days, time, service, name, kind, status, duration, trace_id)
     SELECT ${place}, ${at('number % 3600')}, 'shop', 'GET /', 'server', if(number % 50 = 0, 'error', 'ok'), 1000000 + number % 1000000,
       toFixedString(unhex(leftPad(hex(number), 32, '0')), 16) FROM numbers(${Math.ceil(units / 10)})`,
  );

  const exposed = (flag: string, arms: readonly string[]): Exposed => ({
    scope: { workspace: 1, project: 1, environment: 'production' },
    flag,
    arms,
    fromMs: start,
    toMs: start + 86_400_000 / 2,
  });
  const measure = createMeasure(gateway, 'interactive');
  const timed = async (run: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await run();
    return performance.now() - began;
  };
  const all: number[] = [];
  const bare: number[] = [];
  /** Of the engine, in seconds. */
  const cpu: number[] = [];
  const looks: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const many = exposed('many', ['a', 'b', 'c']);
    const before = childrenCpu();
    all.push(
      await timed(async () => {
        for (const [i, measured] of (await measure.all(many, tenMetrics, { signal })).entries())
          if ('error' in measured) throw new Error(`metric ${i + 1}: ${measured.error}`);
      }),
    );
    cpu.push(childrenCpu() - before);
    bare.push(
      await timed(() =>
        store.query(`SELECT count() FROM logs WHERE workspace = 1 AND string_attributes['user.id'] != ''`),
      ),
    );
    const few = exposed('few', ['a', 'b']);
    const errorRate = builtInMetric('error_rate');
    if (errorRate === undefined) throw new Error('error_rate is built in');
    looks.push(
      await timed(async () => {
        const known = await measure.units(few, signal);
        await measure.sums(few, errorRate.definition, { units: known, signal });
      }),
    );
  }
  console.log(
    `10 metrics of 3 arms, ${units} units, ${events} events: ${median(all).toFixed(0)} ms (limit: 2000 ms), processor time of the engine ${median(cpu).toFixed(1)} s`,
  );
  console.log(`a count of the same events: ${median(bare).toFixed(0)} ms`);
  console.log(`a look of one guard, ${Math.ceil(units / 1_000)} units: ${median(looks).toFixed(1)} ms`);
  await gateway.compiler.stop();
  await store.close();
  await engine.stop();
  rmSync(dir, { recursive: true, force: true });
}
