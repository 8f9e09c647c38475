import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { int, type KeyValue, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { until } from '../../../testing/test-client.ts';

const hex = (n: number, bytes: number) => (n + 1).toString(16).padStart(bytes * 2, '0');
const window = { from: 'now-1h', to: 'now+1m' };

describe("the compiler's catalogue of attributes", () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let sent = 0;
  const send = (tenant: TelemetryTenant, attributes: KeyValue[], resource: KeyValue[] = []) => {
    const at = sent++;
    const span = {
      traceId: hex(at, 16),
      spanId: hex(at, 8),
      name: 'order',
      kind: 2,
      startTimeUnixNano: nanos(Date.now() - 1000),
      endTimeUnixNano: nanos(Date.now()),
      attributes,
    };
    return tenant.ingest('traces', tracesRequest([span], [text('service.name', 'shop'), ...resource]));
  };
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    await send(ada, [text('order.id', 'a1'), text('region', 'eu')], [text('region', 'north')]);
    await send(world.eve, [text('canary.secret', 'x')]);
    await ada.counted('spans | stats n=count()', 1);
    await world.eve.counted('spans | stats n=count()', 1);
  });
  afterAll(() => world?.stop());

  const run = async (query: string) => {
    const answer = await ada.post(`${ada.workspace}/query`, { query, ...window });
    expect(answer.status, answer.text).toBe(200);
    return {
      rows: answer.data.rows,
      codes: answer.json.meta.warnings.map(({ code }: { code: string }) => code),
      meta: answer.json.meta,
    };
  };
  const validate = async (query: string) =>
    (await ada.post(`${ada.workspace}/oql/validate`, { query })).data as {
      valid: boolean;
      diagnostics: { code: string; suggestion?: { text: string } }[];
    };

  it('warns about attributes that were never sent, and suggests the nearest', async () => {
    const { codes, rows } = await run('spans | where order.idd == "a1"');
    expect(codes).toEqual(['OQL-3102']);
    expect(rows).toEqual([]);
    const { valid, diagnostics } = await validate('spans | where order.idd == "a1"');
    expect(valid).toBe(true);
    expect(diagnostics).toMatchObject([{ code: 'OQL-3102', suggestion: { text: 'order.id' } }]);
    expect((await run('spans | where order.id == "a1" | stats n=count()')).codes).toEqual([]);
  });

  it('warns about ambiguous names', async () => {
    expect((await validate('spans | stats n=count() by region')).diagnostics.map(({ code }) => code)).toEqual([
      'OQL-3101',
    ]);
    const { codes, rows } = await run('spans | stats n=count() by region');
    expect(codes).toEqual(['OQL-3101']);
    expect(rows).toEqual([['eu', 1]]);
  });

  it('contains nothing of other workspaces', async () => {
    const { diagnostics } = await validate('spans | where canary.secre == "x"');
    expect(diagnostics).toHaveLength(1);
    expect(JSON.stringify(diagnostics)).not.toContain('canary.secret');
  });

  it('hides no type that arrived meanwhile', async () => {
    const query = 'spans | where name == "order" and (order.id exists) | stats n=count() by order.id';
    expect((await run(query)).rows).toEqual([['a1', 1]]);
    await send(ada, [int('order.id', 7)]);
    // As soon as the row is visible; the roll-up of its types may lag.
    await until(async () => (await run('spans | stats n=count()')).rows[0][0] === 2);
    expect((await run(query)).rows).toEqual([
      [7, 1],
      ['a1', 1],
    ]);
  });

  it('accepts lists of integers', async () => {
    const ints = 'spans | where order.id in (7, 4668108234638238631) | stats n=count()';
    expect((await run(ints)).rows).toEqual([[1]]);
  });

  it('explains a query with the rows, bytes and parts that it reads', async () => {
    const query = 'spans | stats n=count() by order.id';
    const { data } = await ada.post(`${ada.workspace}/oql/explain`, { query, ...window });
    expect(data.estimate.rows).toBeGreaterThan(0);
    expect(data.estimate.bytes).toBeGreaterThan(data.estimate.rows);
    expect(data.estimate.parts).toBeGreaterThan(0);
    expect(data.limits).toMatchObject({ result_bytes: 16 * 1024 ** 2, row_bytes: 4 * 1024 ** 2 });
  });

  it('explains whether recent points in memory can answer a query', async () => {
    const explained = async (query: string) => {
      const { data } = await ada.post(`${ada.workspace}/oql/explain`, { query, ...window });
      return data.memory;
    };
    expect(await explained('metric requests | promrate 5m | sum by host, bucket(1m)')).toBe(true);
    expect(await explained('spans | stats n=count()')).toBe(false);
  });
});
