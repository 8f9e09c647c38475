import { describe, expect, it } from 'vitest';
import { hashedState, hashedValue, isState } from './hashed-store.ts';

describe('what is hashed of a column', () => {
  it.each([
    ['UInt64', '`c`'],
    ['SimpleAggregateFunction(sum, UInt64)', '`c`'],
    ['Nullable(Float64)', "isNull(`c`), ifNull(toString(`c`), '')"],
  ])('of type %s is its value', (type, hashed) => {
    expect(isState(type)).toBe(false);
    expect(hashedValue('`c`', type)).toBe(hashed);
  });

  it.each([
    ['AggregateFunction(uniqCombined(12), String)', /^finalizeAggregation\(`c`\)$/],
    ['AggregateFunction(quantilesDD(0.01, 0.5), UInt64)', /^finalizeAggregation\(`c`\)$/],
    ['AggregateFunction(approx_top_sum(50, 150), String, UInt64)', /< 50, finalizeAggregation\(`c`\)\)\)$/],
  ])('of type %s is a result that reading does not change', (type, hashed) => {
    expect(isState(type)).toBe(true);
    expect(hashedState('`c`', type)).toMatch(hashed);
  });

  it.each(['AggregateFunction(groupArray, UInt64)', 'AggregateFunction(approx_top_sum, String)', 'AggregateFunction('])(
    'of type %s is not known',
    (type) => {
      expect(hashedState('`c`', type)).toBeUndefined();
    },
  );
});
