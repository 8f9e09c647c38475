import { describe, expect, it } from 'vitest';
import { clustersOf, type Happening, kindText, LANES, targetOf, ticksOf } from './happenings.ts';

const start = Date.UTC(2026, 0, 10, 12);
const window = { from: start, to: start + 3_600_000 };
const happening = (minute: number, change: Partial<Happening> = {}): Happening => ({
  id: `${minute}`,
  kind: 'flag',
  time: new Date(start + minute * 60_000).toISOString(),
  end: null,
  text: `at ${minute}`,
  tags: [],
  project: 'default',
  environment: null,
  service: null,
  flag: null,
  alert: null,
  version: null,
  author: null,
  ...change,
});

describe('a happening opens', () => {
  const alert = { rule_id: 'r', instance_id: 'i', state: 'firing' };
  it.each([
    [
      { kind: 'alert', alert },
      { page: 'alert', id: 'i' },
    ],
    [
      { kind: 'deploy', service: 'cart', version: '2' },
      { page: 'service', service: 'cart' },
    ],
    [
      { kind: 'flag', flag: 'new' },
      { page: 'flag', key: 'new', env: undefined, tab: 'history' },
    ],
    [
      { kind: 'ramp', flag: 'new', environment: 'production' },
      { page: 'flag', key: 'new', env: 'production', tab: 'history' },
    ],
    [
      { kind: 'rollback', flag: 'new', environment: 'production' },
      { page: 'flag', key: 'new', env: 'production', tab: 'guarded' },
    ],
    [{ kind: 'manual' }, null],
  ] as const)('%j', (change, target) => expect(targetOf(happening(0, change))).toEqual(target));
});

it('has a word for each kind', () => {
  for (const { kind, one } of LANES) expect(kindText(kind)).toBe(one);
});

describe('the marks of a lane', () => {
  it('are placed in the window, and share a mark when they are close', () => {
    const all = [happening(31), happening(0), happening(30), happening(59)];
    const clusters = clustersOf(all, window, 0.02);
    expect(clusters.map(({ at, happenings }) => [at, happenings.map(({ id }) => id)])).toEqual([
      [0, ['0']],
      [0.5, ['30', '31']],
      [59 / 60, ['59']],
    ]);
  });
  it('outside the window are left out', () => {
    expect(clustersOf([happening(-1), happening(61)], window, 0.02)).toEqual([]);
  });
});

it.each([
  [3_600_000, 6],
  [86_400_000, 8],
  [7 * 86_400_000, 7],
])('names at most eight moments of a window of %d ms, evenly apart', (length, least) => {
  const ticks = ticksOf({ from: start, to: start + length }, 8);
  expect(ticks.length).toBeGreaterThanOrEqual(least - 1);
  expect(ticks.length).toBeLessThanOrEqual(9);
  const gaps = new Set(ticks.slice(1).map(({ time }, i) => time - (ticks[i]?.time ?? 0)));
  expect(gaps.size).toBe(1);
});
