import { InMemStorageProvider, Unleash } from 'unleash-client';
import { UnleashClient } from 'unleash-proxy-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTelemetryWorld,
  type TelemetryTenant,
  type TelemetryWorld,
} from '../../packages/server/src/testing/telemetry-world.ts';
import { until } from '../../packages/server/src/testing/test-client.ts';

/** Counts of the published SDKs, and requests like those of others. */
describe('Unleash metrics', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let key: string;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    key = await ada.sdkKey();
    for (const flag of ['backend', 'frontend', 'repeated']) {
      const created = await ada.post(`${ada.project}/flags`, { key: flag, name: flag, kind: 'boolean' });
      expect(created.status, created.text).toBe(201);
      const path = `${ada.project}/environments/production/flags/${flag}`;
      const { off_variant, version } = (await ada.get(path)).data;
      const serves = { enabled: true, off_variant, fallthrough: { variant: 'true' }, targets: [], rules: [], version };
      expect((await ada.put(path, serves)).status).toBe(200);
    }
  });
  afterAll(() => world?.stop());

  const evaluations = async (flag: string, variant: string) => {
    const [row] = await world.store.queryRows<{ n: number }>(
      `SELECT toFloat64(sum(evaluations)) AS n FROM flag_evaluations
       WHERE workspace = ${ada.numbers.workspace} AND flag = '${flag}' AND variant = '${variant}'`,
    );
    return row?.n ?? 0;
  };
  const reaches = (flag: string, variant: string, count: number) =>
    until(async () => (await evaluations(flag, variant)) === count);
  const send = (body: string, path = 'client/metrics', headers: Record<string, string> = {}) =>
    fetch(`${world.base}/unleash/api/${path}`, {
      method: 'POST',
      headers: { authorization: key, 'content-type': 'application/json', ...headers },
      body,
    });

  it('counts what the SDK for Node evaluated', async () => {
    const client = new Unleash({
      url: `${world.base}/unleash/api`,
      appName: 'shop',
      customHeaders: { authorization: key },
      metricsInterval: 300,
      storageProvider: new InMemStorageProvider(),
    });
    await new Promise((resolve, reject) => client.once('synchronized', resolve).once('error', reject));
    for (let i = 0; i < 3; i++) client.isEnabled('backend', { userId: `u${i}` });
    client.getVariant('backend', { userId: 'u' });
    await reaches('backend', 'true', 4);
    client.destroy();
  });

  it('counts what the SDK for browsers evaluated', async () => {
    const clientKey = await ada.sdkKey('production', { kind: 'client' });
    const url = `${world.base}/unleash/api/frontend`;
    const client = new UnleashClient({ url, clientKey, appName: 'shop', disableRefresh: true, metricsInterval: 0 });
    await client.start();
    for (let i = 0; i < 5; i++) client.isEnabled('frontend');
    await client.sendMetrics();
    await reaches('frontend', 'true', 5);
    client.stop();
  });

  it('counts a bucket that is sent again once, and what is new in it', async () => {
    const bucket = (yes: number, stop: string) =>
      JSON.stringify({
        ...{ appName: 'shop', instanceId: 'shop-1', connectionId: 'c' },
        bucket: { start: '2026-11-29T10:00:00Z', stop, toggles: { repeated: { yes, no: 1, variants: {} } } },
      });
    for (let i = 0; i < 3; i++) expect((await send(bucket(4, '2026-11-29T10:01:00Z'))).status).toBe(202);
    expect((await send(bucket(6, '2026-11-29T10:02:00Z'))).status).toBe(202);
    await reaches('repeated', 'true', 6);
    expect(await evaluations('repeated', 'false')).toBe(1);
  });

  it('rejects bad requests', async () => {
    const status = async (...sent: Parameters<typeof send>) => (await send(...sent)).status;
    expect(await status('{"bucket":')).toBe(400);
    expect(await status(JSON.stringify({ toggles: Array.from({ length: 500_000 }, () => 1) }))).toBe(413);
    expect(await status(JSON.stringify({ text: 'x'.repeat(5_000_000) }))).toBe(202);
    expect(await status(JSON.stringify({ text: 'x'.repeat(9_000_000) }))).toBe(413);
    expect(await status('{}', 'client/metrics', { 'unleash-interval': 'undefined' })).toBe(202);
    expect(await status('{}', 'frontend/client/metrics', { authorization: 'svc_sdk_wrong' })).toBe(401);
    expect((await fetch(`${world.base}/unleash/api/client/metrics`, { headers: { authorization: key } })).status).toBe(
      405,
    );
  });
});
