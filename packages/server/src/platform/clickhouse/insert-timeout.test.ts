import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createClickHouse } from './client.ts';

it('an insert that takes longer than a request may is sent once and succeeds', async () => {
  const requestTimeoutMs = 100;
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    request.resume();
    // The fault: a store that is slow.
    await sleep(3 * requestTimeoutMs);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const store = createClickHouse({ url: `http://127.0.0.1:${port}`, database: 'db', requestTimeoutMs });
  try {
    await store.insert('spans', ['name'], 'RowBinary', Buffer.from('row'), { token: 'one' });
    expect(requests).toBe(1);
    await expect(store.command('SYSTEM FLUSH LOGS')).rejects.toThrow('Timeout');
  } finally {
    await store.close();
    server.close();
  }
});
