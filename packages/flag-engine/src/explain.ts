import { isMissing } from './clause.ts';
import type {
  CompiledBucketing,
  CompiledClause,
  CompiledFlag,
  CompiledPrerequisite,
  CompiledRule,
  CompiledRuleset,
  CompiledServe,
  CompiledShare,
  FlagPlan,
  Scope,
} from './compiled.ts';
import { decide } from './decide.ts';
import { evaluate } from './evaluate.ts';
import type { Evaluation, EvaluationContext } from './evaluation.ts';
import type {
  ClauseExplanation,
  Explanation,
  PrerequisiteExplanation,
  RolloutExplanation,
  RuleExplanation,
  SegmentExplanation,
  ShareExplanation,
  StepResult,
} from './explanation.ts';
import { membership } from './membership.ts';
import { TARGETING_KEY } from './ruleset.ts';
import { newScope } from './scope.ts';
import { indexAt, rolloutUnit } from './serve.ts';

/**
 * Explains a flag's answer for one context: which prerequisites, targets, rules and clauses matched and why, and the
 * position of the unit among the weights. For people (the tester, `evaluate?explain=true`). The answer itself comes
 * from `evaluate`; the steps are run again, one by one, with the same tests. Never throws, like `evaluate`.
 */
export function explain(compiled: CompiledRuleset, key: string, context: EvaluationContext): Explanation {
  const evaluation = evaluate(compiled, key, context);
  const flag = compiled.flags.get(key);
  const plan = flag?.plan;
  if (flag === undefined || plan === undefined || plan.malformed !== undefined) return unexplained(evaluation);
  try {
    return explainPlan(flag, plan, newScope(compiled, context), evaluation);
  } catch {
    // Reached only for a context that throws when it is read; the evaluation then contains that error.
    return unexplained(evaluation);
  }
}

function unexplained(evaluation: Evaluation): Explanation {
  const decided_by = evaluation.error === undefined ? 'off' : 'error';
  return { evaluation, decided_by, prerequisites: [], targets: [], rules: [], fallthrough: { result: 'not_reached' } };
}

function explainPlan(flag: CompiledFlag, plan: FlagPlan, scope: Scope, evaluation: Evaluation): Explanation {
  let open = plan.enabled;
  const prerequisites = plan.prerequisites.map((prerequisite) => {
    const explained = explainPrerequisite(prerequisite, scope, open);
    open &&= explained.result === 'matched';
    return explained;
  });
  const stopped = !open;
  const match = open ? plan.target?.(scope) : undefined;
  const targets = flag.source.targets.map(({ variant, attribute = TARGETING_KEY, values }, index) => {
    const result = step(open, match?.index === index);
    open &&= result !== 'matched';
    return { variant, attribute, size: values.length, result };
  });
  const rules = plan.rules.map((rule) => {
    const explained = explainRule(rule, scope, open);
    open &&= explained.result !== 'matched';
    return explained;
  });
  const fallthrough = { result: step(open, open), ...(open && explainRollout(plan.fallthrough, scope)) };
  const decided = { prerequisite: stopped, target: match !== undefined, rule: rules.some(isMatched) };
  return { evaluation, decided_by: decidedBy(evaluation, decided), prerequisites, targets, rules, fallthrough };
}

function decidedBy(
  evaluation: Evaluation,
  decided: { prerequisite: boolean; target: boolean; rule: boolean },
): Explanation['decided_by'] {
  if (evaluation.error !== undefined) return 'error';
  if (evaluation.reason === 'OFF') return 'off';
  if (decided.prerequisite) return 'prerequisite';
  if (decided.target) return 'target';
  return decided.rule ? 'rule' : 'fallthrough';
}

function isMatched({ result }: { readonly result: StepResult }): boolean {
  return result === 'matched';
}

function step(reached: boolean, matched: boolean): StepResult {
  if (!reached) return 'not_reached';
  return matched ? 'matched' : 'not_matched';
}

function explainPrerequisite(
  { source, variants }: CompiledPrerequisite,
  scope: Scope,
  reached: boolean,
): PrerequisiteExplanation {
  const head = { flag: source.flag, variants: source.variants };
  if (!reached) return { ...head, result: 'not_reached', why: 'not asked for' };
  const required = scope.ruleset.required.get(source.flag);
  if (required === undefined) {
    return { ...head, result: 'not_matched', served: null, why: 'the flag does not exist or is archived' };
  }
  const outcome = attempt(() => decide(required, scope).evaluation);
  if ('failure' in outcome) {
    return { ...head, result: 'not_matched', served: { variant: null, reason: 'ERROR' }, why: outcome.failure };
  }
  const { variant, reason, error } = outcome.value;
  const served = { variant, reason };
  if (error !== undefined) return { ...head, result: 'not_matched', served, why: error.message };
  if (reason === 'OFF') return { ...head, result: 'not_matched', served, why: 'the flag is off' };
  if (variant === null) return { ...head, result: 'not_matched', served, why: 'the flag serves no variant' };
  return { ...head, result: step(true, variants.has(variant)), served, why: `the flag serves "${variant}"` };
}

function explainRule(rule: CompiledRule, scope: Scope, reached: boolean): RuleExplanation {
  const { id, description } = rule.source;
  const head = { id, ...(description !== undefined && { description }) };
  if (!reached) return { ...head, result: 'not_reached', clauses: [] };
  const clauses = rule.clauses.map((clause) => explainClause(clause, scope));
  const shares = rule.shares.map((share) => explainShare(share, scope));
  const open = clauses.every((clause) => clause.matched) && shares.every((share) => share.matched);
  const rollout = open ? explainRollout(rule.serve, scope) : undefined;
  const matched = open && !isSkipped(rule.serve, rollout);
  return { ...head, result: step(true, matched), clauses, ...(shares.length > 0 && { shares }), ...rollout };
}

/** The rule's clauses match, and its rollout skips the context because it has no unit. */
function isSkipped(serve: CompiledServe, explained: { rollout: RolloutExplanation } | undefined): boolean {
  return serve.rollout?.source.missing === 'skip' && explained?.rollout.unit === null;
}

function explainClause(clause: CompiledClause, scope: Scope): ClauseExplanation {
  const { attribute, op, negate = false, values } = clause.source;
  const test = attempt(() => clause.test(scope));
  const matched = 'value' in test && test.value;
  const head = { ...(attribute !== undefined && { attribute }), op, negate, size: values.length };
  if (clause.read === undefined) {
    const segments = values.map((key) => explainSegment(String(key), scope));
    const within = segments.filter((segment) => segment.matched).map(({ key }) => `"${key}"`);
    const why = within.length > 0 ? `the context is in ${within.join(', ')}` : 'the context is in none of them';
    return { ...head, matched, why: 'failure' in test ? test.failure : why, segments };
  }
  const actual = clause.read(scope);
  if (isMissing(actual)) return { ...head, matched, why: missingReason(op, matched) };
  const why = 'failure' in test ? test.failure : comparedReason(op, negate, matched);
  return { ...head, actual: preview(actual), matched, why };
}

function missingReason(op: string, matched: boolean): string {
  if (op === 'exists') return 'the context does not have the attribute';
  return matched
    ? 'the context does not have the attribute, so it matches none of the values'
    : 'the context does not have the attribute, so no comparison matches';
}

function comparedReason(op: string, negate: boolean, matched: boolean): string {
  if (op === 'exists') return 'the context has the attribute';
  const compared = matched !== negate ? 'the comparison holds' : 'the comparison does not hold';
  return negate ? `${compared}, and the clause is negated` : compared;
}

function explainSegment(key: string, scope: Scope): SegmentExplanation {
  const segment = scope.ruleset.segments.get(key);
  if (segment === undefined) return { key, matched: false, because: 'error', message: `there is no segment "${key}"` };
  // Nested segments are already decided; evaluating them again must not look like a cycle.
  const found = attempt(() => membership(segment, { ...scope, memberships: undefined }));
  return 'value' in found ? { key, ...found.value } : { key, matched: false, because: 'error', message: found.failure };
}

function explainRollout(serve: CompiledServe, scope: Scope): { rollout: RolloutExplanation } | undefined {
  const { rollout } = serve;
  if (rollout === undefined) return undefined;
  const { bucketing, source } = rollout;
  const found = attempt(() => rolloutUnit(rollout, scope));
  const unit = ('value' in found ? found.value : undefined) ?? null;
  const place = unit === null ? null : bucketing.place(unit);
  // Without a unit the first bucket is served, unless the rollout skips the context or this is an error.
  const chosen =
    place !== null ? indexAt(rollout, place) : rollout.whenMissing !== undefined && 'value' in found ? 0 : -1;
  let end = 0;
  let index = 0;
  const shares = source.weights.map(({ variant, weight }) => {
    const from = bucketing.end(end) / bucketing.places;
    end += weight;
    const to = bucketing.end(end) / bucketing.places;
    return { variant, weight, from, to, chosen: weight > 0 && index++ === chosen };
  });
  const { tracked = false, hash = 'fanion' } = source;
  const bucket = place === null ? null : place / bucketing.places;
  return { rollout: { bucket_by: unitNames(bucketing), hash, unit, bucket, tracked, weights: shares } };
}

function unitNames({ sources }: CompiledBucketing): string {
  return sources.map(({ attribute }) => attribute).join(', ');
}

function explainShare({ source, bucketing, test }: CompiledShare, scope: Scope): ShareExplanation {
  const unit = bucketing.unit(scope) ?? null;
  const bucket = unit === null ? null : bucketing.place(unit) / bucketing.places;
  const { hash = 'fanion', ranges } = source;
  return { bucket_by: unitNames(bucketing), hash, unit, bucket, ranges, matched: test(scope) };
}

const PREVIEW_LENGTH = 200;

function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH)}…` : text;
}

/** Runs a step that may fail and returns the failure as a value, so that the explanation continues and reports it. */
function attempt<T>(run: () => T): { readonly value: T } | { readonly failure: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
