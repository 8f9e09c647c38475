import { compileRuleset, type EvaluationContext, evaluate, type Ruleset } from '@fanion/flag-engine';
import fc from 'fast-check';
import { expect } from 'vitest';
import { complete } from '../../../platform/steps.ts';
import { flagdConfiguration } from '../convert-rules.ts';
import { contexts, rulesets } from './rulesets.ts';
import { misfit } from './schema.ts';

interface Configuration {
  readonly $evaluators: object;
  readonly flags: { readonly main?: { readonly targeting?: object } };
}

export function configurationOf(given: Ruleset): Configuration {
  return JSON.parse(complete(flagdConfiguration(given)));
}

/** The variant that the targeting of a flag gives, or null. */
export type Targeted = (targeting: unknown, shared: object, context: object) => unknown;

/**
 * Compares an evaluator of flagd's form with the engine, for random rulesets and contexts. One that divides units in another way must give the
 * caller's default for flags with divisions.
 * @param isUsual whether the guide promises the same value
 * @param mayFail whether the guide allows an error, with which callers get their default
 * @returns how many evaluations were compared
 */
export function compareWithEngine(
  targeted: Targeted,
  isUsual: (context: EvaluationContext) => boolean,
  mayFail: (context: EvaluationContext) => boolean,
): number {
  let compared = 0;
  fc.assert(
    fc.property(rulesets, fc.array(contexts, { minLength: 5, maxLength: 20 }), (given, all) => {
      const configuration = configurationOf(given);
      expect(misfit(configuration)).toBeUndefined();
      const { flags, $evaluators } = configuration;
      const targeting = flags.main?.targeting;
      if (targeting === undefined) return;
      const isDivided = JSON.stringify(targeting).includes('"fractional":[');
      const isServed = !isDivided || targeted({ $ref: 'fanion-hash' }, $evaluators, {}) === true;
      const compiled = compileRuleset(given, { clock: Date.now });
      for (const context of all.filter(isUsual)) {
        const ours = evaluate(compiled, 'main', context);
        const own = { ...context, $flagd: { timestamp: Date.now() / 1_000 } };
        const evaluated = () => targeted(targeting, $evaluators, own);
        if (mayFail(context) && fails(evaluated)) continue;
        expect(evaluated()).toEqual(isServed ? (ours.variant ?? null) : null);
        compared++;
      }
    }),
    { numRuns: 5_000 },
  );
  return compared;
}

export function fails(evaluated: () => unknown): boolean {
  try {
    evaluated();
    return false;
  } catch {
    return true;
  }
}
