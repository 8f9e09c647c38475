import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

describe('trace logs', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  const now = Date.now();
  const minute = 60_000;
  const [traceId, otherId, silentId] = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
  const spanId = '1'.padStart(16, '0');

  interface LogOf {
    readonly trace: string | undefined;
    readonly body: string;
    readonly at: number;
    readonly span?: string;
  }
  const send = (tenant: TelemetryTenant, service: string, logs: readonly LogOf[]) =>
    tenant.ingest(
      'logs',
      logsRequest(
        logs.map(({ trace, body, at, span = spanId }) => ({
          timeUnixNano: nanos(at),
          severityNumber: 9,
          body: { stringValue: body },
          ...(trace !== undefined && { traceId: trace, spanId: span }),
          attributes: [text('at', body)],
        })),
        [text('service.name', service)],
      ),
    );
  const get = async (id: string | undefined, tenant = ada) => {
    const answer = await tenant.get(`${tenant.workspace}/traces/${id}?include=logs`);
    expect(answer.status, answer.text).toBe(200);
    return answer.data.logs as { body: string; service: string; span_id: string | null; attributes: object }[];
  };

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const span = (id: string | undefined, start: number, ms: number) => ({
      ...{ traceId: id, spanId, name: 'GET /cart', kind: 2 },
      ...{ startTimeUnixNano: nanos(start), endTimeUnixNano: nanos(start + ms) },
    });
    const spans = [span(traceId, now - 30 * minute, 8 * minute), span(otherId, now, 1), span(silentId, now, 1)];
    for (const tenant of [ada, world.eve])
      await tenant.ingest('traces', tracesRequest(spans, [text('service.name', 'web')]));
    await send(ada, 'web', [
      { trace: traceId, body: 'in the last minute after it', at: now - 21.5 * minute },
      { trace: traceId, body: 'later than a minute after it', at: now - 20.5 * minute },
      { trace: traceId, body: 'in the minute before it', at: now - 30.5 * minute },
      { trace: traceId, body: 'earlier than a minute before it', at: now - 31.5 * minute },
      { trace: traceId, body: 'of the trace itself', at: now - 26 * minute, span: '0'.repeat(16) },
      { trace: otherId, body: 'of another trace', at: now },
      { trace: undefined, body: 'of no trace', at: now - 26 * minute },
    ]);
    await send(
      ada,
      'mail',
      ['b', 'a', 'c'].map((body) => ({ trace: traceId, body, at: now - 25 * minute })),
    );
    await send(world.eve, 'web', [{ trace: traceId, body: 'of another tenant', at: now - 26 * minute }]);
    await ada.counted('logs | stats n=count()', 10);
    await world.eve.counted('logs | stats n=count()', 1);
  });
  afterAll(() => world?.stop());

  it('include a minute before and after the trace, in a fixed order', async () => {
    expect((await get(traceId)).map(({ service, body, span_id }) => [service, body, span_id])).toEqual([
      ['web', 'in the minute before it', spanId],
      ['web', 'of the trace itself', null],
      ['mail', 'a', spanId],
      ['mail', 'b', spanId],
      ['mail', 'c', spanId],
      ['web', 'in the last minute after it', spanId],
    ]);
  });

  it('include their attributes', async () => {
    expect((await get(otherId))[0]).toMatchObject({ body: 'of another trace', attributes: { at: 'of another trace' } });
  });

  it('exclude those of other tenants', async () => {
    expect((await get(traceId, world.eve)).map(({ body }) => body)).toEqual(['of another tenant']);
  });

  it('are the first 5,000, with a warning if there are more', async () => {
    const full = 'd'.repeat(32);
    const span = {
      traceId: full,
      spanId,
      name: 'loop',
      kind: 2,
      startTimeUnixNano: nanos(now),
      endTimeUnixNano: nanos(now),
    };
    await ada.ingest('traces', tracesRequest([span], [text('service.name', 'loop')]));
    const logs = (from: number, to: number) =>
      send(
        ada,
        'loop',
        Array.from({ length: to - from }, (_, at) => ({ trace: full, body: `${from + at}`, at: now + from + at })),
      );
    const answer = async () => (await ada.get(`${ada.workspace}/traces/${full}?include=logs`)).json;
    await logs(0, 5_000);
    await ada.counted('logs | where service.name == "loop" | stats n=count()', 5_000);
    expect(await answer()).toMatchObject({ data: { logs: { length: 5_000 } }, meta: { warnings: [] } });
    await logs(5_000, 5_001);
    await ada.counted('logs | where service.name == "loop" | stats n=count()', 5_001);
    const { data, meta } = await answer();
    expect([data.logs.length, data.logs.at(-1).body]).toEqual([5_000, '4999']);
    expect(meta.warnings).toEqual([
      expect.stringContaining('only the first 5000 log records; run logs | where trace_id'),
    ]);
  });

  it('are an empty list if the trace has none', async () => {
    expect(await get(silentId)).toEqual([]);
  });
});
