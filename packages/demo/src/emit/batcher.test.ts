import { describe, expect, it } from 'vitest';
import { Batcher } from './batcher.ts';

/** A batcher whose sends the test completes. */
function controlled(options: { maxItems: number; maxInFlight: number; maxWaiting: number }) {
  const sent: { items: number[]; settle: (error?: Error) => void }[] = [];
  const losses: { count: number; message: string }[] = [];
  const batcher = new Batcher<number>({
    ...options,
    send: (items) =>
      new Promise((resolve, reject) => {
        sent.push({ items, settle: (error) => (error ? reject(error) : resolve()) });
      }),
    onLost: (count, error) => void losses.push({ count, message: error.message }),
  });
  const push = (from: number, to: number) => {
    for (let i = from; i <= to; i++) batcher.push(i);
  };
  return { batcher, sent, losses, push };
}

describe('a batcher', () => {
  it('sends full batches in order, with a limit of concurrent ones', async () => {
    const { batcher, sent, push } = controlled({ maxItems: 2, maxInFlight: 2, maxWaiting: 10 });
    push(1, 7);
    expect(sent.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    sent[0]?.settle();
    await expect.poll(() => sent.length).toBe(3);
    expect(sent[2]?.items).toEqual([5, 6]);
    await batcher.room();
    const flushed = batcher.flush();
    for (const { settle } of sent) settle();
    await expect.poll(() => sent.length).toBe(4);
    sent[3]?.settle();
    await flushed;
    expect(sent[3]?.items).toEqual([7]);
    expect(batcher.delivered).toBe(7);
  });

  it('drops the oldest waiting batch and reports it', () => {
    const { sent, losses, push } = controlled({ maxItems: 1, maxInFlight: 1, maxWaiting: 2 });
    push(1, 5);
    expect(sent.map(({ items }) => items)).toEqual([[1]]);
    expect(losses.map(({ count }) => count)).toEqual([1, 1]);
  });

  it('reports a failed batch and continues', async () => {
    const { batcher, sent, losses, push } = controlled({ maxItems: 2, maxInFlight: 1, maxWaiting: 5 });
    push(1, 4);
    sent[0]?.settle(new Error('no'));
    await expect.poll(() => sent.length).toBe(2);
    sent[1]?.settle();
    await batcher.flush();
    expect(losses).toEqual([{ count: 2, message: 'no' }]);
    expect(batcher.delivered).toBe(2);
  });

  it('offers a partial batch only while a slot is free', async () => {
    const { batcher, sent, push } = controlled({ maxItems: 10, maxInFlight: 1, maxWaiting: 5 });
    push(1, 1);
    batcher.offer();
    push(2, 3);
    batcher.offer();
    expect(sent.map(({ items }) => items)).toEqual([[1]]);
    sent[0]?.settle();
    await batcher.room();
    await expect
      .poll(() => {
        batcher.offer();
        return sent.length;
      })
      .toBe(2);
    expect(sent[1]?.items).toEqual([2, 3]);
    sent[1]?.settle();
    await batcher.flush();
  });
});
