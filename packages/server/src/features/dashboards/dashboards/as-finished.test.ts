import { describe, expect, it } from 'vitest';
import { asFinished } from './as-finished.ts';

describe('results as they finish', () => {
  it('come in the order in which they finish, a few at a time', async () => {
    const ends = new Map<string, () => void>();
    const started: string[] = [];
    const step = (name: string) => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    };
    const results = asFinished(['a', 'b', 'c'], 2, step);
    const first = results.next();
    expect(started).toEqual(['a', 'b']);
    ends.get('b')?.();
    expect(await first).toEqual({ value: 'b', done: false });
    expect(started).toEqual(['a', 'b', 'c']);
    ends.get('a')?.();
    expect(await results.next()).toEqual({ value: 'a', done: false });
    ends.get('c')?.();
    expect(await results.next()).toEqual({ value: 'c', done: false });
    expect(await results.next()).toEqual({ value: undefined, done: true });
  });

  it('end with the first step that throws', async () => {
    const results = asFinished([1, 2], 2, async (n) => {
      throw new Error(`step ${n}`);
    });
    await expect(results.next()).rejects.toThrow('step 1');
  });
});
