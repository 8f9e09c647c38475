import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawFirst } from './plain.ts';
import { answerRaw, type RawRouter } from './raw.ts';
import { takeRawConnections } from './raw-connections.ts';
import { parsePlainRequest } from './raw-parse.ts';
import { llhttpVectors, smugglingVectors } from './testing/request-vectors.ts';

/** Two servers that report which requests they read: one with our parser for plain requests before Node's, one with Node's only. */
describe('ambiguous requests', () => {
  const servers: Server[] = [];
  let ports: readonly number[];

  async function start(fast: boolean): Promise<number> {
    const router: RawRouter = (method, url) =>
      ['GET', 'POST'].includes(method) && url.startsWith('/flag')
        ? {
            parameter: '',
            gate: () => 1024 ** 2,
            handler: ({ body }) => ({
              status: 200,
              body: JSON.stringify(`${method} /flag ${body?.toString('latin1')}`),
            }),
          }
        : undefined;
    const server = createServer((request, response) => {
      if (!answerRaw(router, request, response)) response.end(JSON.stringify(`${request.method} ${request.url}`));
    });
    if (fast) takeRawConnections(server, rawFirst(router));
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('not listening');
    return address.port;
  }
  beforeAll(async () => {
    ports = [await start(true), await start(false)];
  });
  afterAll(() => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** The requests that were read and answered, in order. */
  async function read(port: number, bytes: string): Promise<string[]> {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.end(bytes, 'latin1');
    let text = '';
    try {
      for await (const chunk of socket) text += chunk;
    } catch {
      // The connection was reset: the responses before count.
    }
    return text
      .split(/(?=HTTP\/1\.1 \d)/)
      .filter((answer) => answer.startsWith('HTTP/1.1 200'))
      .map((answer) => /"[^\r\n]*"/.exec(answer)?.[0] ?? '');
  }

  it.each([...llhttpVectors, ...smugglingVectors].map((one) => [one.name, one] as const))(
    'are parsed as Node parses them: %s',
    async (_, { bytes, valid }) => {
      const parsed = parsePlainRequest(Buffer.from(bytes, 'latin1'));
      if (!valid) expect(typeof parsed).toBe('string');
      const [fast, node] = await Promise.all(ports.map((port) => read(port, bytes)));
      expect(fast).toEqual(node);
      // Also in pieces: a partial head must not change how it is parsed.
      const head = bytes.slice(0, Math.max(1, bytes.length - 3));
      const cut = parsePlainRequest(Buffer.from(head, 'latin1'));
      if (!valid) expect(typeof cut).toBe('string');
    },
  );

  it.each(
    [...llhttpVectors, ...smugglingVectors].map(({ name, bytes }) => [name, bytes.replace('POST', 'GET')] as const),
  )('are parsed as Node parses them with the method GET: %s', async (_, bytes) => {
    const [fast, node] = await Promise.all(ports.map((port) => read(port, bytes)));
    expect(fast).toEqual(node);
  });
});
