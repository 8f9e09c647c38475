import type { CompiledRuleset, Scope } from './compiled.ts';
import type { EvaluationContext } from './evaluation.ts';
import { TARGETING_KEY } from './ruleset.ts';

/**
 * Most regex work that one call may cause, in program instructions × characters of input: RE2 is linear in both, at
 * up to 15 ns a step, so this bounds the time that regexes of any rules hold the thread at about 150 ms. Two hundred
 * flags with five ordinary patterns each over attributes of fifty characters take a tenth of it.
 */
export const MAX_REGEX_STEPS = 10_000_000;

const EMPTY: EvaluationContext = Object.freeze({});

export function newScope(ruleset: CompiledRuleset, context: EvaluationContext): Scope {
  const safe = typeof context === 'object' && context !== null ? context : EMPTY;
  const unit = Object.hasOwn(safe, TARGETING_KEY) ? safe[TARGETING_KEY] : undefined;
  return {
    ruleset,
    context: safe,
    // An empty key counts as missing: SDKs whose targeting key is a plain string send it for "none".
    unit: typeof unit === 'string' && unit !== '' ? unit : undefined,
    bucket: 0,
    now: undefined,
    regexSteps: MAX_REGEX_STEPS,
    decided: undefined,
    memberships: undefined,
  };
}
