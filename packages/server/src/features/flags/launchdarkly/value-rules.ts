import { type CompiledRuleset, type Evaluation, type EvaluationContext, evaluateAll } from '@fanion/flag-engine';

/** Why a value is served, in LaunchDarkly's terms. */
interface Reason {
  readonly kind: string;
  readonly ruleIndex?: number;
  readonly ruleId?: string;
  readonly inExperiment?: true;
  readonly errorKind?: string;
}

/** Every value for a context, in the form that LaunchDarkly's client-side SDKs read, as JSON text. */
export function launchDarklyValues(ruleset: CompiledRuleset, context: EvaluationContext, withReasons: string): string {
  const values = [...evaluateAll(ruleset, context)].map(([key, evaluation]) => {
    const flag = ruleset.flags.get(key)?.source;
    const index = flag?.variants.findIndex((variant) => variant.key === evaluation.variant) ?? -1;
    // Of tracked evaluations, SDKs report each unit with its reason.
    const isTracked = evaluation.tracked === true;
    const ruleIndex = flag?.rules.findIndex(({ id }) => id === evaluation.rule_id);
    const value = {
      ...{ value: evaluation.value, variation: index < 0 ? null : index },
      ...{ version: evaluation.flag_version, flagVersion: evaluation.flag_version },
      ...(isTracked && { trackEvents: true, trackReason: true }),
      ...((isTracked || withReasons === 'true') && { reason: reasonOf(evaluation, ruleIndex) }),
    };
    return [key, value] as const;
  });
  return JSON.stringify(Object.fromEntries(values));
}

function reasonOf({ reason, rule_id, tracked, error }: Evaluation, ruleIndex = -1): Reason {
  if (error !== undefined)
    return { kind: 'ERROR', errorKind: error.code === 'TARGETING_KEY_MISSING' ? 'USER_NOT_SPECIFIED' : 'EXCEPTION' };
  const inExperiment = tracked === true ? ({ inExperiment: true } as const) : {};
  if (reason === 'OFF' || reason === 'PREREQUISITE_FAILED' || reason === 'TARGET_MATCH') return { kind: reason };
  if (rule_id === undefined) return { kind: 'FALLTHROUGH', ...inExperiment };
  return { kind: 'RULE_MATCH', ruleIndex, ruleId: rule_id, ...inExperiment };
}
