import {
  type CompiledRuleset,
  type Evaluation,
  type EvaluationContext,
  evaluate,
  type Flag,
  type JsonValue,
  renderedOutcomes,
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

/** Every value for a context in another form, which `write` makes once for each value that a flag may have. */
export function launchDarklyValues<Form extends NonNullable<unknown>>(
  write: (key: string, value: LaunchDarklyValue) => Form,
): (ruleset: CompiledRuleset, context: EvaluationContext, withReasons: string) => Form[] {
  const writing = (withReasons: string) =>
    renderedOutcomes(({ evaluation }, { source }) => write(evaluation.key, formOf(source, evaluation, withReasons)));
  const [plain, explained] = [writing(''), writing('true')];
  return (ruleset, context, withReasons) => (withReasons === 'true' ? explained : plain)(ruleset, context);
}

/** One value for a context. */
export function launchDarklyValue(
  ruleset: CompiledRuleset,
  {
    key,
    context,
    withReasons,
  }: { readonly key: string; readonly context: EvaluationContext; readonly withReasons: string },
): LaunchDarklyValue {
  return formOf(ruleset.flags.get(key)?.source, evaluate(ruleset, key, context), withReasons);
}

function formOf(flag: Flag | undefined, evaluation: Evaluation, withReasons: string): LaunchDarklyValue {
  const { variant, rule_id } = evaluation;
  const index = variant === null ? undefined : flag?.variants.findIndex(({ key }) => key === variant);
  // Of tracked evaluations, SDKs report each unit with its reason.
  const isTracked = evaluation.tracked === true;
  const ruleIndex = rule_id === undefined ? undefined : flag?.rules.findIndex(({ id }) => id === rule_id);
  return {
    ...{ value: evaluation.value, variation: index ?? null },
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
