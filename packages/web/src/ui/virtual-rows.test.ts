import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visibleRows } from './virtual-rows.ts';

it('covers the viewport, and its heights always add up', () => {
  fc.assert(
    fc.property(fc.nat(20_000), fc.nat(800_000), fc.integer({ min: 0, max: 2000 }), (count, scrollTop, height) => {
      const rows = visibleRows(count, 32, scrollTop, height);
      expect(rows.before + (rows.end - rows.start) * 32 + rows.after).toBe(count * 32);
      const firstSeen = Math.floor(scrollTop / 32);
      if (firstSeen < count) {
        expect(rows.start).toBeLessThanOrEqual(firstSeen);
        expect(rows.end).toBeGreaterThanOrEqual(Math.min(count, Math.ceil((scrollTop + height) / 32)));
      }
      expect(rows.end - rows.start).toBeLessThanOrEqual(Math.ceil(height / 32) + 18);
    }),
  );
});
