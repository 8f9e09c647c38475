import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { get } from './http.ts';
import { settingsOf } from './options.ts';

it('a request that is aborted with the last bytes of its answer does not end the process', async () => {
  const server = createServer((_request, response) => response.end('the whole answer'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const settings = settingsOf({ endpoint: `http://127.0.0.1:${port}`, sdkKey: 'svc_sdk_x', agent });
  const uncaught = vi.fn();
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', uncaught);
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
    agent.destroy();
    server.close();
  });
  for (let time = 0; time < 20; time++) {
    const leaving = new AbortController();
    const answer = await get(settings, '/', {}, leaving.signal);
    // The rest of the answer arrives.
    await turn();
    for await (const _ of answer) leaving.abort();
  }
  expect(uncaught).not.toHaveBeenCalled();
});
