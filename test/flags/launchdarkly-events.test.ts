import { gzipSync } from 'node:zlib';
import { init } from '@launchdarkly/node-server-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTelemetryWorld,
  type TelemetryTenant,
  type TelemetryWorld,
} from '../../packages/server/src/testing/telemetry-world.ts';
import { until } from '../../packages/server/src/testing/test-client.ts';

const silent = { error() {}, warn() {}, info() {}, debug() {} };

/** Events of the published SDK for Node, and requests like those of others. */
describe('LaunchDarkly events', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let key: string;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    key = await ada.sdkKey();
    for (const flag of ['ramped', 'plain', 'repeated', 'zipped', 'browser']) {
      const created = await ada.post(`${ada.project}/flags`, { key: flag, name: flag, kind: 'boolean' });
      expect(created.status, created.text).toBe(201);
      const path = `${ada.project}/environments/production/flags/${flag}`;
      const { off_variant, version } = (await ada.get(path)).data;
      const targeting = {
        enabled: true,
        off_variant,
        fallthrough: { variant: 'true' },
        targets: [],
        rules: [],
        version,
      };
      expect((await ada.put(path, targeting)).status).toBe(200);
    }
    const ramp = await ada.post(`${ada.project}/environments/production/flags/ramped/ramp`, {
      variant: 'false',
      steps: [{ weight: 50_000, hold: '1d' }],
    });
    expect(ramp.status, ramp.text).toBe(201);
  });
  afterAll(() => world?.stop());

  const own = () => `workspace = ${ada.numbers.workspace}`;
  const evaluations = async (flag: string) => {
    const [row] = await world.store.queryRows<{ n: number }>(
      `SELECT toFloat64(sum(evaluations)) AS n FROM flag_evaluations WHERE ${own()} AND flag = '${flag}'`,
    );
    return row?.n ?? 0;
  };
  const reaches = (flag: string, count: number) => until(async () => (await evaluations(flag)) === count);
  const summary = (flag: string, count: number) => [
    {
      ...{ kind: 'summary', startDate: Date.now(), endDate: Date.now() },
      features: { [flag]: { default: null, counters: [{ value: true, variation: 0, version: 2, count }] } },
    },
  ];
  const send = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(world.base + path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

  it('counts each evaluation of the SDK once, and each unit of a ramp as an exposure', async () => {
    const at = world.base;
    const client = init(key, { baseUri: at, streamUri: at, eventsUri: at, logger: silent });
    await client.waitForInitialization({ timeout: 10 });
    const units = Array.from({ length: 20 }, (_, i) => `unit-${String(i).padStart(2, '0')}`);
    for (let times = 0; times < 3; times++)
      for (const unit of units) {
        await client.variation('ramped', { kind: 'user', key: unit, plan: 'pro' }, null);
        await client.variation('plain', { kind: 'user', key: unit }, null);
      }
    await client.flush();
    client.close();
    await reaches('ramped', 60);
    await reaches('plain', 60);
    const found = await world.store.queryRows<{ unit: string; variant: string; kept: number }>(
      `SELECT unit, variant, toFloat64(max(tracked)) AS kept FROM exposures WHERE ${own()} AND flag = 'ramped'
       GROUP BY unit, variant ORDER BY unit`,
    );
    const ofrep = await Promise.all(
      units.map(async (unit) => {
        const answer = await fetch(`${at}/ofrep/v1/evaluate/flags/ramped`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ context: { targetingKey: unit } }),
        });
        const { variant } = (await answer.json()) as { variant: string };
        return { unit, variant, kept: 1 };
      }),
    );
    expect(found).toEqual(ofrep);
  });

  it('counts a repeated batch once', async () => {
    const headers = { authorization: key, 'x-launchdarkly-payload-id': 'payload-1' };
    for (let i = 0; i < 3; i++)
      expect((await send('/bulk', JSON.stringify(summary('repeated', 5)), headers)).status).toBe(202);
    const other = { ...headers, 'x-launchdarkly-payload-id': 'payload-2' };
    expect((await send('/bulk', JSON.stringify(summary('repeated', 2)), other)).status).toBe(202);
    await reaches('repeated', 7);
  });

  it('reads compressed batches, and refuses what unpacks to more than the limit', async () => {
    const zipped = { authorization: key, 'content-encoding': 'gzip' };
    expect((await send('/bulk', Uint8Array.from(gzipSync(JSON.stringify(summary('zipped', 4)))), zipped)).status).toBe(
      202,
    );
    await reaches('zipped', 4);
    expect((await send('/bulk', Uint8Array.from(gzipSync(Buffer.alloc(9 * 1024 * 1024, 0x20))), zipped)).status).toBe(
      413,
    );
    expect((await send('/bulk', 'not gzip', zipped)).status).toBe(400);
    expect((await send('/bulk', '[]', { ...zipped, 'content-encoding': 'br' })).status).toBe(415);
  });

  it('accepts five megabytes of events, and refuses bodies that are no JSON', async () => {
    const event = { kind: 'index', creationDate: 1, context: { kind: 'user', key: 'ada', text: 'x'.repeat(1_000) } };
    const many = JSON.stringify(Array.from({ length: 5_000 }, () => event));
    expect((await send('/bulk', many, { authorization: key })).status).toBe(202);
    expect((await send('/bulk', '{', { authorization: key })).status).toBe(400);
    expect((await send('/bulk', '[]', { authorization: 'svc_sdk_wrong' })).status).toBe(401);
  });

  it('counts custom events of LaunchDarkly and GrowthBook, and stores none', async () => {
    const ignored = async () => {
      const metrics = await (await fetch(`${world.base}/internal/metrics`)).text();
      return Number(/^fanion_flag_events_ignored_total (\d+)$/m.exec(metrics)?.[1]);
    };
    const before = await ignored();
    const custom = { kind: 'custom', key: 'bought', context: { kind: 'user', key: 'ada' }, metricValue: 9 };
    expect((await send('/bulk', JSON.stringify([custom, custom]), { authorization: key })).status).toBe(202);
    const bought = JSON.stringify([{ event_name: 'bought', user_id: 'ada' }]);
    expect((await send(`/growthbook/track?client_key=${key}`, bought)).status).toBe(204);
    expect((await ignored()) - before).toBe(3);
  });

  it('takes events of browsers with the key in the path, and of mobile applications', async () => {
    const client = await ada.sdkKey('production', { kind: 'client' });
    const body = JSON.stringify(summary('browser', 3));
    expect((await send(`/events/bulk/${client}`, body)).status).toBe(202);
    expect((await send('/mobile/events/bulk', body, { authorization: client })).status).toBe(202);
    expect((await send('/mobile', body, { authorization: `api_key ${client}` })).status).toBe(202);
    await reaches('browser', 9);
    expect((await send('/events/bulk/svc_sdk_wrong', body)).status).toBe(401);
    for (const path of [`/events/diagnostic/${client}`, '/mobile/events/diagnostic', '/diagnostic'])
      expect((await send(path, '{"kind":"diagnostic"}', { authorization: client })).status, path).toBe(202);
  });
});
