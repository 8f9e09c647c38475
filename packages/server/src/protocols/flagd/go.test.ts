import type { EvaluationContext } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { compareWithEngine } from './testing/compare-with-engine.ts';
import { targetedInGo } from './testing/go-evaluator.ts';

/**
 * What flagd's guide excepts: objects and lists in the place of single values, keys of units that are no texts or end with white space, and versions
 * that only Fanion reads.
 */
function isUsual(context: EvaluationContext): boolean {
  const { targetingKey = '', unit = '', b } = context;
  const text = JSON.stringify(context);
  const isTrimmed = [targetingKey, unit].some((key) => typeof key === 'string' && key.trim() !== key);
  const isOdd =
    typeof targetingKey !== 'string' || isTrimmed || Array.isArray(b) || /[[,:]\{(?!"c")/.test(text.slice(1));
  return (
    !isOdd &&
    !/"[vV]?\d+(\.\d+)?-/.test(text) &&
    !/\d[eE][+-]?\d/.test(text) &&
    !/[^"]{256}/.test(text) &&
    !/\d{16}/.test(text)
  );
}

/** Objects and lists of lists are no values of conditions: the evaluation fails, and callers get their default. */
const isNested = (context: EvaluationContext) =>
  /\{|\[\[|,\[/.test(
    Object.values(context)
      .map((value) => JSON.stringify(value))
      .join(' '),
  );

describe("flags for flagd's evaluator in Go", () => {
  it("have the engine's value for every usual context", () => {
    const compared = compareWithEngine(targetedInGo, isUsual, isNested);
    expect(compared).toBeGreaterThan(2_000);
  }, 120_000);
});
