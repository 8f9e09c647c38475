import { type CompiledRuleset, type Evaluation, evaluate, isCodeDefault, ofrepReason } from '@fanion/flag-engine';
import {
  ErrorCode,
  type EvaluationContext,
  type FlagMetadata,
  type JsonValue,
  type ResolutionDetails,
  StandardResolutionReasons,
} from '@openfeature/server-sdk';

/** The types that OpenFeature asks for, and what each is in JavaScript. */
export interface FlagTypes {
  readonly boolean: boolean;
  readonly string: string;
  readonly number: number;
  /** Objects, arrays and null: what `typeof` says, as in the OFREP providers. */
  readonly object: JsonValue;
}

export interface Resolved<T> {
  readonly details: ResolutionDetails<T>;
  /** What the flag answered; undefined where it could not be evaluated. */
  readonly served: Evaluation | undefined;
}

/**
 * Evaluates one flag and answers as OpenFeature wants it. Never throws: what goes wrong is an `errorCode` beside the
 * caller's default. Reasons are those of OFREP, so they do not depend on the endpoint.
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
  // The flag serves nothing on purpose, which is no error: the caller's default holds.
  if (isCodeDefault(evaluation))
    return { details: { value: defaultValue, reason: ofrepReason(reason), flagMetadata }, served: evaluation };
  if (!isOfType<T>(value, type)) {
    const errorMessage = `flag "${key}": its value is of type ${typeof value}, not ${type}`;
    return refused(defaultValue, ErrorCode.TYPE_MISMATCH, errorMessage, flagMetadata);
  }
  const details = { value, variant: variant ?? undefined, reason: ofrepReason(reason), flagMetadata };
  return { details, served: evaluation };
}

/** `typeof` is the whole check: that the value of an object flag has the form of `T`, only the caller can know. */
function isOfType<T>(value: unknown, type: keyof FlagTypes): value is T {
  return typeof value === type;
}

function refused<T>(value: T, errorCode: ErrorCode, errorMessage: string, flagMetadata: FlagMetadata): Resolved<T> {
  const reason = StandardResolutionReasons.ERROR;
  return { details: { value, reason, errorCode, errorMessage, flagMetadata }, served: undefined };
}

/** As in OFREP's `metadata`: `version`, `flagSetId` and `contextId` are what OpenFeature's telemetry hooks read. */
function metadataOf(evaluation: Evaluation, flagSetId: string, contextId: string | undefined): FlagMetadata {
  const { flag_version, rule_id, error, metadata: own } = evaluation;
  const versions = { flagVersion: flag_version, version: String(flag_version) };
  const metadata: FlagMetadata = { ...own, ...(error?.code !== 'FLAG_NOT_FOUND' && versions), flagSetId };
  if (contextId !== undefined) metadata.contextId = contextId;
  if (rule_id !== undefined) metadata.ruleId = rule_id;
  return metadata;
}

/** Undefined also for one that is no string, which a caller without types can hand in, and where reading it throws. */
export function targetingKeyOf(context: EvaluationContext): string | undefined {
  try {
    const { targetingKey } = context;
    return typeof targetingKey === 'string' ? targetingKey : undefined;
  } catch {
    // A proxy or getter of the caller: the engine meets it too where a rule reads it, and says so.
    return undefined;
  }
}
