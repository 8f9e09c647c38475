import type { Annotation } from '@fanion/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { createChangesReader, maxChanges } from './changes.ts';

describe('the source changes', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const flag = await ada.post(`${ada.project}/flags`, { key: 'new-checkout', name: 'New checkout', kind: 'boolean' });
    expect(flag.status).toBe(201);
    const path = `${ada.project}/environments/production/flags/new-checkout`;
    const { data } = await ada.get(path);
    const { enabled: _, ...config } = data;
    const saved = await ada.put(path, {
      ...{ enabled: true, off_variant: config.off_variant, fallthrough: config.fallthrough },
      ...{ targets: config.targets, rules: config.rules, version: config.version },
    });
    expect(saved.status).toBe(200);
    await ada.post(`${ada.workspace}/annotations`, { time: 'now', text: 'Black Friday begins', service: 'cart' });
  });
  afterAll(() => world?.stop());

  const ask = async (tenant: TelemetryTenant, query: string) =>
    tenant.post(`${tenant.workspace}/query`, { query, from: 'now-1h', to: 'now+5m' });

  it('answers what changed, from flags and from people', async () => {
    const { data } = await ask(ada, 'changes | sort time | fields kind, text, service.name, flag');
    expect(data.rows).toContainEqual(['manual', 'Black Friday begins', 'cart', null]);
    expect(data.rows).toContainEqual(['flag', expect.stringContaining('new-checkout'), null, 'new-checkout']);
  });

  it('can be counted over time on a dashboard', async () => {
    const panel = {
      id: 'a',
      type: 'table',
      title: 'A',
      query: 'changes | stats n=count() by kind',
      x: 0,
      y: 0,
      w: 6,
      h: 4,
    };
    const created = await ada.post(`${ada.workspace}/dashboards`, { name: 'Changes', panels: [panel] });
    const path = `${ada.workspace}/dashboards/${created.data.id}/data`;
    const { text } = await ada.post(path, { from: 'now-1h', to: 'now+5m' });
    expect(JSON.parse(text.split('\n')[0] ?? '').rows).toContainEqual(['manual', 1]);
  });

  it('never shows those of another workspace', async () => {
    expect((await ask(world.eve, 'changes | where kind == "manual" | count')).data.rows).toEqual([[0]]);
  });

  it('is streamed as NDJSON', async () => {
    const answer = await fetch(`${world.base}${ada.workspace}/query`, {
      method: 'POST',
      headers: {
        cookie: ada.cookie,
        origin: world.base,
        'content-type': 'application/json',
        accept: 'application/x-ndjson',
      },
      body: JSON.stringify({ query: 'changes | where kind == "manual" | fields text', from: 'now-1h', to: 'now+5m' }),
    });
    expect(await answer.text()).toBe('{"text":"Black Friday begins"}\n');
  });

  it('shows nobody the cached answer of somebody who may read more', async () => {
    const query = {
      query: 'changes | where kind == "flag" | count',
      from: '2026-01-01T00:00:00Z',
      to: '2036-01-01T00:00:00Z',
    };
    const older = { 'cache-control': 'max-age=300' };
    expect((await ada.post(`${ada.workspace}/query`, query, older)).data.rows).toEqual([[1]]);
    const token = await ada.token(['telemetry:query']);
    const answer = await fetch(`${world.base}${ada.workspace}/query`, {
      method: 'POST',
      headers: { ...older, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(query),
    });
    expect(await answer.json()).toMatchObject({ data: { rows: [[0]] } });
  });

  it('is refused in an alert rule', async () => {
    const { status, json } = await ada.post(`${ada.workspace}/alert-rules`, {
      ...{ name: 'A', project: 'default', query: 'changes | stats value=count()', every: '1m' },
      condition: { op: '>', threshold: 0 },
    });
    expect(status).toBe(422);
    expect(json.error.message).toContain('only people can query it');
  });
});

describe('the reader of changes', () => {
  const change: Annotation = {
    ...{ id: 'a', kind: 'manual', time: '2026-11-23T10:00:00.000Z', end: null, text: 'text', tags: [] },
    ...{ project: null, environment: null, service: null, flag: null, alert: null, version: null, author: null },
  };
  const place = { workspace: { id: 'w', number: 1, slug: 'w', name: 'W' }, project: undefined, environment: undefined };
  const caller = {
    kind: 'session',
    user: { id: 'u', email: 'a@b.c', name: 'Ada' },
    sessionHash: Buffer.alloc(0),
  } as const;
  const read = (count: number, text = 'text') =>
    createChangesReader({
      list: async () => ({ items: Array.from({ length: count }, () => ({ ...change, text })), warnings: ['left out'] }),
    })(place, caller)({ fromNs: 0n, toNs: 1n }, new AbortController().signal);

  it('passes on what was left out', async () => {
    expect(await read(2)).toMatchObject({ rows: { length: 2 }, warnings: ['left out'] });
  });

  it('fails rather than leave some out', async () => {
    await expect(read(maxChanges + 1)).rejects.toMatchObject({ code: 'SVC-5008' });
    await expect(read(40, 'x'.repeat(4_096))).rejects.toMatchObject({ code: 'SVC-5008' });
  });
});
