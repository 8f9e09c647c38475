import { type Evaluation, isCodeDefault } from './evaluation.ts';
import { ofrepReason, versionText } from './ofrep.ts';
import type { FlagMetadata } from './ruleset.ts';

/** The common parts of one flag's outcomes. */
export interface AnswerParts {
  /** JSON text of the variant's value; shared by all outcomes that serve it. */
  readonly valueJson: string;
  /** OpenFeature's `flagSetId`. */
  readonly flagSetId: string;
}

const encoder = new TextEncoder();

/**
 * One possible answer of a flag, made when the flag is compiled: the evaluation object, and the JSON text of it for
 * OFREP and for the SDK routes, so that answering is a look-up and a bulk answer is a concatenation. The texts are
 * built at first use, because most combinations of rule and variant are never served.
 */
export class Outcome {
  readonly evaluation: Evaluation;
  /** Whether a rollout decided, so that the unit's bucket is known. */
  readonly bucketed: boolean;
  readonly #parts: AnswerParts;
  #ofrep: string | undefined;
  #ofrepBytes: Uint8Array | undefined;
  #sdk: string | undefined;
  #sdkMember: string | undefined;

  constructor(evaluation: Evaluation, bucketed: boolean, parts: AnswerParts) {
    this.evaluation = Object.freeze(evaluation);
    this.bucketed = bucketed;
    this.#parts = parts;
  }

  /** A copy of the evaluation, with the unit's bucket. Field by field: spreading a frozen object is slow in V8. */
  withBucket(bucket: number): Evaluation {
    const { key, value, variant, reason, flag_version, rule_id, tracked, metadata } = this.evaluation;
    const copy: { -readonly [K in keyof Evaluation]: Evaluation[K] } = { key, value, variant, reason, flag_version };
    if (rule_id !== undefined) copy.rule_id = rule_id;
    if (tracked !== undefined) copy.tracked = tracked;
    if (metadata !== undefined) copy.metadata = metadata;
    copy.bucket = bucket;
    return copy;
  }

  /** `{key, value, variant, reason, flag_version, rule_id?, metadata?, error?}` of the SDK evaluation routes, as JSON text. */
  get sdk(): string {
    this.#sdk ??= sdkFragment(this.evaluation, this.#parts);
    return this.#sdk;
  }

  /** The same as a member of an object by flag key: `"key":{…}`. */
  get sdkMember(): string {
    this.#sdkMember ??= flat(JSON.stringify(this.evaluation.key), ':', this.sdk);
    return this.#sdkMember;
  }

  /**
   * The flag's OFREP body as JSON text: `{key, value, reason, variant, metadata}`, without `value` and `variant` for a
   * code default, or `{key, errorCode, errorDetails, reason, metadata}` for an error.
   *
   * @param contextId JSON text of the targeting key, for `metadata.contextId` of a single answer. A bulk answer states
   * it once, in the metadata of the whole.
   */
  ofrep(contextId?: string): string {
    this.#ofrep ??= ofrepFragment(this.evaluation, this.#parts);
    return contextId === undefined ? this.#ofrep : `${this.#ofrep.slice(0, -2)},"contextId":${contextId}}}`;
  }

  /** `ofrep()` as UTF-8; shared, never to be written to. */
  get ofrepBytes(): Uint8Array {
    this.#ofrepBytes ??= encoder.encode(this.ofrep());
    return this.#ofrepBytes;
  }
}

function sdkFragment(evaluation: Evaluation, parts: AnswerParts): string {
  const { key, variant, reason, flag_version, rule_id, error, metadata } = evaluation;
  return flat(
    `{"key":${JSON.stringify(key)},"value":${parts.valueJson},"variant":${JSON.stringify(variant)}`,
    `,"reason":"${reason}","flag_version":${flag_version}`,
    rule_id === undefined ? '' : `,"rule_id":${JSON.stringify(rule_id)}`,
    metadata === undefined ? '' : `,"metadata":${JSON.stringify(metadata)}`,
    error === undefined ? '}' : `,"error":${JSON.stringify(error)}}`,
  );
}

function ofrepFragment(evaluation: Evaluation, parts: AnswerParts): string {
  const { key, flag_version, error, metadata } = evaluation;
  // `version` and `flagSetId` are the names that OpenFeature's telemetry hooks read from the metadata. Without a flag
  // there is no version.
  const versions =
    error?.code === 'FLAG_NOT_FOUND' ? '' : `"flagVersion":${flag_version},"version":"${versionText(evaluation)}",`;
  return flat(
    `{"key":${JSON.stringify(key)},`,
    ofrepResult(evaluation, parts),
    `,"metadata":{${membersOf(metadata)}${versions}"flagSetId":${JSON.stringify(parts.flagSetId)}}}`,
  );
}

/** The flag's own metadata, before the service's fields. */
function membersOf(metadata: FlagMetadata | undefined): string {
  return metadata === undefined ? '' : `${JSON.stringify(metadata).slice(1, -1)},`;
}

/** A code default has neither value nor variant (OFREP's ADR 0006); an error has the reason too, for clients that read it. */
function ofrepResult(evaluation: Evaluation, { valueJson }: AnswerParts): string {
  const { variant, error } = evaluation;
  const reason = `"reason":"${ofrepReason(evaluation.reason)}"`;
  if (error !== undefined)
    return `"errorCode":"${error.code}","errorDetails":${JSON.stringify(error.message)},${reason}`;
  if (isCodeDefault(evaluation)) return reason;
  return `"value":${valueJson},${reason},"variant":${JSON.stringify(variant)}`;
}

/**
 * A flat string. Concatenation would leave a tree of parts, and writing each bulk answer would walk the trees of all
 * its fragments again, which took longer than evaluating the flags.
 */
function flat(...parts: readonly string[]): string {
  return parts.join('');
}
