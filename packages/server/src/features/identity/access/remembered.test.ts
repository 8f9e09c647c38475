import { describe, expect, it } from 'vitest';
import { createMemory } from './remembered.ts';

function memoryAt(start: number) {
  const clock = { ms: start, now: () => clock.ms };
  const told = { until: 0 };
  const memory = createMemory({ clock, toldUntil: () => told.until });
  const facts = memory.facts<{ n: number }>(3);
  let asked = 0;
  const find = (key = 'a') => facts.find(key, async () => ({ n: ++asked }));
  return { clock, told, memory, facts, find, asked: () => asked };
}

describe('a fact', () => {
  it('lasts two seconds without delivered changes', async () => {
    const { clock, find, asked } = memoryAt(10_000);
    await find();
    clock.ms += 1_999;
    await find();
    expect(asked()).toBe(1);
    clock.ms += 1;
    await find();
    expect(asked()).toBe(2);
  });

  it('lasts two seconds after all changes were last delivered, and a minute at most', async () => {
    const { clock, told, find, asked } = memoryAt(10_000);
    await find();
    for (let at = 11_000; at <= 70_000; at += 1_000) {
      told.until = at - 500;
      clock.ms = at;
      await find();
    }
    expect(asked()).toBe(1);
    clock.ms = 71_499;
    await find();
    expect(asked()).toBe(1);
    told.until = clock.ms = 72_000;
    await find();
    expect(asked()).toBe(2);
    // The outbox can no longer be read.
    clock.ms = 74_000;
    await find();
    expect(asked()).toBe(3);
  });

  it('is not cached when something changed during its look-up, and no later caller shares that look-up', async () => {
    const { memory, facts, find, asked } = memoryAt(10_000);
    const answers: (() => void)[] = [];
    const slow = facts.find('a', () => new Promise((resolve) => answers.push(() => resolve({ n: -1 }))));
    memory.change();
    expect(await find()).toEqual({ n: 1 });
    for (const answer of answers) answer();
    expect(await slow).toEqual({ n: -1 });
    expect(await find()).toEqual({ n: 1 });
    expect(asked()).toBe(1);
  });

  it('is looked up once for concurrent callers', async () => {
    const { find, asked } = memoryAt(10_000);
    expect(await Promise.all([find(), find(), find()])).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
    expect(asked()).toBe(1);
  });

  it('is looked up again if it does not exist or the look-up failed', async () => {
    const { facts, find } = memoryAt(10_000);
    expect(await facts.find('a', async () => undefined)).toBeUndefined();
    await expect(facts.find('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await find()).toEqual({ n: 1 });
  });

  it('is removed when it is forgotten, or when there are too many', async () => {
    const { facts, find } = memoryAt(10_000);
    for (const key of ['a', 'b', 'c', 'd']) await find(key);
    expect(['a', 'b', 'c', 'd'].map((key) => facts.get(key)?.n)).toEqual([undefined, 2, 3, 4]);
    facts.forget(({ n }) => n === 3);
    expect(facts.get('c')).toBeUndefined();
    expect(facts.getStale('b')).toEqual({ n: 2 });
  });
});

describe('a fact while the control plane is away', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  it('counts for 15 minutes, and says so, where a request may use it', async () => {
    const { clock, facts, find } = memoryAt(10_000);
    await find();
    clock.ms += 899_999;
    const outage = { isAway: false };
    expect(await facts.find('a', () => Promise.reject(refused), outage)).toEqual({ n: 1 });
    expect(outage).toEqual({ isAway: true });
    await expect(facts.find('a', () => Promise.reject(refused))).rejects.toThrow('ECONNREFUSED');
    clock.ms += 2;
    await expect(facts.find('a', () => Promise.reject(refused), { isAway: false })).rejects.toThrow('ECONNREFUSED');
  });

  it('counts also where the control plane hangs', async () => {
    const { clock, facts, find } = memoryAt(10_000);
    await find();
    clock.ms += 10_000;
    const outage = { isAway: false };
    expect(await facts.find('a', () => new Promise(() => {}), outage)).toEqual({ n: 1 });
    expect(outage).toEqual({ isAway: true });
  });

  it('does not count where the look-up answers, or where it was forgotten meanwhile', async () => {
    const { clock, memory, facts, find } = memoryAt(10_000);
    await find();
    clock.ms += 10_000;
    const outage = { isAway: false };
    expect(await facts.find('a', async () => undefined, outage)).toBeUndefined();
    await find('b');
    clock.ms += 10_000;
    const asked = facts.find('b', () => Promise.reject(refused), outage);
    memory.change();
    facts.forget(() => true);
    await expect(asked).rejects.toThrow('ECONNREFUSED');
    expect(outage).toEqual({ isAway: false });
  });

  it('does not excuse another error of a look-up', async () => {
    const { clock, facts, find } = memoryAt(10_000);
    await find();
    clock.ms += 10_000;
    const broken = facts.find('a', () => Promise.reject(new Error('syntax error')), { isAway: false });
    await expect(broken).rejects.toThrow('syntax error');
  });
});
