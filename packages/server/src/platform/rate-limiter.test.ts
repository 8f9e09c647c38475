import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

function limiter() {
  let now = 1_000_000;
  const rate = { itemsPerSecond: 100, bytesPerSecond: 1000 };
  const made = new RateLimiter(rate, { now: () => now });
  return {
    limiter: made,
    pass(ms: number) {
      now += ms;
    },
  };
}

describe('the rate of a project', () => {
  it('allows a burst of ten seconds, and then the refill rate', () => {
    const { limiter: rate, pass } = limiter();
    expect(rate.secondsToWait(1)).toBe(0);
    rate.take(1, 999, 0);
    expect(rate.secondsToWait(1)).toBe(0);
    rate.take(1, 251, 0);
    expect(rate.secondsToWait(1)).toBe(3);
    pass(2000);
    expect(rate.secondsToWait(1)).toBe(1);
    pass(501);
    expect(rate.secondsToWait(1)).toBe(0);
  });

  it('counts bytes too', () => {
    const { limiter: rate } = limiter();
    rate.take(1, 1, 12_000);
    expect(rate.secondsToWait(1)).toBe(2);
  });

  it('applies to each project separately', () => {
    const { limiter: rate } = limiter();
    rate.take(1, 1e9, 1e9);
    expect([rate.secondsToWait(1) > 0, rate.secondsToWait(2)]).toEqual([true, 0]);
  });

  it('accepts at most its limit plus one request, over any time and with any requests', () => {
    const requests = fc.array(fc.record({ items: fc.nat(400), after: fc.nat(3000) }), { maxLength: 100 });
    fc.assert(
      fc.property(requests, (list) => {
        const { limiter: rate, pass } = limiter();
        let accepted = 0;
        let largest = 0;
        let elapsed = 0;
        for (const { items, after } of list) {
          pass(after);
          elapsed += after;
          if (rate.secondsToWait(1) > 0) continue;
          rate.take(1, items, 0);
          accepted += items;
          largest = Math.max(largest, items);
        }
        expect(accepted).toBeLessThanOrEqual(1000 + (elapsed / 1000) * 100 + largest);
      }),
    );
  });

  it('is remembered for a bounded number of projects', () => {
    const { limiter: rate } = limiter();
    for (let project = 0; project < 25_000; project++) rate.take(project, 1e6, 0);
    expect([rate.secondsToWait(0), rate.secondsToWait(24_999) > 0]).toEqual([0, true]);
  });
});
