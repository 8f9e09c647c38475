import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parameterText } from './parameter-text.ts';
import { createReader, type Reader } from './read-request.ts';

let server: Server | undefined;
let reader: Reader | undefined;
afterEach(() => {
  reader?.close();
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: Parameters<typeof createServer>[1]): Promise<{ reader: Reader; server: Server }> {
  const started = createServer(answer as never);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo;
  const url = `http://me:p%40ss@127.0.0.1:${port}/proxy`;
  reader = createReader({ url, database: 'db', maxConnections: 2, timeoutMs: 5_000 });
  return { reader, server: started };
}

const asked = { sql: 'SELECT 1', params: {}, settings: {} };

describe('a read', () => {
  it('sends statement, credentials, settings and parameters as ClickHouse takes them', async () => {
    const { reader } = await listen(async (request, response) => {
      const { searchParams, pathname } = new URL(request.url ?? '', 'http://store');
      const { authorization } = request.headers;
      response.end(
        JSON.stringify({ pathname, authorization, ...Object.fromEntries(searchParams), sql: await text(request) }),
      );
    });
    const answer = await reader.send({
      sql: 'SELECT {a:String}',
      params: { a: "it's" },
      settings: { readonly: 1 },
      queryId: 'mine',
    });
    expect(JSON.parse(await text(answer))).toEqual({
      pathname: '/proxy',
      authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
      database: 'db',
      query_id: 'mine',
      readonly: '1',
      param_a: "it\\'s",
      sql: 'SELECT {a:String}',
    });
  });

  it('that is aborted with the last bytes of its answer does not end the process', async () => {
    const { reader } = await listen((request, response) => {
      request.resume();
      response.end('the whole answer');
    });
    const uncaught = vi.fn();
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', uncaught);
    onTestFinished(() => {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    });
    for (let time = 0; time < 20; time++) {
      const leaving = new AbortController();
      const answer = await reader.send({ ...asked, signal: leaving.signal });
      // The rest of the answer arrives.
      await turn();
      for await (const _ of answer) leaving.abort();
    }
    expect(uncaught).not.toHaveBeenCalled();
    expect(await text(await reader.send(asked))).toBe('the whole answer');
  });

  it('is sent again when the store has closed the idle connection, but only once', async () => {
    const sockets = new Set<Socket>();
    let requests = 0;
    const { reader } = await listen((request, response) => {
      requests++;
      sockets.add(request.socket);
      // The second request finds its connection closed, the third is answered on a new one.
      if (requests === 2) request.socket.destroy();
      else response.end('1');
    });
    await text(await reader.send(asked));
    expect(await text(await reader.send(asked))).toBe('1');
    expect([requests, sockets.size]).toEqual([3, 2]);
  });

  it('fails when a new connection breaks', async () => {
    let requests = 0;
    const { reader } = await listen((request) => {
      requests++;
      request.socket.destroy();
    });
    await expect(reader.send(asked)).rejects.toThrow('socket hang up');
    expect(requests).toBe(1);
  });

  it('is not sent when its signal was aborted before, and closes its connection when that is aborted later', async () => {
    let closed: (() => void) | undefined;
    const hasClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const abort = new AbortController();
    let requests = 0;
    const { reader } = await listen((request) => {
      requests++;
      request.socket.once('close', () => closed?.());
      abort.abort(new Error('left'));
    });
    await expect(reader.send({ ...asked, signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
    expect(requests).toBe(0);
    await expect(reader.send({ ...asked, signal: abort.signal })).rejects.toThrow();
    await hasClosed;
  });

  it('throws the error of the store with its code', async () => {
    const { reader } = await listen((_request, response) => {
      response.statusCode = 404;
      response.end('Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE) (version 1)');
    });
    await expect(reader.send(asked)).rejects.toMatchObject({ code: '60', type: 'UNKNOWN_TABLE' });
  });
});

it.each([
  ["a'b\\c\td\ne\rf", "a\\'b\\\\c\\td\\ne\\rf"],
  [null, '\\N'],
  [undefined, '\\N'],
  [true, '1'],
  [1.5, '1.5'],
  [Number.NaN, 'nan'],
  [Number.NEGATIVE_INFINITY, '-inf'],
  [[], '[]'],
  [['a', "b'", null], "['a','b\\'',NULL]"],
  [[[1], [true, false]], '[[1],[TRUE,FALSE]]'],
])('a parameter %o is sent as %s', (value, sent) => expect(parameterText(value)).toBe(sent));

it('a big integer is sent in full', () => {
  expect(parameterText(18446744073709551615n)).toBe('18446744073709551615');
  expect(parameterText([18446744073709551615n])).toBe('[18446744073709551615]');
});
