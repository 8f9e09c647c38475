import type { CompiledRuleset, Scope } from './compiled.ts';
import { decide } from './decide.ts';
import { eachOutcome, failedBy } from './each.ts';
import type { Evaluation, EvaluationContext } from './evaluation.ts';
import { failed } from './flag.ts';
import type { Outcome } from './outcome.ts';
import { newScope } from './scope.ts';

/**
 * Evaluates one flag. Never throws: for any context it returns an evaluation, with `error` set if there is no value to
 * serve. An unknown or archived key is `FLAG_NOT_FOUND`.
 */
export function evaluate(compiled: CompiledRuleset, key: string, context: EvaluationContext): Evaluation {
  const flag = compiled.flags.get(key);
  if (flag === undefined) return notFound(compiled, key).evaluation;
  try {
    const scope = newScope(compiled, context);
    return evaluationOf(decide(flag, scope), scope);
  } catch (error) {
    return failedBy(flag, error).evaluation;
  }
}

/** Evaluates every flag for one context; in the order of the keys. */
export function evaluateAll(compiled: CompiledRuleset, context: EvaluationContext): Map<string, Evaluation> {
  const evaluations = new Map<string, Evaluation>();
  eachOutcome(compiled, context, (flag, outcome, scope) => {
    evaluations.set(flag.key, scope === undefined ? outcome.evaluation : evaluationOf(outcome, scope));
  });
  return evaluations;
}

/** As `evaluate`, for a caller that answers over HTTP: the outcome contains the prepared JSON text of the answer. */
export function resolve(compiled: CompiledRuleset, key: string, context: EvaluationContext): Outcome {
  const flag = compiled.flags.get(key);
  if (flag === undefined) return notFound(compiled, key);
  try {
    return decide(flag, newScope(compiled, context));
  } catch (error) {
    return failedBy(flag, error);
  }
}

/** The `flags` of an OFREP bulk answer: a JSON array, as text. It includes failed flags. */
export function ofrepFlags(compiled: CompiledRuleset, context: EvaluationContext): string {
  const fragments: string[] = [];
  eachOutcome(compiled, context, (_, outcome) => fragments.push(outcome.ofrep()));
  return `[${fragments.join(',')}]`;
}

/** The `flags` of an SDK bulk answer: a JSON object of evaluations by flag key, as text. */
export function sdkFlags(compiled: CompiledRuleset, context: EvaluationContext): string {
  const members: string[] = [];
  eachOutcome(compiled, context, (_, outcome) => members.push(outcome.sdkMember));
  return `{${members.join(',')}}`;
}

function evaluationOf(outcome: Outcome, scope: Scope): Evaluation {
  return outcome.bucketed ? outcome.withBucket(scope.bucket) : outcome.evaluation;
}

function notFound(compiled: CompiledRuleset, key: string): Outcome {
  return failed({ key, version: 0, flagSetId: compiled.flagSetId }, 'FLAG_NOT_FOUND', `there is no flag "${key}"`);
}
