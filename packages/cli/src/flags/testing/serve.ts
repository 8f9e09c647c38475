import { compileRuleset, type Evaluation, type EvaluationContext, evaluate, type Ruleset } from '@fanion/flag-engine';
import { type FlagSet, namedVariants } from '../document.ts';

/** The evaluation of a flag of the set in an environment, by the engine. */
export function evaluator(set: FlagSet, environment: string): (flag: string, context: EvaluationContext) => Evaluation {
  const flags = set.flags.flatMap((flag): [string, unknown][] => {
    const served = flag.environments[environment];
    if (served === undefined) return [];
    const { key, kind, variants, prerequisites } = flag;
    const rules = served.rules.map((rule, i) => ({ id: `rule-${i + 1}`, salt: `salt-${i}`, ...rule }));
    const { off_variant } = { ...namedVariants(flag), ...served };
    const head = { key, kind, version: 1, variants, prerequisites, salt: 'salt' };
    return [[key, { ...head, ...served, off_variant, rules }]];
  });
  const segments = set.segments.map((segment) => [segment.key, { version: 1, ...segment }]);
  const ruleset: Ruleset = JSON.parse(
    JSON.stringify({
      version: 1,
      environment,
      project: 'imported',
      flags: Object.fromEntries(flags),
      segments: Object.fromEntries(segments),
    }),
  );
  const compiled = compileRuleset(ruleset, { clock: Date.now });
  return (flag, context) => evaluate(compiled, flag, context);
}
