import type { CompiledFlag, FlagPlan, Scope } from './compiled.ts';
import { EvaluationFailure } from './failure.ts';
import { failed } from './flag.ts';
import type { Outcome } from './outcome.ts';
import { serveOutcome } from './serve.ts';

/**
 * The outcome of a flag for the scope's context, in the fixed order: off, prerequisites, targets, rules, fallthrough.
 *
 * @throws EvaluationFailure if it cannot be decided
 */
export function decide(flag: CompiledFlag, scope: Scope): Outcome {
  const { plan } = flag;
  if (plan.malformed !== undefined) return plan.malformed;
  if (!plan.enabled) return plan.off;
  return plan.prerequisites.length === 0 ? decideOwn(plan, scope) : decideOnce(flag, plan, scope);
}

/** The flag's own outcome, if its prerequisites are met. */
function decideOwn(plan: FlagPlan, scope: Scope): Outcome {
  if (plan.target !== undefined) {
    const match = plan.target(scope);
    if (match !== undefined) return match.outcome;
  }
  for (const rule of plan.rules) {
    if (!rule.test(scope)) continue;
    const outcome = serveOutcome(rule.serve, scope);
    if (outcome !== undefined) return outcome;
  }
  return serveOutcome(plan.fallthrough, scope) ?? plan.skipped;
}

/** As `decideOwn`, after the prerequisites, and once per call into the engine. */
function decideOnce(flag: CompiledFlag, plan: FlagPlan, scope: Scope): Outcome {
  scope.decided ??= new Map();
  const known = scope.decided.get(flag);
  if (known !== undefined) {
    scope.bucket = known.bucket;
    return known.outcome;
  }
  if (scope.decided.has(flag)) {
    throw new EvaluationFailure('PARSE_ERROR', `the flag "${flag.key}" is its own prerequisite`);
  }
  scope.decided.set(flag, undefined);
  const outcome = prerequisitesOutcome(flag, plan, scope) ?? decideOwn(plan, scope);
  scope.decided.set(flag, { outcome, bucket: scope.bucket });
  return outcome;
}

/** The answer for an unmet prerequisite; undefined if all are met. */
function prerequisitesOutcome(flag: CompiledFlag, plan: FlagPlan, scope: Scope): Outcome | undefined {
  for (const { source, variants } of plan.prerequisites) {
    const required = scope.ruleset.required.get(source.flag);
    if (required === undefined) return plan.prerequisiteFailed;
    const { reason, variant, error } = decide(required, scope).evaluation;
    if (error !== undefined) return failed(flag, error.code, `prerequisite "${source.flag}": ${error.message}`);
    if (reason === 'OFF' || variant === null || !variants.has(variant)) return plan.prerequisiteFailed;
  }
  return undefined;
}
