import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nested } from '../testing/nested.ts';
import { isDeeperThan } from './depth.ts';

const depthOf = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));

describe('isDeeperThan', () => {
  it('compares the deepest nesting of any JSON value with the limit', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(9), (value, limit) => {
        expect(isDeeperThan(value, limit)).toBe(depthOf(value) > limit);
      }),
    );
  });
  it('stops at the limit at any depth', () => {
    expect(isDeeperThan(nested(1_000_000), 64)).toBe(true);
  });
});
