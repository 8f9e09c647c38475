import { describe, expect, it } from 'vitest';
import { createTurnstile } from './turnstile.ts';

const forever = new AbortController().signal;

/** Work that ends when it is told to. */
function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

describe('the turnstile', () => {
  it('lets the next one in when one leaves, in order', async () => {
    const turnstile = createTurnstile({ perWorkspace: 1, maxWaiting: 2, waitMs: 60_000 });
    const order: string[] = [];
    const first = gate();
    const runs = [
      turnstile.pass(1, forever, async () => {
        order.push('a');
        await first.passed;
      }),
      turnstile.pass(1, forever, async () => {
        order.push('b');
      }),
      turnstile.pass(1, forever, async () => {
        order.push('c');
      }),
    ];
    await Promise.resolve();
    expect(order).toEqual(['a']);
    first.open();
    await Promise.all(runs);
    expect(order).toEqual(['a', 'b', 'c']);
    expect(turnstile.running()).toBe(0);
  });

  it('does not let one workspace wait for another', async () => {
    const turnstile = createTurnstile({ perWorkspace: 1, maxWaiting: 0, waitMs: 60_000 });
    const busy = gate();
    const first = turnstile.pass(1, forever, () => busy.passed);
    await expect(turnstile.pass(2, forever, async () => 'in')).resolves.toBe('in');
    busy.open();
    await first;
  });

  it('refuses beyond the queue, and gives the place back when work fails', async () => {
    const turnstile = createTurnstile({ perWorkspace: 1, maxWaiting: 0, waitMs: 60_000 });
    const busy = gate();
    const first = turnstile.pass(1, forever, () => busy.passed);
    await expect(turnstile.pass(1, forever, async () => 'in')).rejects.toMatchObject({
      error: 'QUERY_QUEUE_FULL',
      retryAfterSeconds: 1,
    });
    busy.open();
    await first;
    await expect(
      turnstile.pass(1, forever, async () => {
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
    await expect(turnstile.pass(1, forever, async () => 'in')).resolves.toBe('in');
  });

  it('forgets a client that left while it waited', async () => {
    const turnstile = createTurnstile({ perWorkspace: 1, maxWaiting: 1, waitMs: 60_000 });
    const busy = gate();
    const first = turnstile.pass(1, forever, () => busy.passed);
    const client = new AbortController();
    const waiting = turnstile.pass(1, client.signal, async () => 'in');
    client.abort();
    await expect(waiting).rejects.toMatchObject({ error: 'QUERY_QUEUE_FULL' });
    busy.open();
    await first;
    expect(turnstile.running()).toBe(0);
  });
});
