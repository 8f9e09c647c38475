import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PlainRouter, rawFirst } from './plain.ts';
import { answerRaw, type RawHandler, type RawRequest, type RawRouter } from './raw.ts';
import { takeRawConnections } from './raw-connections.ts';
import { parsePlainRequest } from './raw-parse.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server that reports how a request was parsed and by which parser. Node's listener answers unknown paths. */
async function start(
  handler: RawHandler,
  options: { fast?: boolean; now?: () => number; plain?: PlainRouter } = {},
): Promise<number> {
  const router: RawRouter = (method, url) =>
    method === 'POST' && url.startsWith('/flag')
      ? { gate: () => 1024 ** 2, handler, parameter: url.slice(1) }
      : undefined;
  const server = createServer((request, response) => {
    if (!answerRaw(router, request, response)) response.end(`node ${request.method} ${request.url}`);
  });
  if (options.fast ?? true)
    takeRawConnections(server, options.plain ?? rawFirst(router), { ...(options.now && { now: options.now }) });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address.port;
}

const echo: RawHandler = ({ url, body, headers }: RawRequest, parameter) => ({
  status: 200,
  body: JSON.stringify({ url, parameter, body: body?.toString(), key: headers.authorization ?? null }),
});

function post(url: string, body: string, more: readonly string[] = []): string {
  const lines = [`POST ${url} HTTP/1.1`, 'Host: x', ...more, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Collects data until it contains a number of responses, or the other side has closed. */
async function answers(socket: Socket, count: number): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.split('HTTP/1.1 ').length - 1 >= count && complete(text)) break;
  }
  return text;
}

function complete(text: string): boolean {
  const last = text.slice(text.lastIndexOf('HTTP/1.1 '));
  const end = last.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(last)?.[1] ?? 0);
  return end >= 0 && Buffer.byteLength(last) >= end + 4 + length;
}

/** Status and body of each response. */
function read(text: string): string[] {
  return text
    .split(/(?=HTTP\/1\.1 )/)
    .filter((part) => part !== '')
    .map((part) => `${part.slice(9, 12)} ${part.slice(part.indexOf('\r\n\r\n') + 4)}`);
}

async function exchange(port: number, pieces: readonly string[], count: number): Promise<string[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
  const text = await answers(socket, count);
  socket.destroy();
  return read(text);
}

describe('connections for raw routes', () => {
  it('answers as Node does, headers included', async () => {
    const odd: RawHandler = ({ body }) =>
      body?.toString() === '304'
        ? { status: 304, body: '', headers: { etag: '"x"' } }
        : { status: 200, body: Buffer.from('"bytes ä"'), headers: { etag: '"x"' } };
    const [fast, node] = await Promise.all([start(odd), start(odd, { fast: false })]);
    for (const body of ['304', '200']) {
      const [a, b] = await Promise.all(
        [fast, node].map((port) =>
          fetch(`http://127.0.0.1:${port}/flag`, { method: 'POST', body, headers: { connection: 'keep-alive' } }),
        ),
      );
      expect(a?.status).toBe(b?.status);
      const headers = (response: Response | undefined) =>
        [...(response?.headers ?? [])].map(([name, value]) => (name === 'date' ? name : `${name}: ${value}`)).sort();
      expect(headers(a)).toEqual(headers(b));
      expect(await a?.text()).toBe(await b?.text());
    }
  });

  it('hands a connection over to Node, which then keeps it', async () => {
    const port = await start(echo);
    const get = 'GET /page HTTP/1.1\r\nHost: x\r\n\r\n';
    const [first, second, third] = await exchange(port, [post('/flag/a', '{}') + get + post('/flag/b', '1')], 3);
    expect(first).toBe(`200 ${JSON.stringify({ url: '/flag/a', parameter: 'flag/a', body: '{}', key: null })}`);
    expect(second).toContain('node GET /page');
    expect(third).toContain('/flag/b');
  });

  it('parses a request alike however it is divided into pieces', async () => {
    const port = await start(echo);
    const text = post('/flag/ü'.replace('ü', '%C3%BC'), '{"context":{"a":"ä"}}', ['Authorization: Bearer k']);
    const whole = text + text;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 4 }), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const pieces = at.slice(1).map((end, i) => whole.slice(at[i], end));
        const [one, two, ...none] = await exchange(port, pieces, 2);
        expect(one).toContain('{\\"context\\":{\\"a\\":\\"ä\\"}}');
        expect(two).toBe(one);
        expect(none).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('answers all requests of a client that closes its side while the first is answered', async () => {
    const slow: RawHandler = async (request, parameter) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return echo(request, parameter);
    };
    const socket = connect(await start(slow), '127.0.0.1');
    socket.end(['a', 'b', 'c'].map((name) => post(`/flag/${name}`, '{}')).join(''));
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect([...text.matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url)).toEqual(['/flag/a', '/flag/b', '/flag/c']);
  });

  it('keeps the order of responses when one is slow', async () => {
    const slow: RawHandler = async (request, parameter) => {
      await new Promise(setImmediate);
      return echo(request, parameter);
    };
    const port = await start((request, parameter) => (request.url.endsWith('slow') ? slow : echo)(request, parameter));
    const got = await exchange(port, [post('/flag/slow', '1') + post('/flag/b', '2') + post('/flag/slow', '3')], 3);
    expect(got.map((each) => /"body":"(\d)"/.exec(each)?.[1])).toEqual(['1', '2', '3']);
  });

  it.each([
    [
      'a chunked body',
      'POST /flag HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n7\r\n0\r\n\r\n',
      '200',
    ],
    [
      'both lengths',
      'POST /flag HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
      '400',
    ],
    ['two lengths', 'POST /flag HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n77', '400'],
    ['a signed length', 'POST /flag HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n7', '400'],
    ['a space before the colon', 'POST /flag HTTP/1.1\r\nHost: x\r\nContent-Length : 1\r\n\r\n7', '400'],
    ['a folded line', 'POST /flag HTTP/1.1\r\nHost: x\r\n Content-Length: 1\r\n\r\n7', '400'],
    ['a bare line feed', 'POST /flag HTTP/1.1\nHost: x\nContent-Length: 1\n\n7', '400'],
    ['no host', 'POST /flag HTTP/1.1\r\nContent-Length: 1\r\n\r\n7', '400'],
    ['a control character', 'POST /flag HTTP/1.1\r\nHost: x\r\nA: \u0001\r\nContent-Length: 1\r\n\r\n7', '400'],
    ['HTTP/1.0', 'POST /flag HTTP/1.0\r\nContent-Length: 1\r\n\r\n7', '200'],
    ['a close', 'POST /flag HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\n7', '200'],
    ['no HTTP at all', '\u0016\u0003\u0001 hello', '400'],
  ])('leaves to Node: %s', async (_, request, status) => {
    expect(parsePlainRequest(Buffer.from(request))).toBe('unusual');
    const handler: RawHandler = () => ({ status: 200, body: '"taken"' });
    const [fast, node] = await Promise.all([start(handler), start(handler, { fast: false })]);
    const [a, b] = await Promise.all([fast, node].map((port) => exchange(port, [request], 1)));
    expect(a?.[0]?.slice(0, 3)).toBe(status);
    expect(a).toEqual(b);
  });

  it('sends 100 Continue to a client that expects it', async () => {
    const port = await start(echo);
    const head = 'POST /flag HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n';
    const got = await exchange(port, [head, '7'], 2);
    expect(got.map((each) => each.slice(0, 3))).toEqual(['100', '200']);
  });

  it('parses nothing differently from Node', async () => {
    const [fast, node] = await Promise.all([start(echo), start(echo, { fast: false })]);
    const line = fc.oneof(
      fc.constantFrom(
        'Host: y',
        'Content-Length: 2',
        'content-length: 02',
        'Content-Length: 2, 2',
        'Transfer-Encoding: identity',
        'Transfer-Encoding:chunked',
        'Connection: keep-alive, upgrade',
        'Upgrade: h2c',
        'Authorization: a',
        'Origin: o',
        'X-API-Key: 1',
        'Accept: */*',
        '',
        ':',
        'a',
      ),
      fc.string({ maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 4 }), async (lines) => {
        const bytes = Buffer.from(
          `POST /flag HTTP/1.1\r\nHost: x\r\n${lines.map((each) => `${each}\r\n`).join('')}Content-Length: 2\r\n\r\n{}`,
        );
        const parsed = parsePlainRequest(bytes);
        // Node handles what is not parsed here, as above. What is parsed must be the same request to Node, with the
        // same length.
        if (typeof parsed === 'string') return;
        const read = bytes.toString('latin1', 0, parsed.end);
        const [a, b] = await Promise.all([fast, node].map((port) => exchange(port, [read], 1)));
        expect(a).toEqual(b);
        expect(a?.[0]).toContain('200');
      }),
      { numRuns: 300 },
    );
  });

  it('hands a slow sender and a silent connection over to Node, whose limits apply', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      let now = 0;
      const port = await start(echo, { now: () => now });
      const socket = connect({ port, host: '127.0.0.1' });
      await once(socket, 'connect');
      socket.write(post('/flag', '{"a":1}').slice(0, -3));
      // The server has received it once it answers a later request.
      expect((await exchange(port, [post('/flag', '1')], 1))[0]).toContain('200');
      now += 1_500;
      vi.advanceTimersByTime(1_500);
      expect(servers.at(-1)).toBeDefined();
      socket.write(':1}'.slice(0, 3));
      const text = await answers(socket, 1);
      expect(read(text)[0]).toContain('{\\"a\\":1}');
      socket.destroy();
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not wait for the body of a request that is for Node', async () => {
    // Nobody is a slow sender while the clock stands still.
    const port = await start(echo, { now: () => 0 });
    const head = 'POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n';
    expect(await exchange(port, [head], 1)).toEqual([expect.stringContaining('node POST /other')]);
  });

  it('closes idle connections after the same time as Node', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      let now = 0;
      const port = await start(echo, { now: () => now });
      const socket = connect({ port, host: '127.0.0.1' });
      await once(socket, 'connect');
      const closed = once(socket, 'close');
      socket.write(post('/flag', '{}'));
      await once(socket, 'data');
      now = 4_000;
      vi.advanceTimersByTime(4_000);
      expect(socket.destroyed).toBe(false);
      now = 6_000;
      vi.advanceTimersByTime(2_000);
      socket.resume();
      await closed;
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['at once', undefined],
    ['later', Promise.resolve(undefined)],
  ])('hands over a request that turns out not to be plain (%s), and those behind it', async (_, untaken) => {
    const plain: PlainRouter = (method, url) =>
      method === 'GET' && url.startsWith('/plain')
        ? () => (url === '/plain/not' ? untaken : { status: 200, body: JSON.stringify(`plain ${url}`) })
        : undefined;
    const socket = connect(await start(echo, { plain }), '127.0.0.1');
    const urls = ['/plain/a', '/plain/not', '/plain/b'];
    // The client closes its side, and still gets every answer.
    socket.end(urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(read(text).map((answer) => answer.slice(4).trim())).toEqual([
      '"plain /plain/a"',
      expect.stringContaining('node GET /plain/not'),
      expect.stringContaining('node GET /plain/b'),
    ]);
  });

  it('completes pending responses when the server closes', async () => {
    let finish = () => {};
    const port = await start(
      () =>
        new Promise((resolve) => {
          finish = () => resolve({ status: 200, body: '1' });
        }),
    );
    const [busy, idle] = [connect({ port, host: '127.0.0.1' }), connect({ port, host: '127.0.0.1' })];
    busy.write(post('/flag', '{}'));
    const idleClosed = once(idle.resume(), 'close');
    await expect.poll(() => finish.toString()).toContain('resolve');
    const closed = new Promise((resolve) => servers.at(-1)?.close(resolve));
    finish();
    const text = await answers(busy, 99);
    expect(text).toContain('Connection: close');
    await Promise.all([idleClosed, closed]);
  });
});
