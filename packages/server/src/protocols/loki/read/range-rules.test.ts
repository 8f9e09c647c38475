import { describe, expect, it } from 'vitest';
import { runInSlices } from '../../../platform/breath.ts';
import { overRanges } from './range-rules.ts';

describe('rate_counter', () => {
  it.each([
    ['a counter that grows', [1, 4, 10], 9 / 60],
    ['a counter that starts again', [5, 9, 2, 3], 7 / 60],
    ['one value', [5], 0],
  ])('is the growth per second of %s', async (_name, values, expected) => {
    const unwrap = { label: 'n', conversion: 'number', filters: [] } as const;
    const aggregate = { op: 'rate_counter', rangeNs: 60_000_000_000n, offsetNs: 0n, unwrap } as const;
    const times = BigInt64Array.from(values, (_, at) => BigInt(at + 1) * 1_000_000_000n);
    const grid = { startNs: 60_000_000_000n, stepNs: 0n, count: 1 };
    expect(await runInSlices(overRanges(aggregate, { times, values: Float64Array.from(values) }, grid))).toEqual([
      expected,
    ]);
  });
});
