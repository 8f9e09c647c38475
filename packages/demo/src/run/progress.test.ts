import { expect, it } from 'vitest';
import type { Emitter } from '../emit/emitter.ts';
import { DEFAULTS_ONLY } from '../flags/evaluator.ts';
import { writeHistory } from './history.ts';
import { createProgress } from './progress.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What is announced for a day of history that ends at this hour, when each trace takes 0.2 s and the metrics of a minute 0.6 s. */
async function announced(hour: number): Promise<{ left: number; really: number }[]> {
  const to = Date.UTC(2025, 5, 11, hour);
  const told: { left: number; at: number }[] = [];
  let now = 0;
  const emitter: Emitter = {
    emit() {
      now += 200;
    },
    async collect() {
      now += 600;
    },
    offer() {},
    room: async () => {},
    flush: async () => {},
    delivered: () => ({ spans: 0, logs: 0, metrics: 0 }),
    shutdown: async () => {},
  };
  const progress = createProgress({
    emitter,
    now: () => now,
    log(line) {
      const [, value, unit] = /(\d+) (s|min|h) left/.exec(line) ?? [];
      const scale = { s: 1_000, min: 60_000, h: HOUR }[unit ?? ''];
      if (scale !== undefined) told.push({ left: Number(value) * scale, at: now });
    },
    durationMs: DAY,
    rate: 0.5,
  });
  await writeHistory({
    ...{ emitter, evaluator: DEFAULTS_ONLY, from: to - DAY, to, seed: 1, peakRate: 0.5 },
    signal: new AbortController().signal,
    onProgress: progress.tell,
  });
  return told.map(({ left, at }) => ({ left, really: now - at }));
}

// By the share of the time, the first estimate of a history that begins at night was a third of what it took.
it.each([0, 3, 8, 14, 20])(
  'announces the time that is left within a fifth, for a day that ends at %i o’clock',
  async (hour) => {
    const told = await announced(hour);
    expect(told).toHaveLength(9);
    for (const { left, really } of told.slice(0, 6)) {
      expect(left / really).toBeGreaterThan(0.8);
      expect(left / really).toBeLessThan(1.2);
    }
  },
);
