import { type Effects, effects } from '../../effect.ts';
import { type Estimate, estimate } from '../../estimate.ts';
import { fixedTest } from '../../fixed.ts';
import type { MeanSample, ProportionSample, Sample } from '../../sample.ts';

/** A number of ours beside the one that gbstats' test expects. */
export interface Fact {
  actual: number;
  expected: number;
  /** How far they may be apart: half a unit of the last decimal that the test compares. */
  within: number;
}

/** A test function of the suite, named as pytest names it, whose numbers are computed here by our functions. */
export interface Reproduced {
  of: string;
  facts: () => readonly Fact[];
  /** Where our answer has another form. */
  note?: string;
}

/** A test function without a number that could be ours. */
export interface Omitted {
  of: string;
  because: string;
}

export const FIVE_DECIMALS = 5e-6;
export const NINE_DECIMALS = 5e-10;

export function equal(actual: readonly number[], expected: readonly number[], within = FIVE_DECIMALS): Fact[] {
  if (actual.length !== expected.length) throw new Error(`${actual.length} numbers beside ${expected.length}`);
  return expected.map((value, i) => ({ actual: actual[i] ?? Number.NaN, expected: value, within }));
}

/** Statements that must be true, each one comparison. */
export function holds(...statements: readonly boolean[]): Fact[] {
  return equal(
    statements.map(Number),
    statements.map(() => 1),
    0,
  );
}

export const mean = (n: number, x: number, xx: number): MeanSample => ({ kind: 'mean', n, x, xx });
export const proportion = (n: number, x: number): ProportionSample => ({ kind: 'proportion', n, x });

/** A sample with this mean and variance. */
export const spread = (n: number, m: number, variance: number): MeanSample =>
  mean(n, n * m, n * m * m + (n - 1) * variance);

type Both = Effects & { relative: NonNullable<Effects['relative']> };

/** The effects of two arms that have them on both scales. */
export function both(control: Sample, treatment: Sample): Both {
  return onBothScales(effects(control, treatment));
}

export function onBothScales(result: Effects | undefined): Both {
  if (result?.relative === undefined) throw new Error('no effects');
  return { ...result, relative: result.relative };
}

/** An arm of which only values are known. */
export const valued = (value: number, plain = value): Estimate => ({
  ...estimate(spread(100, 1, 1)),
  value,
  plain,
});

/** Half the width of a normal interval of 95 %, in standard errors. */
export const Z = fixedTest({ difference: 0, standardError: 1, df: Number.POSITIVE_INFINITY, n: 2 }, 0.05).interval[1];
