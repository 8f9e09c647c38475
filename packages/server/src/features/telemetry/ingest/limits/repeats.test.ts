import { describe, expect, it } from 'vitest';
import { principal } from '../testing/http.ts';
import { Repeats } from './repeats.ts';

const minute = 60_000;
const request = (text: string, more: object = {}) => ({
  ...{ signal: 'traces' as const, format: 'protobuf' as const, body: Buffer.from(text), principal },
  ...more,
});

describe('repeated requests', () => {
  const clock = { ms: 1_000_000_000_000, now: () => clock.ms };
  let stored: string[] = [];
  /** Each request that is stored is answered by its number. */
  async function send(repeats: Repeats, one = request('a'), outcome: 'stored' | 'fails' | 'untimed' = 'stored') {
    const { answer, isRepeat } = await repeats.once(one, async () => {
      await new Promise(setImmediate);
      if (outcome === 'fails') throw new Error('the log is full');
      stored.push(one.body.toString());
      return { answer: { accepted: stored.length, rejected: 0, message: '' }, isOnce: outcome === 'stored' };
    });
    return [answer.accepted, isRepeat];
  }
  const start = (max = 10) => {
    stored = [];
    return new Repeats(max, clock);
  };

  it('get the answer of the first for 15 minutes', async () => {
    const repeats = start();
    expect(await send(repeats)).toEqual([1, false]);
    expect(await send(repeats)).toEqual([1, true]);
    clock.ms += 15 * minute - 1;
    expect(await send(repeats)).toEqual([1, true]);
    clock.ms += 1;
    expect(await send(repeats)).toEqual([2, false]);
  });

  it('are those of one token, project, environment, signal, format and resource', async () => {
    const repeats = start();
    await send(repeats);
    const others = [
      ...[{ signal: 'logs' }, { format: 'json' }, { resource: { 'service.name': 'b' } }],
      ...[{ tokenId: 'b' }, { project: 10 }, { environment: 'b' }].map((other) => ({
        principal: { ...principal, ...other },
      })),
    ];
    for (const other of others)
      expect((await send(repeats, request('a', other)))[1], JSON.stringify(other)).toBe(false);
    expect((await send(repeats, request('b')))[1]).toBe(false);
    expect((await send(repeats))[1]).toBe(true);
  });

  it('are recognised in long bodies too', async () => {
    const repeats = start();
    const long = 'x'.repeat(2 * 1024 ** 2);
    await send(repeats, request(long));
    expect(await send(repeats, request(long))).toEqual([1, true]);
    expect((await send(repeats, request(`${long}y`)))[1]).toBe(false);
  });

  it('are stored when the first was not', async () => {
    const repeats = start();
    await expect(send(repeats, request('a'), 'fails')).rejects.toThrow('the log is full');
    expect(await send(repeats)).toEqual([1, false]);
    expect(await send(repeats)).toEqual([1, true]);
  });

  it('at the same time wait for the first, and the next one is stored if it fails', async () => {
    const repeats = start();
    expect(await Promise.all([send(repeats), send(repeats), send(repeats)])).toEqual([
      [1, false],
      [1, true],
      [1, true],
    ]);
    const outcomes = await Promise.allSettled([
      send(repeats, request('b'), 'fails'),
      send(repeats, request('b')),
      send(repeats, request('b')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(stored).toEqual(['a', 'b']);
  });

  it('without a time of their own are stored each time', async () => {
    const repeats = start();
    await Promise.all([send(repeats, request('a'), 'untimed'), send(repeats, request('a'), 'untimed')]);
    await send(repeats, request('a'), 'untimed');
    expect(stored).toHaveLength(3);
  });

  it('are forgotten beyond the limit, oldest first', async () => {
    const repeats = start(2);
    for (const text of ['a', 'b', 'c']) await send(repeats, request(text));
    expect((await send(repeats, request('b')))[1]).toBe(true);
    expect((await send(repeats, request('a')))[1]).toBe(false);
  });

  it('are all stored when none is remembered', async () => {
    const repeats = start(0);
    await send(repeats);
    expect(await send(repeats)).toEqual([2, false]);
  });
});
