import { compileBucketing } from './bucketing.ts';
import { allOf } from './clause.ts';
import type { CompiledClause, CompiledShare, Test } from './compiled.ts';
import { at, Malformed } from './failure.ts';
import { type Share, TOTAL_WEIGHT } from './ruleset.ts';

/** @throws Malformed */
export function compileShares(shares: readonly Share[] = []): CompiledShare[] {
  return shares.map((share, i) => at(`shares.${i}`, () => compileShare(share)));
}

function compileShare(share: Share): CompiledShare {
  if (typeof share.seed !== 'string') throw new Malformed('a share needs a seed');
  const bucketing = compileBucketing(share);
  const whenMissing = share.missing === 'in';
  const ranges = share.ranges.map(([from, to]) => {
    const inLine = Number.isInteger(from) && Number.isInteger(to) && from >= 0 && to <= TOTAL_WEIGHT && from <= to;
    if (!inLine) throw new Malformed(`a range is not between 0 and ${TOTAL_WEIGHT}`);
    // A range up to the end of the line also admits a place of exactly 1.
    return { from: bucketing.end(from), to: to === TOTAL_WEIGHT ? Number.POSITIVE_INFINITY : bucketing.end(to) };
  });
  const test: Test = (scope) => {
    const unit = bucketing.unit(scope);
    if (unit === undefined) return whenMissing;
    const place = bucketing.place(unit);
    return ranges.some(({ from, to }) => place >= from && place < to);
  };
  return { source: share, bucketing, test };
}

/** The test of a rule: all clauses match, and all shares admit the unit. */
export function ruleTest(clauses: readonly CompiledClause[], shares: readonly CompiledShare[]): Test {
  const matches = allOf(clauses);
  const [only] = shares;
  if (only === undefined) return matches;
  if (shares.length === 1) return (scope) => matches(scope) && only.test(scope);
  return (scope) => matches(scope) && shares.every((share) => share.test(scope));
}
