import { type DependencyGraph, longestChain, segmentCycle, segmentsNamed } from '../cycles.ts';
import { checkClauses } from './clauses.ts';
import type { Keys, SegmentDraft } from './draft.ts';
import { type Issue, Issues } from './issue.ts';
import { MAX_DEPENDENCY_DEPTH, MAX_RULES, MAX_SEGMENT_KEYS } from './limits.ts';
import { checkShares } from './shares.ts';

/**
 * The issues of a segment, including cycles and chains that are too long.
 *
 * @param known segments of the project, and the segments that each of them names
 */
export function validateSegment(
  key: string,
  segment: SegmentDraft,
  known: { readonly segments: Keys; readonly graph: DependencyGraph },
): Issue[] {
  const issues = new Issues();
  checkKeys(issues, 'included', segment.included);
  checkKeys(issues, 'excluded', segment.excluded);
  if (issues.tooMany(['rules'], segment.rules.length, MAX_RULES)) return issues.list;
  // A new segment may name itself here; the resulting cycle is reported below.
  const segments: Keys = { has: (name) => name === key || known.segments.has(name) };
  for (const [i, { clauses, shares }] of segment.rules.entries()) {
    if (clauses.length === 0 && (shares ?? []).length === 0) {
      issues.add(['rules', i, 'clauses'], 'must have at least one clause or share, or it matches every context');
    }
    checkShares(issues, ['rules', i, 'shares'], shares);
    checkClauses(issues, ['rules', i, 'clauses'], clauses, segments);
  }
  const names = segmentsNamed(segment.rules);
  const cycle = segmentCycle(known.graph, key, names);
  if (cycle !== undefined) issues.add(['rules'], `would make a cycle: ${cycle.join(' → ')}`);
  else if (longestChain(known.graph, key, names) > MAX_DEPENDENCY_DEPTH) {
    issues.add(['rules'], `would make a chain of more than ${MAX_DEPENDENCY_DEPTH} segments`);
  }
  return issues.list;
}

function checkKeys(issues: Issues, list: 'included' | 'excluded', keys: readonly string[]): void {
  if (issues.tooMany([list], keys.length, MAX_SEGMENT_KEYS)) return;
  for (const [i, key] of keys.entries()) issues.text([list, i], key);
}
