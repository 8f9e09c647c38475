import type { CompiledSegment, Scope } from './compiled.ts';
import { EvaluationFailure } from './failure.ts';

/** Why a context is in a segment or not; `rule` is an index. */
export type Membership =
  | { readonly matched: true; readonly because: 'included' }
  | { readonly matched: false; readonly because: 'excluded' | 'no_match' }
  | { readonly matched: true; readonly because: 'rule'; readonly rule: number };

/**
 * Whether the context is in the segment of that key.
 *
 * @throws EvaluationFailure with `PARSE_ERROR` for an unknown or malformed segment and for a cycle
 */
export function inSegment(key: string, scope: Scope): boolean {
  const segment = scope.ruleset.segments.get(key);
  if (segment === undefined) throw new EvaluationFailure('PARSE_ERROR', `there is no segment "${key}"`);
  if (!segment.nested) return membership(segment, scope).matched;
  scope.memberships ??= new Map();
  const known = scope.memberships.get(segment);
  if (known !== undefined) return known;
  if (scope.memberships.has(segment)) {
    throw new EvaluationFailure('PARSE_ERROR', `the segment "${key}" refers to itself`);
  }
  scope.memberships.set(segment, undefined);
  const { matched } = membership(segment, scope);
  scope.memberships.set(segment, matched);
  return matched;
}

/** @throws EvaluationFailure as `inSegment` does */
export function membership(segment: CompiledSegment, scope: Scope): Membership {
  if (segment.malformed !== undefined) {
    throw new EvaluationFailure('PARSE_ERROR', `the segment "${segment.key}" is malformed: ${segment.malformed}`);
  }
  if (scope.unit !== undefined) {
    if (segment.included.has(scope.unit)) return INCLUDED;
    if (segment.excluded.has(scope.unit)) return EXCLUDED;
  }
  const rule = segment.rules.findIndex((test) => test(scope));
  return rule === -1 ? NO_MATCH : { matched: true, because: 'rule', rule };
}

const INCLUDED: Membership = { matched: true, because: 'included' };
const EXCLUDED: Membership = { matched: false, because: 'excluded' };
const NO_MATCH: Membership = { matched: false, because: 'no_match' };
