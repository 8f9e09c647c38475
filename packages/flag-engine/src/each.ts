import type { CompiledFlag, CompiledRuleset, Scope } from './compiled.ts';
import { decide } from './decide.ts';
import type { EvaluationContext } from './evaluation.ts';
import { EvaluationFailure } from './failure.ts';
import { failed } from './flag.ts';
import type { Outcome } from './outcome.ts';
import { newScope } from './scope.ts';

/** `scope` is the one that the outcome was decided in, unless it failed. */
export type EachOutcome = (flag: CompiledFlag, outcome: Outcome, scope: Scope | undefined) => void;

/** Calls back with each flag's outcome, in the order of the keys. */
export function eachOutcome(compiled: CompiledRuleset, context: EvaluationContext, each: EachOutcome): void {
  let scope: Scope | undefined;
  for (const flag of compiled.flags.values()) {
    let outcome: Outcome;
    try {
      scope ??= newScope(compiled, context);
      outcome = decide(flag, scope);
    } catch (error) {
      outcome = failedBy(flag, error);
      // Entries still being decided at the failure would look like a cycle to the next flag.
      if (scope !== undefined) {
        scope.decided = undefined;
        scope.memberships = undefined;
      }
    }
    each(flag, outcome, scope);
  }
}

/** The outcome of a flag whose evaluation threw. */
export function failedBy(flag: CompiledFlag, error: unknown): Outcome {
  if (error instanceof EvaluationFailure) return failed(flag, error.code, `flag "${flag.key}": ${error.message}`);
  // Not an error of the engine: a getter or proxy of the context threw, or excessive nesting overflowed the stack.
  const reason = error instanceof Error ? error.message : String(error);
  return failed(flag, 'GENERAL', `flag "${flag.key}": the context could not be read: ${reason}`);
}
