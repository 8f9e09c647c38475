import { withTemplates } from '@fanion/oql';
import { maskBody } from '@fanion/telemetry';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

describe('log patterns', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  const now = Date.now();

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const record = (body: string, minutesAgo: number, severityNumber = 9) => ({
      timeUnixNano: nanos(now - minutesAgo * 60_000),
      severityNumber,
      body: { stringValue: body },
    });
    const names = ['alice', 'bob', 'carol'];
    const shop = [
      ...Array.from({ length: 90 }, (_, n) => record(`payment timeout for order ${n}`, 1 + (n % 30), 17)),
      ...Array.from({ length: 30 }, (_, n) => record(`user ${names[n % 3]} logged in from 10.0.0.${n}`, 2)),
      record('started well', 5),
      record('payment timeout for order 7', 90, 17),
    ];
    await ada.ingest('logs', logsRequest(shop, [text('service.name', 'shop')]));
    await ada.ingest(
      'logs',
      logsRequest([record('payment timeout for order 1', 3, 13)], [text('service.name', 'web')]),
    );
    const evaluation = { ...record('new-checkout: on', 1), eventName: 'feature_flag.evaluation' };
    await world.eve.ingest('logs', logsRequest([record('canary sings', 1), evaluation]));
    await ada.counted('logs | stats n=count()', 123);
    await world.eve.counted('logs | stats n=count()', 2);
  });
  afterAll(() => world?.stop());

  const get = async (query: Record<string, string> = {}) => {
    const answer = await ada.get(`${ada.workspace}/log-patterns?${new URLSearchParams(query)}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.data;
  };
  const counts = (data: { patterns: { template: string; count: number }[] }) =>
    data.patterns.map(({ template, count }) => [template, count]);

  it('count every record of the window', async () => {
    const data = await get();
    expect(data.total).toBe(122);
    expect(counts(data)).toEqual([
      ['payment timeout for order *', 91],
      ['user * logged in from *', 30],
      ['started well', 1],
    ]);
    const [timeouts, logins] = data.patterns;
    expect(timeouts).toMatchObject({ severities: { error: 90, warn: 1 }, services: ['shop', 'web'], is_new: false });
    expect(timeouts.trend.reduce((sum: number, count: number) => sum + count, 0)).toBe(91);
    expect(timeouts.shapes).toHaveLength(1);
    expect(logins).toMatchObject({ is_new: true });
    expect(logins.shapes).toHaveLength(3);
    expect(logins.examples[0]).toMatch(/^user \w+ logged in from 10\.0\.0\.\d+$/);
  });
  it('match what OQL finds by their shapes', async () => {
    const [timeouts] = (await get()).patterns;
    const answer = await ada.post(`${ada.workspace}/query`, {
      query: `logs | where shape in (${timeouts.shapes.join(', ')}) | stats n=count()`,
    });
    expect(answer.data?.rows, answer.text).toEqual([[91]]);
  });
  it('are the groups of the stage `patterns`, with the same counts', async () => {
    const answer = await ada.post(`${ada.workspace}/query`, { query: 'logs | patterns | fields pattern, count' });
    expect(answer.data?.rows, answer.text).toEqual(counts(await get({ from: 'now-1h' })));
  });
  it('are paged over a fixed window, with a constant total', async () => {
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const data = await get({ limit: '1', ...(cursor && { cursor }) });
      expect(data.total).toBe(122);
      seen.push(...counts(data));
      expect(data.other.patterns).toBe(3 - seen.length);
      cursor = data.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(counts(await get()));
    const refused = await ada.get(`${ada.workspace}/log-patterns?cursor=bm9uc2Vuc2U`);
    expect(refused.json.error.code).toBe('SVC-1009');
  });
  it('list all their shapes page by page, in the API and in the stage', async () => {
    const logins = (await get()).patterns[1];
    expect(logins.shape_count).toBe(3);
    const path = `${ada.workspace}/log-patterns/shapes?pattern=${logins.id}&limit=2`;
    const first = await ada.get(`${path}`);
    expect(first.json.meta.next_cursor, first.text).not.toBeNull();
    const second = await ada.get(`${path}&cursor=${first.json.meta.next_cursor}`);
    expect(second.json.meta.next_cursor).toBeNull();
    const shapes = [...first.data, ...second.data];
    expect(shapes.map(({ shape, count }) => [shape, count])).toEqual(logins.shapes.map((shape: string) => [shape, 10]));
    expect(shapes[0].example).toMatch(/^user \w+ logged in from 10\.0\.0\.\d+$/);
    const pages = ['limit 2', 'limit 2 offset 2'].map(async (limit) => {
      const query = `logs | patterns by shape | where pattern startswith "user" | ${limit} | fields shape`;
      return (await ada.post(`${ada.workspace}/query`, { query })).data.rows.flat();
    });
    expect((await Promise.all(pages)).flat().map(String).sort()).toEqual([...logins.shapes].sort());
  });
  it('that do not exist have no shapes', async () => {
    for (const id of ['1', '99999999999999999999'])
      expect((await ada.get(`${ada.workspace}/log-patterns/shapes?pattern=${id}`)).data).toEqual([]);
    const foreign = (await get()).patterns[0].id;
    expect((await world.eve.get(`${world.eve.workspace}/log-patterns/shapes?pattern=${foreign}`)).data).toEqual([]);
    expect((await ada.get(`${ada.workspace}/log-patterns/shapes?pattern=x`)).status).toBe(400);
  });
  it('can be filtered, and the rest is counted', async () => {
    expect(counts(await get({ service: 'web' }))).toEqual([['payment timeout for order *', 1]]);
    expect((await get({ severity: 'error' })).total).toBe(90);
    expect((await get({ search: 'TIMEOUT' })).total).toBe(91);
    expect((await get({ limit: '1' })).other).toEqual({ patterns: 2, count: 31 });
    expect((await get({ from: 'now-4m', search: 'timeout' })).total).toBeLessThan(20);
    expect((await get({ environment: 'development' })).total).toBe(0);
  });
  it('leave out flag evaluations where they are not wanted', async () => {
    const { data } = await world.eve.get(`${world.eve.workspace}/log-patterns?flag_evaluations=exclude`);
    expect(counts(data)).toEqual([['canary sings', 1]]);
    expect((await world.eve.get(`${world.eve.workspace}/log-patterns`)).data.total).toBe(2);
  });
  it('are new since a chosen time', async () => {
    const since = await get({ since: 'now-61m' });
    expect(since.patterns.every(({ is_new }: { is_new: boolean }) => is_new)).toBe(true);
    const refused = await ada.get(`${ada.workspace}/log-patterns?since=now`);
    expect(refused.json.error.code).toBe('SVC-5006');
  });

  it('mask a body as ingest does, whichever body represents a shape', async () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'fade',
        'deadbeefdeadbeef',
        'abcdefabcdefabcdefg',
        '-',
        '_',
        '.',
        ' ',
        '\t\n',
        '7',
        '42',
        'ü',
        '中',
        '*',
      ],
      ...['"', "'", '\\', '/', ':', '[', '^', '`', '{', '~', '@', '+', ',', '\u0000', '\u007f', '٣'],
    );
    const bodies = fc.sample(fc.array(piece, { maxLength: 12 }), { numRuns: 2000, seed: 7 }).map((all) => all.join(''));
    const statement = withTemplates('SELECT arrayJoin({bodies:Array(String)}) AS body', 'body');
    const rows = await world.store.queryRows(`SELECT DISTINCT body, t1 AS shape FROM (${statement})`, {
      params: { bodies },
    });
    expect(rows.length).toBeGreaterThan(1000);
    for (const { body, shape } of rows as { body: string; shape: string }[])
      expect(shape).toBe(maskBody(body).replace(/[\t\n]/g, ' '));
  });
});
