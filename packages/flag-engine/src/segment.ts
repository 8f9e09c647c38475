import { compileClauses } from './clause.ts';
import type { CompiledSegment } from './compiled.ts';
import { at, reasonOf } from './failure.ts';
import { keySet } from './key-set.ts';
import type { Segment } from './ruleset.ts';
import { compileShares, ruleTest } from './share.ts';

/**
 * Never throws: stores the problem in `malformed`.
 *
 * @param key of the segment in the ruleset
 * @param before the previous state, whose long lists are reused
 */
export function compileSegment(key: string, segment: Segment, before?: CompiledSegment): CompiledSegment {
  const head = { key, version: segment?.version ?? 0 };
  try {
    return {
      ...head,
      included: keySet(segment.included ?? [], before?.included),
      excluded: keySet(segment.excluded ?? [], before?.excluded),
      rules: segment.rules.map((rule, i) =>
        at(`rules.${i}`, () => ruleTest(compileClauses(rule.clauses), compileShares(rule.shares))),
      ),
      ruleSources: segment.rules,
      nested: segment.rules.some((rule) => rule.clauses.some((clause) => clause.op === 'in_segment')),
      malformed: undefined,
    };
  } catch (error) {
    const nobody = { included: keySet([]), excluded: keySet([]), rules: [], ruleSources: [] };
    return { ...head, ...nobody, nested: false, malformed: reasonOf(error) };
  }
}
