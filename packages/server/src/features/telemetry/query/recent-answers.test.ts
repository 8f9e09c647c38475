import { afterAll, beforeAll, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { stored, until } from '../../../testing/test-client.ts';

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
});
afterAll(() => world?.stop());

const now = Date.now();
const minute = 60_000;

async function answers(): Promise<number> {
  const metrics = await (await fetch(`${world.base}/internal/metrics`)).text();
  return Number(/^fanion_recent_points_answers_total (\S+)$/m.exec(metrics)?.[1]);
}

it('answers a metric that is asked again from memory, with the same rows and later points', async () => {
  const { ada } = world;
  const send = (points: readonly { ms: number; value: number }[]) => {
    const dataPoints = points.map(({ ms, value }) => ({
      ...{ timeUnixNano: nanos(ms), asDouble: value, attributes: [text('host', 'a')] },
    }));
    const sum = { dataPoints, aggregationTemporality: 2, isMonotonic: true };
    return ada.ingest('metrics', metricsRequest([{ name: 'asked.again', sum }]));
  };
  const ask = async (query: string) => {
    const { data } = await ada.post(`${ada.workspace}/query`, { query, from: now - 30 * minute, to: now });
    return data.rows;
  };
  const rate = 'metric asked.again | promrate 10m | sum by host, bucket(5m)';
  await send([
    { ms: now - 9 * minute, value: 1 },
    { ms: now - 8 * minute, value: 61 },
  ]);
  await stored(world.base);
  const fromEngine = await ask(rate);
  expect(fromEngine.length).toBeGreaterThan(0);
  const before = await answers();
  await until(async () => {
    expect(await ask(rate)).toEqual(fromEngine);
    return (await answers()) > before;
  });
  await send([{ ms: now - 7 * minute, value: 121 }]);
  await stored(world.base);
  const count = await answers();
  expect(await ask('metric asked.again | count by host')).toEqual([['a', 3]]);
  expect(await answers()).toBe(count + 1);
});
