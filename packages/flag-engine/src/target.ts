import { attributeReader } from './attribute.ts';
import type { AttributeReader, Scope, TargetMatch, TargetTest } from './compiled.ts';
import { at, Malformed } from './failure.ts';
import { kindNamed } from './kind.ts';
import type { Outcome } from './outcome.ts';
import { TARGETING_KEY, type Target } from './ruleset.ts';

/**
 * One look-up per attribute of the targets, however many values they list. If several targets contain a value, the
 * first decides.
 *
 * @throws Malformed
 */
export function compileTargets(
  targets: readonly Target[],
  outcomeOf: (variant: string) => Outcome,
): TargetTest | undefined {
  const byAttribute = new Map<string, { first: Target; matches: Map<string, TargetMatch> }>();
  for (const [index, target] of targets.entries()) {
    const name = JSON.stringify([target.attribute ?? TARGETING_KEY, target.context_kind]);
    const { matches } = byAttribute.get(name) ?? { matches: new Map<string, TargetMatch>() };
    if (!byAttribute.has(name)) byAttribute.set(name, { first: target, matches });
    const match = { index, outcome: at(`targets.${index}`, () => outcomeOf(target.variant)) };
    for (const value of target.values) if (!matches.has(value)) matches.set(value, match);
  }
  const lookups = [...byAttribute.values()].map(({ first, matches }) => lookup(first, matches));
  const [only] = lookups;
  if (only === undefined || lookups.length === 1) return only;
  return (scope) => {
    let first: TargetMatch | undefined;
    for (const find of lookups) {
      const match = find(scope);
      if (match !== undefined && (first === undefined || match.index < first.index)) first = match;
    }
    return first;
  };
}

function lookup(target: Target, matches: ReadonlyMap<string, TargetMatch>): TargetTest {
  const { attribute = TARGETING_KEY, context_kind } = target;
  if (attribute === TARGETING_KEY && context_kind === undefined) {
    return (scope) => (scope.unit === undefined ? undefined : matches.get(scope.unit));
  }
  if (attribute === '') throw new Malformed('the attribute of a target is empty');
  return lookupAttribute(attributeReader(attribute, kindNamed(target)), matches);
}

function lookupAttribute(read: AttributeReader, matches: ReadonlyMap<string, TargetMatch>): TargetTest {
  return (scope: Scope) => {
    const actual = read(scope);
    if (typeof actual === 'string') return matches.get(actual);
    if (!Array.isArray(actual)) return undefined;
    let first: TargetMatch | undefined;
    for (const element of actual) {
      const match = typeof element === 'string' ? matches.get(element) : undefined;
      if (match !== undefined && (first === undefined || match.index < first.index)) first = match;
    }
    return first;
  };
}
