import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { until } from '../../../testing/test-client.ts';

describe('GET /tail', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
  });
  afterAll(() => world?.stop());

  /** Reads a stream in the background. */
  function follow(query: Record<string, string>, headers: Record<string, string> = { cookie: ada.cookie }) {
    const controller = new AbortController();
    const read = { status: 0, text: '', rows: () => events(read.text, 'row'), stop: () => controller.abort() };
    const done = (async () => {
      const response = await fetch(`${world.base}${ada.workspace}/tail?${new URLSearchParams(query)}`, {
        headers,
        signal: controller.signal,
      });
      read.status = response.status;
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) read.text += decoder.decode(chunk, { stream: true });
    })().catch(() => {});
    return {
      ...read,
      get status() {
        return read.status;
      },
      get text() {
        return read.text;
      },
      done,
    };
  }
  const events = (stream: string, event: string): Record<string, unknown>[] =>
    [...stream.matchAll(new RegExp(`^event: ${event}\\n(?:id: (\\d+)\\n)?data: (.*)$`, 'gm'))].map(([, id, data]) => ({
      id,
      ...(JSON.parse(data ?? '{}') as Record<string, unknown>),
    }));
  const record = (body: string, severityNumber = 9, ago = 0) => ({
    timeUnixNano: nanos(Date.now() - ago),
    severityNumber,
    body: { stringValue: body },
    attributes: [text('door', 'front')],
  });

  it('shows each matching log once as it arrives, also late ones', async () => {
    const tail = follow({ source: 'logs', where: 'severity >= error' });
    await until(async () => tail.text.includes('event: ready'));
    await ada.ingest('logs', logsRequest([record('one', 17), record('quiet', 9)], [text('service.name', 'shop')]));
    await world.eve.ingest('logs', logsRequest([record('canary', 17)]));
    await until(async () => tail.rows().length === 1);
    await ada.ingest('logs', logsRequest([record('late', 17, 5_000), record('two', 21)]));
    await until(async () => tail.rows().length === 3);
    expect(tail.rows().map(({ body }) => body)).toEqual(['one', 'late', 'two']);
    expect(tail.rows()[0]).toMatchObject({
      severity: 'error',
      'service.name': 'shop',
      attributes: { door: 'front' },
      id: expect.stringMatching(/^\d{19}$/),
    });
    tail.stop();
    await tail.done;
  });

  it('shows spans when they end', async () => {
    const tail = follow({ source: 'spans', where: 'name == "slow"' });
    await until(async () => tail.text.includes('event: ready'));
    const span = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      name: 'slow',
      startTimeUnixNano: nanos(Date.now() - 120_000),
      endTimeUnixNano: nanos(Date.now()),
    };
    await ada.ingest('traces', tracesRequest([span, { ...span, spanId: 'b7ad6b7169203332', name: 'other' }]));
    await until(async () => tail.rows().length === 1);
    expect(tail.rows()[0]).toMatchObject({ name: 'slow', duration: expect.any(Number) });
    tail.stop();
    await tail.done;
  });

  it('ends after the requested time, and resumes after the last seen row', async () => {
    await ada.ingest('logs', logsRequest([record('a'), record('b')], [text('service.name', 'resumed')]));
    await ada.counted('logs | where service.name == "resumed" | stats n=count()', 2);
    const query = { where: 'service.name == "resumed"', seconds: '0', from: 'now-5m' };
    const first = follow(query);
    await first.done;
    const [a] = first.rows();
    expect(first.rows()).toHaveLength(2);
    const second = follow(query, { cookie: ada.cookie, 'last-event-id': String(a?.id) });
    await second.done;
    expect(second.rows().length).toBeLessThan(2);
  });

  it('ends when its token is revoked', async () => {
    const { data } = await ada.post('/api/v1/tokens', { name: 'tail', permissions: ['telemetry:query'] });
    const tail = follow({}, { authorization: `Bearer ${data.token}` });
    await until(async () => tail.text.includes('event: ready'));
    await ada.del(`/api/v1/tokens/${data.id}`);
    await tail.done;
    expect(events(tail.text, 'error')).toEqual([expect.objectContaining({ code: 'SVC-2001' })]);
  });

  it('rejects requests like any other route', async () => {
    const bad = await ada.get(`${ada.workspace}/tail?where=${encodeURIComponent('severity = error')}`);
    expect([bad.status, bad.json.error.code]).toEqual([422, 'SVC-5001']);
    expect((await ada.get(`${ada.workspace}/tail?source=metrics`)).status).toBe(400);
    expect((await ada.get(`${world.eve.workspace}/tail`)).status).toBe(404);
  });
});
