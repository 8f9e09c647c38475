import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visitsIn } from '../run/traffic.ts';
import { providerSlowdown, trafficShare } from './conditions.ts';

const WEDNESDAY = Date.UTC(2025, 5, 11);
const HOUR = 3_600_000;

describe('traffic over the day', () => {
  it('is within (0, 1] and continuous', () => {
    fc.assert(
      fc.property(fc.integer({ min: WEDNESDAY, max: WEDNESDAY + 14 * 24 * HOUR }), (at) => {
        const share = trafficShare(at);
        expect(share).toBeGreaterThan(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(Math.abs(trafficShare(at + 60_000) - share)).toBeLessThan(0.01);
      }),
    );
  });

  it('peaks in the evening and is low at night', () => {
    expect(trafficShare(WEDNESDAY + 20 * HOUR)).toBe(1);
    expect(trafficShare(WEDNESDAY + 4 * HOUR)).toBeLessThan(0.2);
  });

  it('is a little calmer on Saturday than on Friday', () => {
    const [friday, saturday] = [WEDNESDAY + 2 * 24 * HOUR, WEDNESDAY + 3 * 24 * HOUR];
    expect(trafficShare(saturday + 12 * HOUR)).toBeLessThan(trafficShare(friday + 12 * HOUR));
  });

  it('determines the number of visits', () => {
    const count = (from: number) => {
      let visits = 0;
      for (let slot = from; slot < from + HOUR; slot += 1000) visits += visitsIn(slot, { seed: 3, peakRate: 5 }).length;
      return visits / 3600;
    };
    expect(count(WEDNESDAY + 19.5 * HOUR)).toBeGreaterThan(4.5);
    expect(count(WEDNESDAY + 19.5 * HOUR)).toBeLessThan(5.4);
    expect(count(WEDNESDAY + 3 * HOUR)).toBeLessThan(1);
  });
});

describe('visits of a second', () => {
  it('begin within it, in order, and depend on the seed', () => {
    const options = { seed: 1, peakRate: 50 };
    const visits = visitsIn(WEDNESDAY, options);
    const times = visits.map(({ visit }) => visit.at);
    expect(times.length).toBeGreaterThan(0);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const at of times) {
      expect(at).toBeGreaterThanOrEqual(WEDNESDAY);
      expect(at).toBeLessThan(WEDNESDAY + 1000);
    }
    const again = visitsIn(WEDNESDAY, options);
    expect(again.map(({ visit }) => visit)).toEqual(visits.map(({ visit }) => visit));
    expect(visitsIn(WEDNESDAY, { ...options, seed: 2 }).map(({ visit }) => visit.at)).not.toEqual(times);
  });
});

describe('the payment provider', () => {
  it('is slow each hour from minute 20 to 26, and only paywise is', () => {
    const slow = Array.from({ length: 60 }, (_, minute) => minute).filter(
      (minute) => providerSlowdown('paywise', WEDNESDAY + 9 * HOUR + minute * 60_000) > 1,
    );
    expect(slow).toEqual([20, 21, 22, 23, 24, 25]);
    expect(providerSlowdown('cardlane', WEDNESDAY + 14.2 * HOUR)).toBe(1);
    expect(providerSlowdown('paywise', WEDNESDAY + 14.2 * HOUR)).toBeGreaterThan(10);
  });
});
