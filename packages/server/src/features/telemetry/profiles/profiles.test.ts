import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

const now = Date.UTC(2026, 10, 20, 12, 0);
const trace = '0af7651916cd43dd8448eb211c80319c';

describe('flame graphs', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const tenant = { ...ada.numbers, environment: 'production', retention_days: 3650 };
    const stack = (stack_id: number, frames: string[]) => ({
      ...tenant,
      day: '2026-11-20',
      stack_id,
      frames,
      files: frames.map((name) => `${name}.go`),
      lines: frames.map(() => 1),
    });
    const sample = (stack_id: number, minutes: number, value: number, more: object = {}) => ({
      ...tenant,
      profile_type: 'cpu:nanoseconds',
      service: 'cart',
      time: new Date(now + minutes * 60_000).toISOString().slice(0, 23).replace('T', ' '),
      stack_id,
      value,
      ...more,
    });
    const stacks = [
      stack(1, ['main', 'serve', 'parse']),
      stack(2, ['main', 'serve', 'render']),
      stack(3, ['main', 'gc']),
    ];
    // Stacks are described again each day and after a restart.
    await world.insert('profile_stacks', [...stacks, ...stacks]);
    await world.insert('profile_samples', [
      sample(1, 1, 100),
      sample(1, 2, 50),
      sample(2, 3, 30),
      sample(3, 4, 20),
      sample(9, 5, 7),
      sample(2, -30, 400),
      sample(1, 1, 5, { profile_type: 'alloc_space:bytes' }),
      sample(2, 6, 11, { service: 'web' }),
      sample(1, 1, 999, { ...world.eve.numbers }),
    ]);
    await world.store.command(
      `INSERT INTO profile_samples (workspace, project, environment, retention_days, profile_type, service, time, stack_id, value, trace_id, span_id)
       SELECT ${ada.numbers.workspace}, ${ada.numbers.project}, 'production', 3650, 'cpu:nanoseconds', 'cart', toDateTime64('2026-11-20 12:07:00', 9, 'UTC'), 3, 3, unhex('${trace}'), unhex('b7ad6b7169203331')`,
    );
  });
  afterAll(() => world?.stop());

  const get = async (path: string, query: Record<string, string>) => {
    const window = { profile_type: 'cpu:nanoseconds', from: String(now), to: String(now + 600_000) };
    const answer = await ada.get(`${ada.workspace}/${path}?${new URLSearchParams({ ...window, ...query })}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.data;
  };
  const names = (nodes: { name: string; total: number; self: number }[]) =>
    nodes.map(({ name, total, self }) => `${name} ${total}/${self}`);

  it('sum the stacks of a window of one service', async () => {
    const data = await get('flamegraph', { service: 'cart' });
    expect(data).toMatchObject({ unit: 'nanoseconds', total: 210, samples: 6 });
    expect(names(data.nodes)).toEqual([
      'main 203/0',
      'serve 180/0',
      'parse 150/150',
      'render 30/30',
      'gc 23/23',
      '(unknown) 7/7',
    ]);
    expect(data.nodes[2]).toMatchObject({ parent: 1, file: 'parse.go' });
  });

  it('compare the traces of two variants of a flag', async () => {
    await world.store.command(
      `INSERT INTO flag_events (workspace, project, environment, retention_days, time, flag, variant, reason, version, unit, tracked, source, evaluations, trace_id)
       SELECT ${ada.numbers.workspace}, ${ada.numbers.project}, 'production', 3650, toDateTime64('2026-11-20 12:06:59', 9, 'UTC'), 'arms', 'on', 'split', '1', 'u', 1, 'server', 1, unhex('${trace}')`,
    );
    const of = (variant: string, base_variant: string) =>
      get('flamegraph/diff', { flag: 'arms', variant, base_variant });
    expect(await of('on', 'off')).toMatchObject({ total: 3, base_total: 0, nodes: [{ name: 'main' }, { name: 'gc' }] });
    expect(await of('off', 'on')).toMatchObject({ total: 0, base_total: 3 });
    expect(await of('off', 'third')).toMatchObject({ total: 0, base_total: 0, nodes: [] });
    const half = await ada.get(`${ada.workspace}/flamegraph/diff?profile_type=cpu:nanoseconds&flag=arms&variant=on`);
    expect(half.status).toBe(422);
  });

  it('can be limited to one trace or one span', async () => {
    expect((await get('flamegraph', { trace_id: trace.toUpperCase() })).total).toBe(3);
    expect((await get('flamegraph', { span_id: 'b7ad6b7169203331' })).total).toBe(3);
    expect((await get('flamegraph', { trace_id: 'f'.repeat(32) })).nodes).toEqual([]);
  });

  it('are compared with the previous window or with another one', async () => {
    const empty = await get('flamegraph/diff', { service: 'cart' });
    expect(empty).toMatchObject({ total: 210, base_total: 0 });
    const data = await get('flamegraph/diff', {
      service: 'cart',
      base_from: String(now - 3_600_000),
      base_to: String(now),
    });
    expect(data).toMatchObject({ total: 210, base_total: 400, base: { from: '2026-11-20T11:00:00.000000000Z' } });
    expect(data.nodes.find(({ name }: { name: string }) => name === 'render')).toMatchObject({
      total: 30,
      base_total: 400,
      base_self: 400,
    });
  });

  it('show the callers and callees of a function', async () => {
    const data = await get('flamegraph/sandwich', { service: 'cart', function: 'serve' });
    expect(data).toMatchObject({ total: 210, function_total: 180, function_self: 0 });
    expect(names(data.callers)).toEqual(['serve 180/0', 'main 180/180']);
    expect(names(data.callees)).toEqual(['serve 180/0', 'parse 150/150', 'render 30/30']);
  });

  it('cover one project and environment only', async () => {
    expect((await get('flamegraph', { project: 'default', environment: 'production' })).total).toBe(221);
    expect((await get('flamegraph', { environment: 'development' })).total).toBe(0);
    const token = await ada.token(['telemetry:query'], { project: ada.projectId, environment: 'development' });
    const answer = await fetch(
      `${world.base}${ada.workspace}/flamegraph?profile_type=cpu:nanoseconds&from=${now}&to=${now + 600_000}`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    expect(((await answer.json()) as { data: { total: number } }).data.total).toBe(0);
  });

  it('reject a malformed id and an invalid window', async () => {
    const path = `${ada.workspace}/flamegraph?profile_type=cpu:nanoseconds`;
    expect((await ada.get(`${path}&trace_id=xyz`)).status).toBe(400);
    expect((await ada.get(`${path}&from=now&to=now-1h`)).status).toBe(400);
    expect((await ada.get(`${ada.workspace}/flamegraph`)).status).toBe(400);
  });
});
