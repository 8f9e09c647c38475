import { TARGETING_KEY } from '../ruleset.ts';
import { checkAttribute, checkClauses, checkKind } from './clauses.ts';
import type { FlagDraft, Keys, RuleDraft, TargetDraft, TargetingDraft } from './draft.ts';
import { type Issue, Issues } from './issue.ts';
import { MAX_RULES, MAX_TARGET_VALUES, MAX_TARGETS } from './limits.ts';
import { checkServe, checkVariant } from './serve.ts';
import { checkShares } from './shares.ts';

/**
 * The issues of one environment's configuration of a flag; empty if it is valid. Valid input always compiles: the rules
 * here are the compiler's, plus limits.
 *
 * @param known segments of the project
 */
export function validateTargeting(
  flag: Pick<FlagDraft, 'variants'>,
  targeting: TargetingDraft,
  known: { readonly segments: Keys },
): Issue[] {
  const issues = new Issues();
  const variants = new Set(flag.variants.map(({ key }) => key));
  checkVariant(issues, ['off_variant'], targeting.off_variant, variants);
  checkServe(issues, ['fallthrough'], targeting.fallthrough, variants);
  checkTargets(issues, targeting.targets, variants);
  checkRules(issues, targeting.rules, variants, known.segments);
  return issues.list;
}

function checkTargets(issues: Issues, targets: readonly TargetDraft[], variants: Keys): void {
  if (issues.tooMany(['targets'], targets.length, MAX_TARGETS)) return;
  const size = targets.reduce((sum, { values }) => sum + values.length, 0);
  if (issues.tooMany(['targets'], size, MAX_TARGET_VALUES)) return;
  const owners = new Map<string, Map<string, number>>();
  for (const [i, target] of targets.entries()) {
    const { variant, values, attribute = TARGETING_KEY } = target;
    checkVariant(issues, ['targets', i, 'variant'], variant, variants);
    if (target.attribute !== undefined) checkAttribute(issues, ['targets', i, 'attribute'], target.attribute);
    checkKind(issues, ['targets', i], target);
    const place = JSON.stringify([attribute, target.context_kind]);
    const owner = owners.get(place) ?? new Map<string, number>();
    owners.set(place, owner);
    for (const [j, value] of values.entries()) {
      issues.text(['targets', i, 'values', j], value);
      const first = owner.get(value);
      if (first === undefined) owner.set(value, i);
      else if (first !== i)
        issues.add(['targets', i, 'values', j], `"${value}" is a value of targets.${first} already`);
    }
  }
}

function checkRules(issues: Issues, rules: readonly RuleDraft[], variants: Keys, segments: Keys): void {
  if (issues.tooMany(['rules'], rules.length, MAX_RULES)) return;
  const ids = new Set<string>();
  for (const [i, rule] of rules.entries()) {
    if (rule.id !== undefined) {
      issues.text(['rules', i, 'id'], rule.id);
      if (ids.has(rule.id)) issues.add(['rules', i, 'id'], `the id "${rule.id}" appears twice`);
      ids.add(rule.id);
    }
    checkClauses(issues, ['rules', i, 'clauses'], rule.clauses, segments);
    checkShares(issues, ['rules', i, 'shares'], rule.shares);
    checkServe(issues, ['rules', i], rule, variants);
  }
}
