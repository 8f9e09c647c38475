import {
  type CompiledRuleset,
  type Evaluation,
  evaluate,
  isCodeDefault,
  ofrepReason,
  versionText,
} from '@fanion/flag-engine';
import {
  ErrorCode,
  type EvaluationContext,
  type FlagMetadata,
  type JsonValue,
  type ResolutionDetails,
  StandardResolutionReasons,
} from '@openfeature/server-sdk';

/** OpenFeature's types and their JavaScript types. */
export interface FlagTypes {
  readonly boolean: boolean;
  readonly string: string;
  readonly number: number;
  /** Objects, arrays and null, by `typeof`, as in the OFREP providers. */
  readonly object: JsonValue;
}

export interface Resolved<T> {
  readonly details: ResolutionDetails<T>;
  /** The evaluation; undefined if it failed. */
  readonly served: Evaluation | undefined;
}

/**
 * Evaluates one flag and returns OpenFeature's result. Never throws: an error is an `errorCode` with the caller's
 * default. Reasons are those of OFREP, so they do not depend on the endpoint.
 */
export function resolveFlag<K extends keyof FlagTypes, T extends FlagTypes[K]>(
  compiled: CompiledRuleset | undefined,
  key: string,
  type: K,
  defaultValue: T,
  context: EvaluationContext,
): Resolved<T> {
  if (compiled === undefined) {
    const errorMessage = 'there is no ruleset yet';
    return refused(defaultValue, ErrorCode.PROVIDER_NOT_READY, errorMessage, {});
  }
  const evaluation = evaluate(compiled, key, context);
  const flagMetadata = metadataOf(evaluation, compiled.flagSetId, targetingKeyOf(context));
  const { value, variant, reason, error } = evaluation;
  if (error !== undefined) return refused(defaultValue, ErrorCode[error.code], error.message, flagMetadata);
  // The flag serves nothing on purpose. That is not an error: the caller's default applies.
  if (isCodeDefault(evaluation))
    return { details: { value: defaultValue, reason: ofrepReason(reason), flagMetadata }, served: evaluation };
  if (!isOfType<T>(value, type)) {
    const errorMessage = `flag "${key}": its value is of type ${typeof value}, not ${type}`;
    return refused(defaultValue, ErrorCode.TYPE_MISMATCH, errorMessage, flagMetadata);
  }
  const details = { value, variant: variant ?? undefined, reason: ofrepReason(reason), flagMetadata };
  return { details, served: evaluation };
}

/** `typeof` is the only check: only the caller knows whether an object has the form of `T`. */
function isOfType<T>(value: unknown, type: keyof FlagTypes): value is T {
  return typeof value === type;
}

function refused<T>(value: T, errorCode: ErrorCode, errorMessage: string, flagMetadata: FlagMetadata): Resolved<T> {
  const reason = StandardResolutionReasons.ERROR;
  return { details: { value, reason, errorCode, errorMessage, flagMetadata }, served: undefined };
}

/** As in OFREP's `metadata`: `version`, `flagSetId` and `contextId` are read by OpenFeature's telemetry hooks. */
function metadataOf(evaluation: Evaluation, flagSetId: string, contextId: string | undefined): FlagMetadata {
  const { flag_version, rule_id, error, metadata: own } = evaluation;
  const versions = { flagVersion: flag_version, version: versionText(evaluation) };
  const metadata: FlagMetadata = { ...own, ...(error?.code !== 'FLAG_NOT_FOUND' && versions), flagSetId };
  if (contextId !== undefined) metadata.contextId = contextId;
  if (rule_id !== undefined) metadata.ruleId = rule_id;
  return metadata;
}

/** Also undefined if it is not a string, which an untyped caller may pass, and if reading it throws. */
export function targetingKeyOf(context: EvaluationContext): string | undefined {
  try {
    const { targetingKey } = context;
    return typeof targetingKey === 'string' ? targetingKey : undefined;
  } catch {
    // A proxy or getter of the caller threw. The engine reports the same if a rule reads it.
    return undefined;
  }
}
