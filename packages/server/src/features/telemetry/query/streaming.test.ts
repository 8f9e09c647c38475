import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { until } from '../../../testing/test-client.ts';

const rowsStored = 150_000;

describe('results of queries', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const { workspace, project } = ada.numbers;
    await world.store.command(
      `INSERT INTO logs (workspace, project, environment, retention_days, time, service, severity, body, string_attributes)
       SELECT ${workspace}, ${project}, 'production', 30, now64(9) - toIntervalMillisecond(number), 'shop', 9, concat('line, "', toString(number), '"'), map('n', toString(number), 'pad', repeat('x', 200))
       FROM numbers(${rowsStored})`,
      { settings: { max_partitions_per_insert_block: 1000 } },
    );
  });
  afterAll(() => world?.stop());

  /** A request with access to the trailers, which `fetch` does not expose; its response may be left unread. */
  const ask = (accept: string, body: object, headers: Record<string, string> = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${world.base}${ada.workspace}/query`,
        {
          method: 'POST',
          headers: {
            cookie: ada.cookie,
            origin: world.base,
            'content-type': 'application/json',
            accept,
            ...headers,
          },
          agent: false,
        },
        resolve,
      );
      sent.on('error', reject);
      sent.end(JSON.stringify({ from: 'now-1d', to: 'now+1m', ...body }));
    });
  const read = async (response: IncomingMessage): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };
  const running = async () => {
    const { rows } = await world.store.query(
      "SELECT count() FROM system.processes WHERE query LIKE '%FROM logs%' AND query NOT LIKE '%processes%'",
    );
    return Number(rows[0]?.[0]);
  };

  it('are sent as NDJSON, with the row count and whether there are more', async () => {
    const response = await ask('application/x-ndjson', { query: 'logs | fields body, n', limit: 3 });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const lines = (await read(response)).toString().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { body: 'line, "0"', n: '0' },
      { body: 'line, "1"', n: '1' },
      { body: 'line, "2"', n: '2' },
    ]);
    expect(response.trailers).toMatchObject({ 'x-rows': '3', 'x-truncated': 'true' });
  });

  it('are sent as CSV and Arrow, with more rows than JSON allows', async () => {
    const query = { query: 'logs | fields time, body, attributes', limit: 1_000_000 };
    const csv = await ask('text/csv', query);
    const text = (await read(csv)).toString();
    expect(csv.headers['content-type']).toContain('text/csv');
    expect(text.split('\r\n')).toHaveLength(rowsStored + 2);
    expect(csv.trailers).toMatchObject({ 'x-rows': String(rowsStored), 'x-truncated': 'false' });
    const arrow = await ask('application/vnd.apache.arrow.stream', query);
    expect((await read(arrow)).subarray(0, 4).toString('hex')).toBe('ffffffff');
    expect(arrow.trailers['x-rows']).toBe(String(rowsStored));
    const zipped = await ask('application/x-ndjson', { ...query, limit: 5000 }, { 'accept-encoding': 'gzip' });
    const bytes = await read(zipped);
    const plain = zipped.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    expect(plain.toString().trim().split('\n')).toHaveLength(5000);
  });

  it('contain 100,000 rows by default, and report that there are more', async () => {
    const response = await ask('application/x-ndjson', { query: 'logs | fields n' });
    expect((await read(response)).toString().split('\n')).toHaveLength(100_001);
    expect(response.trailers).toMatchObject({ 'x-rows': '100000', 'x-truncated': 'true' });
    expect(JSON.parse(response.trailers['x-completeness'] ?? '')).toMatchObject({
      partial_buckets: [],
      missing_anchors: 0,
      sampled_share: 1,
    });
  });

  it('name the share that a sample of the query keeps', async () => {
    const response = await ask('text/csv', { query: 'logs | sample 0.25 | stats n=count()' });
    await read(response);
    expect(JSON.parse(response.trailers['x-completeness'] ?? '')).toMatchObject({ sampled_share: 0.25 });
  });

  it('are rejected in an unknown format, and with too many rows in JSON', async () => {
    const refused = await ask('text/html', { query: 'logs' });
    expect(refused.statusCode).toBe(406);
    expect(JSON.parse((await read(refused)).toString()).error.code).toBe('SVC-1013');
    const many = await ask('application/json', { query: 'logs', limit: 100_001 });
    expect(many.statusCode).toBe(422);
    await read(many);
  });

  it.each(['text/csv', 'application/x-ndjson', 'application/vnd.apache.arrow.stream'])(
    'that fail before the first row are errors as ever (%s)',
    async (accept) => {
      const response = await ask(accept, { query: 'lgos | limit 1' });
      expect(response.statusCode).toBe(422);
      expect(JSON.parse((await read(response)).toString()).error.code).toBe('SVC-5001');
    },
  );

  it.each(['application/json', 'text/csv', 'application/x-ndjson', 'application/vnd.apache.arrow.stream'])(
    'stop the store when their reader leaves (%s)',
    async (accept) => {
      // Each row takes the engine a millisecond.
      const slow = `logs | where ${Array.from({ length: 40 }, (_, i) => `regex_replace(body, "(a|b|.)*${i}", "") != "x"`).join(' and ')} | fields body`;
      const controller = new AbortController();
      const sent = fetch(`${world.base}${ada.workspace}/query`, {
        method: 'POST',
        headers: { cookie: ada.cookie, origin: world.base, 'content-type': 'application/json', accept },
        body: JSON.stringify({ from: 'now-1d', to: 'now+1m', query: slow, limit: 100_000 }),
        signal: controller.signal,
      });
      const outcome = sent.then(
        () => 'answered',
        () => 'left',
      );
      await until(async () => (await running()) > 0);
      controller.abort();
      expect(await outcome).toBe('left');
      await until(async () => (await running()) === 0);
    },
  );

  it('that nobody reads pause the store, and free their slot when the reader disconnects', async () => {
    const response = await ask('text/csv', { query: 'logs', limit: 1_000_000 });
    response.once('data', () => response.pause());
    await until(async () => (await running()) === 1);
    response.destroy();
    await until(async () => (await running()) === 0);
    const after = await ada.post(`${ada.workspace}/query`, {
      query: 'logs | stats n=count()',
      from: 'now-1d',
      to: 'now+1m',
    });
    expect(after.data.rows).toEqual([[rowsStored]]);
  });

  it('are in the history with their row counts', async () => {
    const entry = await until(async () => {
      const answer = await ada.get(`${ada.workspace}/query-history?limit=50`);
      return answer.data.find(({ query }: { query: string }) => query === 'logs | fields body, n');
    });
    expect(entry).toMatchObject({ rows: 3, truncated: true, status: 'ok' });
  });
});
