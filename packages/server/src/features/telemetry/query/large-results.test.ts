import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

/** 244 characters that turn 120 records of 560 characters into 277 MB of JSON. */
const doubled = Array.from({ length: 12 }, (_, i) => `x${i + 1}=concat(x${i},x${i})`).join(', ');
const bomb = `logs | where service.name == "shop" | extend x0=body, ${doubled}`;
const mebibyte = 1024 ** 2;

describe('a result that is too large', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const { workspace, project } = ada.numbers;
    const insert = (service: string, rows: number, body: string) =>
      world.store.command(
        `INSERT INTO logs (workspace, project, environment, retention_days, time, service, severity, body, trace_id)
         SELECT ${workspace}, ${project}, 'production', 30, now64(9) - toIntervalMillisecond(number), '${service}', 9, ${body}, unhex(leftPad('1', 32, '0'))
         FROM numbers(${rows})`,
      );
    await insert('shop', 120, "repeat('a', 560)");
    await insert('wide', 40, "repeat('b', 1000000)");
    await insert('many', 30_000, "concat(toString(number), repeat('c', 300))");
    await insert(
      'huge',
      1,
      "concat(repeat('d', 1000000), repeat('e', 1000000), repeat('f', 1000000), repeat('g', 1000000), repeat('h', 1000000))",
    );
  }, 120_000);
  afterAll(() => world?.stop());

  const ask = (query: string, more: object = {}, headers: Record<string, string> = {}) =>
    ada.post(`${ada.workspace}/query`, { query, from: 'now-1d', to: 'now+1m', ...more }, headers);
  const told = async (query: string, more?: object, headers?: Record<string, string>) => {
    const { status, json } = await ask(query, more, headers);
    return { status, code: json?.error?.code, message: json?.error?.message };
  };

  const streamedText = async (query: string, accept: string) => {
    const answer = await fetch(`${world.base}${ada.workspace}/query`, {
      method: 'POST',
      headers: { accept, cookie: ada.cookie, origin: world.base, 'content-type': 'application/json' },
      body: JSON.stringify({ query, from: 'now-1d' }),
    });
    return answer.text();
  };

  it('returns 422 and says how to request less, however short the query is', async () => {
    expect(await told(bomb)).toEqual({
      status: 422,
      code: 'SVC-5007',
      message: expect.stringMatching(/^the (row|result) is larger than (4|16) MiB: /),
    });
  });

  it.each([
    [
      'few long columns',
      'logs | where service.name == "wide" | fields body',
      {},
      /result is larger than 16 MiB.*fewer columns or rows/,
    ],
    ['many rows', 'logs | where service.name == "many" | fields body, time, trace_id', { limit: 100_000 }, undefined],
    [
      'the same column often',
      'logs | where service.name == "many" | extend a=body, b=body | fields a, b, body',
      { limit: 100_000 },
      /result is larger than 16 MiB/,
    ],
    [
      'one long row',
      'logs | where service.name == "huge" | fields body',
      {},
      /row is larger than 4 MiB.*longest columns/,
    ],
  ])('is limited by its bytes: %s', async (_name, query, more, message) => {
    const answer = await told(query, more);
    if (message === undefined) expect(answer.status).toBe(200);
    else expect(answer).toMatchObject({ status: 422, code: 'SVC-5007', message: expect.stringMatching(message) });
  });

  it('has the same rows as a stream where it is allowed', async () => {
    const query = 'logs | where service.name == "many" | fields body, time, trace_id, severity';
    const lines = (await streamedText(query, 'application/x-ndjson'))
      .trim()
      .split('\n')
      .map((line) => Object.values(JSON.parse(line)));
    const { data, json } = await ask(query, { limit: 100_000 });
    expect(json).toMatchObject({ error: null, meta: { truncated: false, rows_read: expect.any(Number) } });
    expect(data).toMatchObject({ kind: 'table', columns: [{ name: 'body' }, {}, {}, {}] });
    expect(data.rows).toHaveLength(30_000);
    expect(data.rows).toEqual(lines);
    const some = await ask(query, { limit: 20_000 });
    expect(some.json.meta.truncated).toBe(true);
    expect(some.data.rows).toEqual(lines.slice(0, 20_000));
  });

  it('is available as CSV, unless one row is too large', async () => {
    const accept = { accept: 'text/csv' };
    const wide = await streamedText('logs | where service.name == "wide" | fields body', 'text/csv');
    expect(wide.length).toBeGreaterThan(40_000_000);
    expect(await told('logs | where service.name == "huge" | fields body', {}, accept)).toMatchObject({
      code: 'SVC-5007',
    });
    // The store may reach its memory limit first.
    expect(await told(bomb, {}, accept)).toMatchObject({ status: 422 });
  });

  it('frees its slot', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, () => told(bomb)));
    for (const { status } of many) expect([422, 429]).toContain(status);
    expect((await ask('logs | count')).status).toBe(200);
  });

  it.each([
    ['the logs of a trace', () => `${ada.workspace}/traces/${'0'.repeat(31)}1?include=logs`],
    ['patterns', () => `${ada.workspace}/log-patterns?service=wide`],
    ['values of a field', () => `${ada.workspace}/fields?source=logs&field=body`],
  ])('returns an answer within the limits or an error of the registry in %s', async (_name, path) => {
    const { status, text } = await ada.get(path());
    expect([200, 404, 422]).toContain(status);
    expect(text.length).toBeLessThan(128 * mebibyte);
  });
});

describe('a text in OQL', () => {
  let world: TelemetryWorld;
  beforeAll(async () => {
    world = await startTelemetryWorld();
  });
  afterAll(() => world?.stop());

  it.each(['query', 'oql/validate', 'oql/explain', 'saved-queries'])(
    'has the same limit of length in /%s',
    async (path) => {
      const { ada } = world;
      const length = (characters: number) => `logs // ${'x'.repeat(characters - 8)}`;
      const send = (query: string) =>
        ada.post(`${ada.workspace}/${path}`, path === 'saved-queries' ? { name: 'long', query } : { query });
      const tooLong = await send(length(65_537));
      expect(tooLong.status).toBe(422);
      expect(tooLong.json.error.message).toContain('65536');
      expect((await send(length(65_536))).status).toBeLessThan(300);
    },
  );
});
