import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

describe('contrast', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  const now = Date.now();

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const span = (n: number) => ({
      traceId: (n + 1).toString(16).padStart(32, '0'),
      spanId: (n + 1).toString(16).padStart(16, '0'),
      name: 'pay',
      kind: 2,
      startTimeUnixNano: nanos(now - 60_000 - n * 100),
      endTimeUnixNano: nanos(now - 60_000 - n * 100 + (n % 5 === 0 ? 900 : 20)),
      status: { code: n % 4 === 0 ? 2 : 1 },
      attributes: [
        text('order.id', `o${n}`),
        text('region', n % 4 === 0 ? 'eu' : n % 2 === 0 ? 'us' : 'asia'),
        text('bank', n % 5 === 0 ? 'slow' : 'fast'),
        text('color', n % 3 === 0 ? 'red' : 'blue'),
      ],
    });
    const spans = Array.from({ length: 300 }, (_, n) => span(n));
    await ada.ingest('traces', tracesRequest(spans, [text('service.name', 'shop'), text('host.name', 'h1')]));
    await world.eve.ingest('traces', tracesRequest(spans, [text('service.name', 'canary')]));
    await ada.ingest(
      'logs',
      logsRequest(
        [1, 2, 3, 4].map((n) => ({
          timeUnixNano: nanos(now - n * 1000),
          severityNumber: n > 2 ? 17 : 9,
          body: { stringValue: 'x' },
          attributes: [text('door', n > 2 ? 'back' : 'front')],
        })),
      ),
    );
    await ada.counted('spans | stats n=count()', 300);
    await ada.counted('logs | stats n=count()', 4);
    await world.eve.counted('spans | stats n=count()', 300);
  });
  afterAll(() => world?.stop());

  const run = async (body: object) => {
    const answer = await ada.post(`${ada.workspace}/contrast`, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.data as {
      selection: { rows: number };
      baseline: { rows: number };
      sample: number | null;
      why: { suspects: object[] };
      fields: { field: string; score: number; values: { value: string; selection: number; baseline: number }[] }[];
    };
  };

  it('finds what failures have in common', async () => {
    const data = await run({ selection: { where: 'status == error' } });
    expect([data.selection.rows, data.baseline.rows, data.sample]).toEqual([75, 225, null]);
    const [first] = data.fields;
    expect(first?.field).toBe('region');
    expect(first?.score).toBeGreaterThan(0.95);
    expect(first?.values[0]).toMatchObject({ value: 'eu', selection: 75, baseline: 0 });
    const named = data.fields.map(({ field }) => field);
    expect(named).not.toContain('status');
    expect(named).not.toContain('order.id');
    expect(JSON.stringify(data)).not.toContain('canary');
  });
  it('ranks the same causes without counting fields when the limit is 0', async () => {
    const selection = { where: 'status == error' };
    const causes = await run({ selection, limit: 0 });
    expect([causes.selection.rows, causes.baseline.rows]).toEqual([75, 225]);
    expect(causes.fields).toEqual([]);
    expect(causes.why.suspects).not.toEqual([]);
    expect(causes.why.suspects).toEqual((await run({ selection })).why.suspects);
  });
  it('compares a latency band, and a time range', async () => {
    const slow = await run({ selection: { min_duration: '500ms', max_duration: '2s' } });
    expect(slow.selection.rows).toBe(60);
    expect(slow.fields[0]?.field).toBe('bank');
    const from = new Date(now - 60_000 - 5_050).toISOString();
    const box = await run({ selection: { from, to: 'now' }, baseline: { to: from } });
    expect([box.selection.rows, box.baseline.rows]).toEqual([51, 249]);
    expect(box.fields.find(({ field }) => field === 'color')).toBeUndefined();
  });
  it('compares two selections of the same rows', async () => {
    const data = await run({
      where: 'color == "red"',
      selection: { where: 'region == "eu"' },
      baseline: { where: 'region == "us"' },
    });
    expect([data.selection.rows, data.baseline.rows]).toEqual([25, 25]);
    expect(data.fields.map(({ field }) => field)).not.toContain('region');
  });
  it('compares logs', async () => {
    const data = await run({ source: 'logs', selection: { where: 'severity >= error' } });
    expect(data.fields[0]).toMatchObject({ field: 'door', values: [expect.anything(), expect.anything()] });
  });
  it('rejects an invalid condition and reports its position', async () => {
    const refused = async (body: object) => (await ada.post(`${ada.workspace}/contrast`, body)).json.error;
    const typo = await refused({ selection: { where: 'status = error' } });
    expect(typo).toMatchObject({ code: 'SVC-5001', details: [{ path: 'selection.where', span: { start: 7 } }] });
    for (const where of ['true) | limit 1 | where (true', ') | fields x //'])
      expect((await refused({ selection: { where } })).code).toBe('SVC-5001');
    // Parentheses of its own do not matter: it remains a condition on rows of the tenant.
    const open = await run({ selection: { where: 'name == "pay") or (attr.workspace == 2' } });
    expect([open.selection.rows, open.baseline.rows]).toEqual([300, 0]);
    expect((await refused({ selection: {} })).code).toBe('SVC-1002');
    expect((await refused({ source: 'logs', selection: { min_duration: '1s' } })).code).toBe('SVC-1002');
    expect((await refused({ selection: { min_duration: '1 s; drop' } })).code).toBe('SVC-1002');
  });
});
