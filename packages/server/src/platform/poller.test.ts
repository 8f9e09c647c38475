import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Poller } from './poller.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A poller whose looks end when the test says so. */
function polled(waitMs = 3_600_000) {
  const ends: ((error?: Error) => void)[] = [];
  const errors: unknown[] = [];
  const poller = new Poller({
    look: () =>
      new Promise((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve(waitMs) : reject(error)));
      }),
    onError: (error) => errors.push(error),
    retryMs: 1,
  });
  return { poller, ends, errors };
}

it('starts one look for several wake-ups during a look', async () => {
  const { poller, ends } = polled();
  poller.wake();
  poller.wake();
  poller.wake();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(20);
  expect(ends).toHaveLength(2);
  await poller.stop();
});

it('looks again after the time that a look returns', async () => {
  const { poller, ends } = polled(1);
  poller.wake();
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await poller.stop();
});

it('reports a failed look and looks again', async () => {
  const { poller, ends, errors } = polled();
  poller.wake();
  ends[0]?.(new Error('the store is down'));
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
  expect(errors).toEqual([new Error('the store is down')]);
  ends[1]?.();
  await poller.stop();
});

it('waits for the look in progress and starts no more after stop', async () => {
  const { poller, ends } = polled(1);
  poller.wake();
  poller.wake();
  let isStopped = false;
  const stopped = poller.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(20);
  expect(isStopped).toBe(false);
  ends[0]?.();
  await stopped;
  poller.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(ends).toHaveLength(1);
  expect(poller.isStopped).toBe(true);
});
