import { describe, expect, it } from 'vitest';
import { watchConnection } from './connection.ts';

/** A clock that only moves when told to, and a server that is up or down. */
function setUp() {
  let time = 1_000_000;
  let isUp = true;
  let probes = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const watch = watchConnection({
    now: () => time,
    probe: async () => {
      probes++;
      return isUp;
    },
    after(milliseconds, callback) {
      const timer = { at: time + milliseconds, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  });
  return {
    watch,
    probes: () => probes,
    timers: () => timers.length,
    power(on: boolean) {
      isUp = on;
    },
    async pass(milliseconds: number) {
      const end = time + milliseconds;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        time = next.at;
        timers = timers.filter((one) => one !== next);
        next.callback();
        await Promise.resolve();
        await Promise.resolve();
      }
      time = end;
    },
  };
}

describe('the connection of the application', () => {
  it('is up until a request gets no response', () => {
    const { watch, timers } = setUp();
    expect(watch.current()).toEqual({ state: 'up' });
    watch.answered();
    watch.failed();
    expect(watch.current()).toEqual({ state: 'down', since: 1_000_000, lastAnswer: 1_000_000, retryAt: 1_001_000 });
    // More failures neither move its beginning nor add probes.
    watch.failed();
    expect(timers()).toBe(1);
  });

  it('probes after 1, 2, 4, 8 and then every 15 seconds', async () => {
    const { watch, power, pass, probes } = setUp();
    power(false);
    watch.failed();
    const seen: number[] = [];
    for (let second = 1; second <= 45; second++) {
      const before = probes();
      await pass(1_000);
      if (probes() > before) seen.push(second);
    }
    expect(seen).toEqual([1, 3, 7, 15, 30, 45]);
  });

  it('is up again as soon as a probe or any request is answered, and then begins with short waits', async () => {
    const { watch, power, pass, timers } = setUp();
    power(false);
    watch.failed();
    await pass(10_000);
    expect(watch.current()).toMatchObject({ state: 'down', since: 1_000_000 });
    power(true);
    await pass(5_000);
    expect(watch.current()).toEqual({ state: 'up' });
    expect(timers()).toBe(0);
    watch.failed();
    expect(watch.current()).toMatchObject({ retryAt: 1_015_000 + 1_000 });
    watch.answered();
    expect(watch.current()).toEqual({ state: 'up' });
    expect(timers()).toBe(0);
  });

  it('tries at once when told to', async () => {
    const { watch, power, pass } = setUp();
    power(false);
    watch.failed();
    await pass(20_000);
    power(true);
    watch.retry();
    await pass(0);
    await Promise.resolve();
    expect(watch.current()).toEqual({ state: 'up' });
  });

  it('tells its listeners of each change until they leave', () => {
    const { watch } = setUp();
    const states: string[] = [];
    const leave = watch.subscribe(() => states.push(watch.current().state));
    watch.failed();
    watch.answered();
    watch.answered();
    leave();
    watch.failed();
    expect(states).toEqual(['down', 'up']);
  });
});
