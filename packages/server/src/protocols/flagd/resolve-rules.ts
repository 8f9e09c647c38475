import { contextLimits } from '@fanion/contract';
import { type Evaluation, isCodeDefault, type JsonValue, ofrepReason, versionText } from '@fanion/flag-engine';
import { status } from '@grpc/grpc-js';
import type { SdkCaller } from '../../http/caller.ts';
import type { Fields, Resolution, Typed } from './messages.ts';

/** The error of a call. */
export class Refusal extends Error {
  readonly code: status;
  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

/** The port's own limit is that of server keys. */
export function requireSize({ length }: { readonly length: number }, { keyKind }: Pick<SdkCaller, 'keyKind'>): void {
  const { bytes } = contextLimits[keyKind];
  if (length <= bytes) return;
  const message = `the request has ${length} bytes; with a ${keyKind} key, at most ${bytes} are allowed`;
  throw new Refusal(status.RESOURCE_EXHAUSTED, message);
}

/** By the engine's error codes, as flagd does. */
const codes = {
  FLAG_NOT_FOUND: status.NOT_FOUND,
  PARSE_ERROR: status.DATA_LOSS,
  TARGETING_KEY_MISSING: status.INVALID_ARGUMENT,
  GENERAL: status.UNKNOWN,
} as const;

/**
 * An evaluation as the method of a type returns it.
 *
 * @param omitsDefaults whether a response without a value means the caller's default; in version 1 it means false, 0 or ""
 * @throws Refusal
 */
export function resolutionOf(evaluation: Evaluation, type: Typed['type'], omitsDefaults: boolean): Resolution {
  const { key, value, error } = evaluation;
  if (error !== undefined) throw new Refusal(codes[error.code], error.message);
  if (isCodeDefault(evaluation)) {
    if (!omitsDefaults) throw new Refusal(status.NOT_FOUND, `the flag "${key}" serves the default of the code`);
    return partsOf(evaluation, undefined);
  }
  const typed = typedAs(type, value);
  if (typed === undefined)
    throw new Refusal(status.INVALID_ARGUMENT, `the value of the flag "${key}" is not of type ${type}`);
  return partsOf(evaluation, typed);
}

/** An evaluation among all flags; undefined if it failed, or if its value is a list, which a response cannot contain. */
export function anyResolutionOf(evaluation: Evaluation): Resolution | undefined {
  if (evaluation.error !== undefined || isCodeDefault(evaluation)) return undefined;
  const { value } = evaluation;
  const types = ['boolean', 'string', 'float', 'object'] as const;
  const typed = types.map((type) => typedAs(type, value)).find((one) => one !== undefined);
  return typed && partsOf(evaluation, typed);
}

function partsOf(evaluation: Evaluation, typed: Typed | undefined): Resolution {
  const { reason, variant, flag_version, metadata } = evaluation;
  const versions = { flagVersion: flag_version, version: versionText(evaluation) };
  return { typed, reason: ofrepReason(reason), variant: variant ?? '', metadata: { ...metadata, ...versions } };
}

function typedAs(type: Typed['type'], value: JsonValue): Typed | undefined {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? { type, value } : undefined;
    case 'string':
      return typeof value === 'string' ? { type, value } : undefined;
    case 'float':
      return typeof value === 'number' ? { type, value } : undefined;
    case 'int':
      return Number.isSafeInteger(value) ? { type, value: Number(value) } : undefined;
    case 'object':
      return isObject(value) ? { type, value } : undefined;
  }
}

function isObject(value: JsonValue): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
