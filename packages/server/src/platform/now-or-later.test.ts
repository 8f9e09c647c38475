import { describe, expect, it, vi } from 'vitest';
import { createLog } from './log.ts';
import { nowOrLater } from './now-or-later.ts';

const log = createLog('silent');
const away = new Error('away');

/** Work that fails a number of times before it succeeds. */
function workFailing(times: number) {
  let attempts = 0;
  return {
    attempts: () => attempts,
    work: async () => {
      if (++attempts <= times) throw away;
    },
  };
}

describe('external work of a start-up', () => {
  it('is done before the rest if possible', async () => {
    const { work } = workFailing(0);
    const result = await nowOrLater(work, { canWait: () => true, log });
    const steps: string[] = [];
    await result.follow(async () => void steps.push('next'));
    expect([result.done, steps]).toEqual([true, ['next']]);
  });

  it('is done later, with its follow-up work, if it can wait', async () => {
    const { work, attempts } = workFailing(3);
    const result = await nowOrLater(work, { canWait: (error) => error === away, log, retryMs: 1 });
    const next = vi.fn(async () => {});
    await result.follow(next);
    expect([result.done, next.mock.calls.length]).toEqual([false, 0]);
    await expect.poll(() => next.mock.calls.length).toBe(1);
    expect(attempts()).toBe(4);
  });

  it('fails the start-up if it cannot wait, and is abandoned when the server stops', async () => {
    await expect(nowOrLater(workFailing(1).work, { canWait: () => false, log })).rejects.toBe(away);
    const { work, attempts } = workFailing(1_000);
    const result = await nowOrLater(work, { canWait: () => true, log, retryMs: 1 });
    await expect.poll(attempts).toBeGreaterThan(2);
    result.stop();
    const then = attempts();
    await new Promise((resolve) => setImmediate(resolve));
    expect(attempts() - then).toBeLessThanOrEqual(1);
  });
});
