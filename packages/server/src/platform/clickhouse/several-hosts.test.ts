import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { urlsOf } from '../url-hosts.ts';
import type { ClickHouse } from './client.ts';
import { probeClickHouse } from './probe.ts';
import { createClickHouse } from './several-hosts.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Host {
  readonly at: string;
  readonly asked: string[];
  stop(): Promise<void>;
}

/** A server that answers each statement with its own name, as ClickHouse would answer `SELECT`. */
async function startHost(name: string): Promise<Host> {
  const asked: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    asked.push(Buffer.concat(chunks).toString().split('\n')[0] ?? '');
    const { searchParams } = new URL(request.url ?? '', 'http://store');
    if (searchParams.get('database') === 'wrong') {
      response.writeHead(404, { 'x-clickhouse-exception-code': '81' });
      return response.end('Code: 81. DB::Exception: Database wrong does not exist. (UNKNOWN_DATABASE)');
    }
    // The lines of the format count.
    const meta = '{\n\t"meta":\n\t[\n\t\t{"name": "host", "type": "String"}\n\t],\n\n';
    response.end(`${meta}\t"data":\n\t[\n\t\t["${name}"]\n\t],\n\n\t"rows": 1\n}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  closing.push(stop);
  return { at: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}

function connect(hosts: readonly Host[], database = 'db'): ClickHouse {
  const url = `http://me:secret@${hosts.map(({ at }) => at).join(',')}`;
  const store = createClickHouse({ url, database, requestTimeoutMs: 5_000 });
  closing.push(() => store.close());
  return store;
}

const answerOf = async (store: ClickHouse) => (await store.query('SELECT host')).rows[0]?.[0];

describe('a store with several hosts', () => {
  it('has an address for each', () => {
    expect(urlsOf('https://me:a,b@one:8443,two:8444/path?x=1')).toEqual([
      'https://me:a,b@one:8443/path?x=1',
      'https://me:a,b@two:8444/path?x=1',
    ]);
    expect(urlsOf('http://[::1]:8123')).toEqual(['http://[::1]:8123']);
  });

  it('answers from the first, and from the next when the first is away', async () => {
    const [one, two] = [await startHost('one'), await startHost('two')];
    const store = connect([one, two]);
    expect(await answerOf(store)).toBe('one');
    await one.stop();
    expect(await answerOf(store)).toBe('two');
    expect(two.asked).toHaveLength(1);
  });

  it('stays with the next, and returns to the first when that one is away', async () => {
    const [one, two] = [await startHost('one'), await startHost('two')];
    const store = connect([{ ...one, at: '127.0.0.1:1' }, one, two]);
    expect([await answerOf(store), await answerOf(store)]).toEqual(['one', 'one']);
    await one.stop();
    expect(await answerOf(store)).toBe('two');
    await two.stop();
    await expect(answerOf(store)).rejects.toThrow('ECONNREFUSED');
  });

  it('does not send a write again by itself, and sends the next one to the next host', async () => {
    const [one, two] = [await startHost('one'), await startHost('two')];
    const store = connect([one, two]);
    await one.stop();
    const insert = () => store.insert('t', ['a'], 'RowBinary', Buffer.from([1]), { token: 'token' });
    await expect(insert()).rejects.toThrow();
    expect(two.asked).toEqual([]);
    await insert();
    expect(two.asked).toHaveLength(1);
  });

  it('does not ask another host when one has answered with an error', async () => {
    const [one, two] = [await startHost('one'), await startHost('two')];
    await expect(answerOf(connect([one, two], 'wrong'))).rejects.toThrow('does not exist');
    expect(two.asked).toEqual([]);
  });

  it('is probed at the first host that answers', async () => {
    const one = await startHost('one');
    await probeClickHouse(`http://127.0.0.1:1,${one.at}`, 5_000);
    expect(one.asked[0]).toContain('version()');
  });
});
