/**
 * Numbers of the public test suites of GrowthBook's statistics, as facts: inputs and the results that its tests expect, without its code.
 * Source: https://github.com/growthbook/growthbook at commit 8f1db44, packages/stats/tests and packages/shared/test/power.test.ts (MIT).
 */
import { describe, expect, it } from 'vitest';
import { bayesian } from './testing/gbstats/bayesian.ts';
import { frequentist } from './testing/gbstats/frequentist.ts';
import { metrics } from './testing/gbstats/metrics.ts';
import { omitted } from './testing/gbstats/omitted.ts';
import { power } from './testing/gbstats/power.ts';
import { samples } from './testing/gbstats/samples.ts';
import { strata } from './testing/gbstats/strata.ts';
import { countsOf, tableOf } from './testing/gbstats/table.ts';

const reproduced = [...bayesian, ...frequentist, ...strata, ...metrics, ...samples, ...power];

describe('the numbers of gbstats', () => {
  it.each(reproduced.map((one) => [one.of, one] as const))('%s', (_name, { facts }) => {
    const all = facts();
    expect(all).not.toEqual([]);
    const wrong = all.filter(
      ({ actual, expected, within }) => actual !== expected && !(Math.abs(actual - expected) <= within),
    );
    expect(wrong).toEqual([]);
  });
  it('are those of 114 test functions, and of 14 about power', () => {
    expect(countsOf(reproduced, omitted)).toEqual({
      functions: 114,
      ofPower: 14,
      reproduced: 109,
      omitted: 19,
      comparisons: 659,
    });
  });
  it('stand in a table, each with its tolerance, or with the reason why it is left out', async () => {
    await expect(tableOf(reproduced, omitted)).toMatchFileSnapshot('../gbstats.md');
  });
});
