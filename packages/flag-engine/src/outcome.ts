import type { Evaluation } from './evaluation.ts';
import { ofrepReason } from './ofrep.ts';

/** What the fragments of one flag's outcomes have in common. */
export interface AnswerParts {
  /** JSON text of the variant's value; shared by all outcomes that serve it. */
  readonly valueJson: string;
  /** OpenFeature's `flagSetId`. */
  readonly flagSetId: string;
}

/**
 * One possible answer of a flag, made when the flag is compiled: the evaluation object, and the JSON text of it for
 * OFREP and for the SDK routes, so that answering is a look-up and a bulk answer is a concatenation. The texts are put
 * together at first use, because most combinations of rule and variant are never served.
 */
export class Outcome {
  readonly evaluation: Evaluation;
  /** A rollout decided: the unit's bucket is known. */
  readonly bucketed: boolean;
  readonly #parts: AnswerParts;
  #ofrepHead: string | undefined;
  #ofrep: string | undefined;
  #sdk: string | undefined;
  #sdkMember: string | undefined;

  constructor(evaluation: Evaluation, bucketed: boolean, parts: AnswerParts) {
    this.evaluation = Object.freeze(evaluation);
    this.bucketed = bucketed;
    this.#parts = parts;
  }

  /** `{key, value, variant, reason, flag_version, rule_id?, error?}` of the SDK evaluation routes, as JSON text. */
  get sdk(): string {
    this.#sdk ??= sdkFragment(this.evaluation, this.#parts);
    return this.#sdk;
  }

  /** The same as a member of an object by flag key: `"key":{…}`. */
  get sdkMember(): string {
    this.#sdkMember ??= `${JSON.stringify(this.evaluation.key)}:${this.sdk}`;
    return this.#sdkMember;
  }

  /**
   * The flag's OFREP body as JSON text: `{key, value, reason, variant, metadata}`, or `{key, errorCode, errorDetails,
   * metadata}` for an error.
   *
   * @param contextId JSON text of the targeting key, for `metadata.contextId` of a single answer. A bulk answer states
   * it once, in the metadata of the whole.
   */
  ofrep(contextId?: string): string {
    this.#ofrepHead ??= ofrepHead(this.evaluation, this.#parts);
    if (contextId !== undefined) return `${this.#ofrepHead},"contextId":${contextId}}}`;
    this.#ofrep ??= `${this.#ofrepHead}}}`;
    return this.#ofrep;
  }
}

function sdkFragment(evaluation: Evaluation, parts: AnswerParts): string {
  const { key, variant, reason, flag_version, rule_id, error } = evaluation;
  const head = `{"key":${JSON.stringify(key)},"value":${parts.valueJson},"variant":${JSON.stringify(variant)}`;
  const rule = rule_id === undefined ? '' : `,"rule_id":${JSON.stringify(rule_id)}`;
  const failure = error === undefined ? '' : `,"error":${JSON.stringify(error)}`;
  return `${head},"reason":"${reason}","flag_version":${flag_version}${rule}${failure}}`;
}

/** Without the two closing braces, so that the context's id can be put into the metadata. */
function ofrepHead(evaluation: Evaluation, parts: AnswerParts): string {
  const { key, variant, reason, flag_version, error } = evaluation;
  // `version` and `flagSetId` are the names that OpenFeature's telemetry hooks read from the metadata.
  const version = `"flagVersion":${flag_version},"version":"${flag_version}"`;
  const metadata = `"metadata":{${version},"flagSetId":${JSON.stringify(parts.flagSetId)}`;
  const head = `{"key":${JSON.stringify(key)}`;
  if (error !== undefined) {
    return `${head},"errorCode":"${error.code}","errorDetails":${JSON.stringify(error.message)},${metadata}`;
  }
  const variantJson = JSON.stringify(variant);
  return `${head},"value":${parts.valueJson},"reason":"${ofrepReason(reason)}","variant":${variantJson},${metadata}`;
}
