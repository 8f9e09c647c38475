import { describe, expect, it } from 'vitest';
import { AnswerCache } from './cache.ts';

const forever = new AbortController().signal;

function cacheAt(maxBytes = 1_000) {
  const time = { now: 0 };
  const cache = new AnswerCache<string>({ clock: { now: () => time.now }, maxBytes, sizeOf: (text) => text.length });
  let asked = 0;
  const ask = async () => `answer ${++asked}`;
  const get = async (key: string, maxAgeMs: number) => (await cache.get(key, maxAgeMs, forever, ask)).value;
  return { time, cache, get, asked: () => asked };
}

describe('the cache of answers', () => {
  it('returns a cached answer only to callers that accept its age', async () => {
    const { time, cache, get } = cacheAt();
    expect(await get('a', 1_000)).toBe('answer 1');
    time.now = 1_000;
    expect(await cache.get('a', 1_000, forever, async () => 'new')).toEqual({ value: 'answer 1', ageMs: 1_000 });
    expect(await get('a', 999)).toBe('answer 2');
    expect(await get('a', 0)).toBe('answer 2');
    expect(await get('b', 1_000)).toBe('answer 3');
  });

  it('counts the age from when the statement began: what was stored meanwhile may be missing', async () => {
    const { time, cache } = cacheAt();
    const slow = cache.get('a', 1_000, forever, async () => {
      time.now = 600;
      return 'slow';
    });
    expect(await slow).toEqual({ value: 'slow', ageMs: 600 });
    time.now = 1_001;
    expect(await cache.get('a', 1_000, forever, async () => 'new')).toMatchObject({ value: 'new' });
  });

  it('runs one statement for simultaneous identical requests', async () => {
    const { cache, asked, get } = cacheAt();
    expect(await Promise.all([get('a', 10), get('a', 10), get('a', 10)])).toEqual(Array(3).fill('answer 1'));
    expect(asked()).toBe(1);
    expect(cache.state()).toMatchObject({ hits: 2, misses: 1 });
  });

  it('ends a statement when its last waiting caller disconnects, not before', async () => {
    const { cache } = cacheAt();
    let ended: unknown;
    const endless = (signal: AbortSignal) =>
      new Promise<string>((_, reject) => {
        signal.addEventListener('abort', () => {
          ended = signal.reason;
          reject(signal.reason);
        });
      });
    const [first, second] = [new AbortController(), new AbortController()];
    const asks = [first, second].map(({ signal }) => cache.get('a', 10, signal, endless));
    const gone = asks.map((ask) => expect(ask).rejects.toMatch('left'));
    first.abort('left first');
    await gone[0];
    expect(ended).toBeUndefined();
    second.abort('left last');
    await gone[1];
    expect(ended).toBe('left last');
    // A later caller does not get the aborted statement.
    expect(await cache.get('a', 10, forever, async () => 'new')).toMatchObject({ value: 'new' });
  });

  it('does not cache a failure', async () => {
    const { cache, get } = cacheAt();
    const fails = cache.get('a', 10, forever, () => Promise.reject(new Error('the store is away')));
    await expect(fails).rejects.toThrow('away');
    expect(await get('a', 10)).toBe('answer 1');
  });

  it('stays within its bytes: the least recently used go first, and what is too large is not kept', async () => {
    const { cache } = cacheAt(80);
    const put = (key: string, size: number) => cache.get(key, 1e9, forever, async () => 'x'.repeat(size));
    for (let n = 0; n < 20; n++) {
      await put(`key ${n}`, 10);
      expect(cache.state().bytes).toBeLessThanOrEqual(80);
      await put('key 0', 10);
    }
    // Always used, so still cached; nine of the others are evicted.
    expect(cache.state()).toEqual({ bytes: 80, hits: 20, misses: 20 });
    await put('large', 11);
    expect(cache.state()).toMatchObject({ bytes: 80, misses: 21 });
    await put('large', 11);
    expect(cache.state()).toMatchObject({ misses: 22 });
  });
});
