import type { CompiledFlag, CompiledRuleset } from './compiled.ts';
import { eachOutcome } from './each.ts';
import type { EvaluationContext } from './evaluation.ts';
import type { Outcome } from './outcome.ts';

/**
 * The elements of the `flags` of an OFREP bulk answer, one per flag and in the order of the keys, as UTF-8: the text of
 * `ofrepFlags` without its brackets and commas. The bytes are those of the outcomes and shared by many answers: read them, never
 * write to them.
 *
 * Putting 200 of them side by side takes 5 µs. Remembering what stood side by side before (decision 0050) took as long where
 * it was found, and ten times as long where percentages made every context another combination.
 */
export function ofrepFragments(compiled: CompiledRuleset, context: EvaluationContext): Uint8Array[] {
  const fragments: Uint8Array[] = [];
  eachOutcome(compiled, context, (_, outcome) => fragments.push(outcome.ofrepBytes));
  return fragments;
}

/**
 * Answers of all flags in another form, in the order of the keys. A flag has few outcomes, so what `render` makes of one is
 * made once and kept with it: it may depend on nothing but the outcome and its flag. Outcomes have no buckets.
 */
export function renderedOutcomes<Form extends NonNullable<unknown>>(
  render: (outcome: Outcome, flag: CompiledFlag) => Form,
): (compiled: CompiledRuleset, context: EvaluationContext) => Form[] {
  const known = new WeakMap<Outcome, Form>();
  return (compiled, context) => {
    const forms: Form[] = [];
    eachOutcome(compiled, context, (flag, outcome) => {
      let form = known.get(outcome);
      if (form === undefined) {
        form = render(outcome, flag);
        known.set(outcome, form);
      }
      forms.push(form);
    });
    return forms;
  };
}
