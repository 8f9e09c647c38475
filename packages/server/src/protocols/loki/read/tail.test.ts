import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { logsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient, until } from '../../../testing/test-client.ts';
import { ownTestServer } from '../../../testing/test-server.ts';

interface Message {
  streams: { stream: Record<string, string>; values: [string, string][] }[];
  dropped_entries?: { timestamp: string; labels: Record<string, string> }[];
}

describe('the tail of the Loki API', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let token: string;
  const sockets: WebSocket[] = [];

  beforeAll(async () => {
    world = await startTelemetryWorld(ownTestServer());
    ada = world.ada;
    token = await ada.token(['telemetry:query']);
  }, 120_000);
  afterEach(async () => {
    const open = sockets.splice(0).filter((socket) => socket.readyState !== socket.CLOSED);
    await Promise.all(
      open.map(
        (socket) =>
          new Promise((resolve) => {
            socket.once('close', resolve);
            socket.terminate();
          }),
      ),
    );
  });
  afterAll(() => world?.stop());

  const basic = (password = token) => `Basic ${Buffer.from(`grafana:${password}`).toString('base64')}`;
  function follow(query: Record<string, string>, authorization = basic()) {
    const address = `${world.base.replace('http', 'ws')}/loki/api/v1/tail?${new URLSearchParams(query)}`;
    const socket = new WebSocket(address, { headers: { authorization } });
    sockets.push(socket);
    const messages: Message[] = [];
    const seen = { status: 0, body: '', code: 0 };
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    socket.on('open', () => {
      seen.status = 101;
    });
    socket.on('unexpected-response', (_request, response) => {
      response.on('data', (chunk) => {
        seen.body += chunk;
      });
      response.on('end', () => {
        seen.status = response.statusCode ?? 0;
      });
    });
    socket.on('close', (code) => {
      seen.code = code;
    });
    socket.on('error', () => {});
    const lines = () =>
      messages.flatMap(({ streams }) =>
        streams
          .flatMap(({ values }) => values)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([, line]) => line),
      );
    return { socket, messages, lines, seen };
  }
  const answered = async (query: Record<string, string>, authorization?: string) => {
    const { seen } = follow(query, authorization);
    await until(async () => seen.status !== 0);
    return seen;
  };
  const record = (body: string, ago = 0) => ({
    timeUnixNano: nanos(Date.now() - ago),
    severityNumber: 9,
    body: { stringValue: body },
  });
  const send = (service: string, ...records: ReturnType<typeof record>[]) =>
    ada.ingest('logs', logsRequest(records, [text('service.name', service)]));
  const stored = (service: string, count: number) =>
    ada.counted(`logs | where service.name == "${service}" | stats n=count()`, count);

  it('sends lines of several streams in the order of their times', async () => {
    const of = (user: string, ago: number) => ({ ...record(`${user}${ago}`, ago), attributes: [text('user', user)] });
    await send('mixed', of('a', 60_000), of('b', 50_000), of('a', 40_000), of('a', 30_000), of('b', 20_000));
    await stored('mixed', 5);
    const { messages } = follow({ query: '{service_name="mixed"}' });
    await until(async () => messages.length > 0);
    expect(messages[0]?.streams.map(({ stream, values }) => [stream.user, values.map(([, line]) => line)])).toEqual([
      ['a', ['a60000']],
      ['b', ['b50000']],
      ['a', ['a40000', 'a30000']],
      ['b', ['b20000']],
    ]);
  });

  it('sends the newest earlier lines, and then each line once as it arrives, also late ones', async () => {
    await send('shop', record('minutes ago', 300_000), record('before', 60_000), record('just now', 5_000));
    await stored('shop', 3);
    const { messages, lines } = follow({ query: '{service_name="shop"}', limit: '2' });
    await until(async () => lines().length === 2);
    expect(messages[0]?.streams[0]?.stream).toMatchObject({ detected_level: 'info', service_name: 'shop' });
    await send('shop', record('one'));
    await world.eve.ingest('logs', logsRequest([record('canary')], [text('service.name', 'shop')]));
    await until(async () => lines().length === 3);
    await send('shop', record('late', 4_000), record('two'));
    await until(async () => lines().length === 5);
    expect(lines()).toEqual(['before', 'just now', 'one', 'late', 'two']);
  });

  it('applies stages to lines as a query does, and selects by attributes that arrive later', async () => {
    const { lines } = follow({
      query: '{service_name="api", host_name="h1"} | json | status >= 500 | line_format "{{.status}}"',
    });
    await until(async () => sockets.at(-1)?.readyState === WebSocket.OPEN);
    const records = [record('{"status":200}'), record('{"status":503}')];
    await ada.ingest('logs', logsRequest(records, [text('service.name', 'api'), text('host.name', 'h1')]));
    await ada.ingest('logs', logsRequest(records, [text('service.name', 'api'), text('host.name', 'h2')]));
    await until(async () => lines().length > 0);
    expect(lines()).toEqual(['503']);
  });

  it('reports from when on lines are missing if too many arrive at once', async () => {
    const records = Array.from({ length: 600 }, (_, n) => record(`${n}`, 10_000 - n));
    await send('busy', ...records);
    await stored('busy', 600);
    const { messages, lines } = follow({
      query: '{service_name="busy"}',
      limit: '1000',
      start: nanos(Date.now() - 20_000),
    });
    await until(async () => lines().length >= 500);
    expect(messages.flatMap(({ dropped_entries }) => dropped_entries ?? [])).toHaveLength(1);
    expect(lines()).toEqual(records.slice(100).map(({ body }) => body.stringValue));
  });

  it('holds lines back for as long as requested', async () => {
    await send('slow', record('old', 10_000));
    await stored('slow', 1);
    const { lines } = follow({ query: '{service_name="slow"}', delay_for: '5' });
    await until(async () => lines().length === 1);
    await send('slow', record('second', 1_000));
    await send('slow', record('first', 2_000));
    await until(async () => lines().length === 3);
    expect(lines()).toEqual(['old', 'first', 'second']);
  });

  it('rejects a wrong request with an HTTP error before the handshake completes', async () => {
    for (const query of ['rate({a="b"}[1m])', '{', '{a="b"} | x', ''])
      expect((await answered({ query })).status, query).toBe(400);
    expect((await answered({ query: '{a="b"}', delay_for: '6' })).body).toContain('delay_for');
    expect((await answered({ query: '{a="b"}', limit: 'x' })).status).toBe(400);
    expect((await answered({ query: '{a="b"}' }, 'Bearer svc_pat_x')).status).toBe(401);
    const ingest = basic(await ada.token(['telemetry:ingest']));
    expect((await answered({ query: '{a="b"}' }, ingest)).status).toBe(403);
    expect((await answered({ query: '{a="b"}', workspace: world.eve.workspaceId })).status).toBe(404);
    const plain = await testClient(world.base, { bearer: token }).get('/loki/api/v1/tail?query={a="b"}');
    expect([plain.status, plain.json.message]).toEqual([400, expect.stringContaining('WebSocket')]);
  });

  it('limits the open tails of a workspace, and takes others once one has ended', async () => {
    const query = { query: '{service_name="shop"}' };
    for (let n = 0; n < 10; n++) expect((await answered(query)).status).toBe(101);
    expect((await answered(query)).status).toBe(429);
    sockets[0]?.close();
    await until(async () => (await answered(query)).status === 101);
  });

  it('ends with 1008 when its token is revoked', async () => {
    const { data } = await ada.post('/api/v1/tokens', { name: 'tail', permissions: ['telemetry:query'] });
    const { seen } = follow({ query: '{service_name="shop"}' }, basic(data.token));
    await until(async () => seen.status === 101);
    await ada.del(`/api/v1/tokens/${data.id}`);
    await until(async () => seen.code !== 0);
    expect(seen.code).toBe(1008);
  });

  it('leaves other requests for an upgrade in HTTP', async () => {
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const body = new URLSearchParams({ query: 'vector(1)' }).toString();
      const headers = {
        ...{ authorization: basic(), connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' },
        ...{ 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length },
      };
      request(`${world.base}/loki/api/v1/query`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end(body);
    });
    expect(status).toBe(200);
  });

  it('ends with 1001 when the server stops', async () => {
    const { seen } = follow({ query: '{service_name="shop"}' });
    await until(async () => seen.status === 101);
    await world.stop();
    expect(seen.code).toBe(1001);
  });
});
