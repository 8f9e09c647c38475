import {
  type CompiledRuleset,
  type Evaluation,
  type EvaluationContext,
  evaluate,
  evaluateAll,
  type JsonValue,
} from '@fanion/flag-engine';

/** Why a value is served, in LaunchDarkly's terms. */
interface Reason {
  readonly kind: string;
  readonly ruleIndex?: number;
  readonly ruleId?: string;
  readonly inExperiment?: true;
  readonly errorKind?: string;
}

/** The value of a flag, in the form that LaunchDarkly's client-side SDKs read. */
export interface LaunchDarklyValue {
  readonly value: JsonValue;
  readonly variation: number | null;
  readonly version: number;
  readonly flagVersion: number;
  readonly trackEvents?: true;
  readonly trackReason?: true;
  readonly reason?: Reason;
}

/** Every value for a context, by its key. */
export function launchDarklyValues(
  ruleset: CompiledRuleset,
  context: EvaluationContext,
  withReasons: string,
): (readonly [key: string, LaunchDarklyValue])[] {
  return [...evaluateAll(ruleset, context)].map(([key, evaluation]) => [key, formOf(ruleset, evaluation, withReasons)]);
}

/** One value of `launchDarklyValues`. */
export function launchDarklyValue(
  ruleset: CompiledRuleset,
  {
    key,
    context,
    withReasons,
  }: { readonly key: string; readonly context: EvaluationContext; readonly withReasons: string },
): LaunchDarklyValue {
  return formOf(ruleset, evaluate(ruleset, key, context), withReasons);
}

function formOf(ruleset: CompiledRuleset, evaluation: Evaluation, withReasons: string): LaunchDarklyValue {
  const flag = ruleset.flags.get(evaluation.key)?.source;
  const index = flag?.variants.findIndex((variant) => variant.key === evaluation.variant) ?? -1;
  // Of tracked evaluations, SDKs report each unit with its reason.
  const isTracked = evaluation.tracked === true;
  const ruleIndex = flag?.rules.findIndex(({ id }) => id === evaluation.rule_id);
  return {
    ...{ value: evaluation.value, variation: index < 0 ? null : index },
    ...{ version: evaluation.flag_version, flagVersion: evaluation.flag_version },
    ...(isTracked && ({ trackEvents: true, trackReason: true } as const)),
    ...((isTracked || withReasons === 'true') && { reason: reasonOf(evaluation, ruleIndex) }),
  };
}

function reasonOf({ reason, rule_id, tracked, error }: Evaluation, ruleIndex = -1): Reason {
  if (error !== undefined)
    return { kind: 'ERROR', errorKind: error.code === 'TARGETING_KEY_MISSING' ? 'USER_NOT_SPECIFIED' : 'EXCEPTION' };
  const inExperiment = tracked === true ? ({ inExperiment: true } as const) : {};
  if (reason === 'OFF' || reason === 'PREREQUISITE_FAILED' || reason === 'TARGET_MATCH') return { kind: reason };
  if (rule_id === undefined) return { kind: 'FALLTHROUGH', ...inExperiment };
  return { kind: 'RULE_MATCH', ruleIndex, ruleId: rule_id, ...inExperiment };
}
