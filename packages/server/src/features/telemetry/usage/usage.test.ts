import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { type Kept, type Stored, stepOf, usageOfSignals } from './rules.ts';

describe('usage', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  const now = Date.now();

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const records = Array.from({ length: 40 }, (_, n) => ({
      timeUnixNano: nanos(now - n),
      body: { stringValue: `line ${n}` },
      attributes: [text('order.id', `o${n}`), text('door', 'front')],
    }));
    const points = Array.from({ length: 7 }, (_, n) => ({
      timeUnixNano: nanos(now),
      asDouble: n,
      attributes: [text('user.id', `u${n}`)],
    }));
    const gauge = (name: string, dataPoints: object[]) => ({ name, gauge: { dataPoints } });
    await ada.ingest('logs', logsRequest(records));
    await ada.ingest('metrics', metricsRequest([gauge('wide', points), gauge('narrow', points.slice(0, 1))]));
    await world.eve.ingest('logs', logsRequest([...records, ...records]));
    await ada.counted('logs | stats n=count()', 40);
    await world.eve.counted('logs | stats n=count()', 80);
    await world.insert('ingest_refusals', [
      {
        ...ada.numbers,
        signal: 'logs',
        hour: Math.floor(now / 3_600_000) * 3600,
        kind: 'rejected',
        reason: 'a bad id',
        items: 3,
      },
      ...[
        ['requests', 2],
        ['items', 80],
      ].map(([reason, items]) => ({
        ...{ ...ada.numbers, signal: 'logs', hour: Math.floor(now / 3_600_000) * 3600, kind: 'repeated' },
        ...{ reason, items },
      })),
      {
        ...ada.numbers,
        signal: 'logs',
        hour: Math.floor(now / 3_600_000) * 3600,
        kind: 'quarantined',
        reason: 'x',
        items: 2,
      },
      ...Array.from({ length: 25 }, (_, n) => ({
        ...ada.numbers,
        signal: 'logs',
        hour: Math.floor(now / 3_600_000) * 3600,
        kind: 'refused',
        reason: `reason ${n}`,
        items: n + 1,
      })),
    ]);
  });
  afterAll(() => world?.stop());

  it('reports what arrived, what is stored and what was rejected, per project and signal', async () => {
    const answer = await ada.get(`${ada.workspace}/usage`);
    expect(answer.status, answer.text).toBe(200);
    const { projects } = answer.data;
    expect(projects).toHaveLength(1);
    const [{ project, signals, series, attributes }] = projects;
    expect(project.key).toBe('default');
    const [traces, logs, metrics] = signals;
    expect(traces).toMatchObject({ signal: 'traces', items: 0, bytes: 0, bytes_stored: 0, last_at: null });
    expect(logs).toMatchObject({ items: 40, rejected: 3, quarantined: 2, dropped: 0 });
    expect(logs.bytes).toBeGreaterThan(1000);
    expect(logs.bytes_stored).toBeGreaterThan(0);
    // The twenty most frequent reasons are listed; the total covers all.
    expect(logs.refused_requests).toBe((25 * 26) / 2);
    expect(logs.repeated).toEqual({ requests: 2, items: 80 });
    expect(logs.reasons).toHaveLength(22);
    expect(logs.reasons[0]).toEqual({ kind: 'refused', reason: 'reason 24', items: 25 });
    expect(logs.reasons.filter(({ kind }: { kind: string }) => kind !== 'refused')).toEqual([
      { kind: 'rejected', reason: 'a bad id', items: 3 },
      { kind: 'quarantined', reason: 'x', items: 2 },
    ]);
    expect(metrics.items).toBe(8);
    expect(series).toEqual({
      count: 8,
      worst: [
        { metric: 'wide', series: 7 },
        { metric: 'narrow', series: 1 },
      ],
    });
    expect(attributes.worst[0]).toEqual({ source: 'logs', scope: 'attribute', name: 'order.id', cardinality: 40 });
  });

  it('reports by hour, and by day in a longer window; whole requests are not counted as items', async () => {
    for (const [from, step] of [
      ['now-1h', 3600],
      ['now-7d', 86_400],
    ] as const) {
      const { data } = await ada.get(`${ada.workspace}/usage?from=${from}&to=now%2B1h`);
      expect(data.step_seconds).toBe(step);
      const [{ history }] = data.projects;
      const logs = history.filter(({ signal }: { signal: string }) => signal === 'logs');
      // An hour may have ended during the test.
      const sumOf = (name: string) =>
        logs.reduce((sum: number, one: Record<string, number>) => sum + (one[name] ?? 0), 0);
      expect([sumOf('items'), sumOf('lost')]).toEqual([40, 5]);
      for (const { at } of logs) expect((Date.parse(at) / 1000) % step).toBe(0);
    }
  });

  it('reports flag evaluations, which are not a signal', async () => {
    const evaluation = {
      ...ada.numbers,
      environment: 'production',
      retention_days: 30,
      time: new Date(now).toISOString().slice(0, 19).replace('T', ' '),
    };
    await world.insert('flag_events', [
      { ...evaluation, flag: 'a', variant: 'on', source: 'server', evaluations: 5 },
      { ...evaluation, flag: 'a', variant: 'on', source: 'otlp', evaluations: 2 },
      { ...evaluation, flag: 'a', variant: 'on', source: 'server', evaluations: 100, time: '2026-01-01 00:00:00' },
    ]);
    const [project] = (await ada.get(`${ada.workspace}/usage`)).data.projects;
    expect(project.evaluations).toMatchObject({ answered: 5, reported: 2, retention_days: 30 });
    expect(project.evaluations.bytes_stored).toBeGreaterThan(0);
    expect(Date.parse(project.evaluations.last_at)).toBe(Math.floor(now / 1000) * 1000);
    const [other] = (await world.eve.get(`${world.eve.workspace}/usage`)).data.projects;
    expect(other.evaluations).toEqual({ answered: 0, reported: 0, bytes_stored: 0, retention_days: 30, last_at: null });
  });

  it('can be limited to one environment, project and window', async () => {
    const of = async (query: string) => {
      const { data } = await ada.get(`${ada.workspace}/usage?${query}`);
      return data.projects.map(({ signals }: { signals: { items: number }[] }) => signals[1]?.items);
    };
    expect(await of('environment=development')).toEqual([0]);
    expect(await of('project=default&from=now-2d&to=now-1d')).toEqual([0]);
    await ada.post(`${ada.workspace}/projects`, { name: 'Another' });
    expect(await of('')).toHaveLength(2);
    expect(await of('project=default')).toEqual([40]);
  });
});

describe('the size of items on disk', () => {
  const stored: Stored[] = [{ signal: 'logs', rows: 1000, bytes: 25_000 }];
  const retention = { traces: 7, logs: 30, metrics: 400, profiles: 3 };
  const bytes = (rows: number, from = stored) => {
    const kept: Kept[] = [{ project: 1, signal: 'logs', rows }];
    return usageOfSignals(1, { arrived: [], kept, stored: from, refused: [] }, retention)[1]?.bytes_stored;
  };
  it('is the average of their signal', () => {
    expect(bytes(100)).toBe(2500);
    expect(bytes(0)).toBe(0);
  });
  it('is never more than the total', () => {
    expect(bytes(5000)).toBe(25_000);
    expect(bytes(5, [])).toBe(0);
  });
  it('uses hourly steps up to three days, and daily ones beyond', () => {
    expect([3600, 3 * 86_400, 3 * 86_400 + 1].map(stepOf)).toEqual([3600, 3600, 86_400]);
  });
});
