import { compileRuleset, type EvaluationContext, evaluate, type Ruleset } from '@fanion/flag-engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../../platform/steps.ts';
import { flagdConfiguration } from './convert-rules.ts';
import { fails } from './testing/fails.ts';
import { targetedInGo } from './testing/go-evaluator.ts';
import { contexts, rulesets } from './testing/rulesets.ts';

interface Configuration {
  readonly $evaluators: object;
  readonly flags: { readonly main?: { readonly targeting?: object } };
}

function configurationOf(given: Ruleset): Configuration {
  return JSON.parse(complete(flagdConfiguration(given)));
}

/** What flagd's guide excepts: objects and lists in the place of single values, keys of units that are no texts, and versions that only Fanion reads. */
function isUsual(context: EvaluationContext): boolean {
  const { targetingKey = '', b } = context;
  const text = JSON.stringify(context);
  const isOdd = typeof targetingKey !== 'string' || Array.isArray(b) || /[[,:]\{(?!"c")/.test(text.slice(1));
  return (
    !isOdd &&
    !/"[vV]?\d+(\.\d+)?-/.test(text) &&
    !/\d[eE][+-]?\d/.test(text) &&
    !/[^"]{256}/.test(text) &&
    !/\d{16}/.test(text)
  );
}

const isNested = (context: EvaluationContext) =>
  /\{|\[\[|,\[/.test(
    Object.values(context)
      .map((value) => JSON.stringify(value))
      .join(' '),
  );

describe("flags for flagd's evaluator in Go", () => {
  it("have the engine's value for every usual context", () => {
    let compared = 0;
    fc.assert(
      fc.property(rulesets, fc.array(contexts, { minLength: 5, maxLength: 20 }), (given, all) => {
        const { flags, $evaluators } = configurationOf(given);
        const targeting = flags.main?.targeting;
        // Divisions are tested on the wire.
        if (targeting === undefined || JSON.stringify(targeting).includes('"fractional"')) return;
        const compiled = compileRuleset(given, { clock: Date.now });
        for (const context of all.filter(isUsual)) {
          const ours = evaluate(compiled, 'main', context);
          const evaluated = () =>
            targetedInGo(targeting, $evaluators, { ...context, $flagd: { timestamp: Date.now() / 1_000 } });
          // Objects and lists of lists are no values of conditions: the evaluation fails, and callers get their default.
          if (isNested(context) && fails(evaluated)) continue;
          expect(evaluated()).toEqual(ours.variant ?? null);
          compared++;
        }
      }),
      { numRuns: 5_000 },
    );
    expect(compared).toBeGreaterThan(2_000);
  }, 120_000);
});
