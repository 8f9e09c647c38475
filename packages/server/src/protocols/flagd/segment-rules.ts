import type { Clause, Ruleset, Segment } from '@fanion/flag-engine';
import { NotExpressible } from '../../features/flags/evaluation/index.ts';
import { oncePerKey } from '../../platform/once-per-key.ts';
import { clauseOf } from './clause-rules.ts';
import { admits, isUnit } from './division-rules.ts';
import { all, any, type Logic, not } from './logic.ts';

/** Conditions contain the segments and prerequisites that they name, with all keys. The limit is for all of one flag. */
const mostInlined = 10_000;

export interface Inlined {
  readonly logic: Logic;
  /** Keys, clauses and values. */
  readonly size: number;
}

/** Converts each segment of one ruleset once. */
export type Segments = (key: string) => Inlined;

export function segmentsOf({ segments }: Ruleset): Segments {
  const unusable = (key: string) => new NotExpressible(`names the unusable segment "${key}"`);
  const inlined: Segments = oncePerKey((key) => {
    const segment = Object.hasOwn(segments, key) ? segments[key] : undefined;
    if (segment === undefined) throw unusable(key);
    return inlinedOf(segment, inlined);
  }, unusable);
  return inlined;
}

/** A clause of a flag or a segment. @throws NotExpressible */
export function conditionOf(clause: Clause, segments: Segments): Logic {
  const { op, values, negate } = clause;
  if (op !== 'in_segment') return clauseOf(clause);
  const isIn = any(values.map((key) => segments(String(key)).logic));
  return negate === true ? not(isIn) : isIn;
}

function inlinedOf({ key, included, excluded, rules }: Segment, segments: Segments): Inlined {
  const keys = included.length + excluded.length;
  if (keys > mostInlined)
    throw new NotExpressible(`names the segment "${key}", which has more than ${mostInlined} keys`);
  const clauses = rules.flatMap((rule) => rule.clauses);
  const size = keys + sizeOf(clauses, segments);
  requireSmall(size);
  const byRules = rules.map(({ clauses, shares = [] }) =>
    all([...clauses.map((clause) => conditionOf(clause, segments)), ...shares.map(admits)]),
  );
  const isIncluded = isUnit(included);
  if (byRules.length === 0) return { logic: isIncluded, size };
  const isMatched = all([not(isUnit(excluded)), any(byRules)]);
  return { logic: any([isIncluded, isMatched]), size };
}

/** What clauses add to a flag. */
export function sizeOf(clauses: readonly Clause[], segments: Segments): number {
  let size = clauses.length;
  for (const { op, values } of clauses)
    for (const value of values) size += op === 'in_segment' ? segments(String(value)).size : 1;
  return size;
}

/** @throws NotExpressible */
export function requireSmall(size: number): void {
  if (size > mostInlined)
    throw new NotExpressible(`names segments and prerequisites with more than ${mostInlined} keys, clauses and values`);
}
