import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createLog } from '../platform/log.ts';
import { closeHttp, createHttp } from './server.ts';

describe('closing', () => {
  it('does not wait for ever for a connection that never sent a request', async () => {
    const app = createHttp({ log: createLog('silent'), maxBodyBytes: 1024, trustProxy: false });
    app.get('/', () => 'here');
    const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const silent = connect(Number(address.port), address.hostname);
    await once(silent, 'connect');
    // The server has it, too, once it answers a request that was made later.
    expect(await (await fetch(address)).text()).toBe('here');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const closed = closeHttp(app);
      const ended = once(silent, 'close');
      await vi.advanceTimersByTimeAsync(10_000);
      await Promise.all([closed, ended]);
    } finally {
      vi.useRealTimers();
    }
  });
});
