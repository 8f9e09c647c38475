import { ErrorCode, type JsonValue, type ResolutionDetails, StandardResolutionReasons } from '@openfeature/web-sdk';
import type { Answers } from './answers.ts';

/** OpenFeature's types by `typeof`. */
export type FlagType = 'boolean' | 'string' | 'number' | 'object';

/** One flag of the answers; never throws: an error is an `errorCode` with the caller's default. */
export function resolveFlag<T extends JsonValue>(
  answers: Answers | undefined,
  key: string,
  type: FlagType,
  defaultValue: T,
): ResolutionDetails<T> {
  const refused = (errorCode: ErrorCode, errorMessage: string): ResolutionDetails<T> => ({
    value: defaultValue,
    reason: StandardResolutionReasons.ERROR,
    errorCode,
    errorMessage,
  });
  if (answers === undefined) return refused(ErrorCode.PROVIDER_NOT_READY, 'there are no flags yet');
  const flag = answers.flags.get(key);
  if (flag === undefined) return refused(ErrorCode.FLAG_NOT_FOUND, `there is no flag "${key}"`);
  const { value, variant, reason, metadata: flagMetadata = {}, errorCode, errorDetails } = flag;
  if (errorCode !== undefined) {
    const code = Object.values(ErrorCode).find((known) => known === errorCode) ?? ErrorCode.GENERAL;
    return { ...refused(code, errorDetails ?? errorCode), flagMetadata };
  }
  const told = { ...(reason !== undefined && { reason }), flagMetadata };
  // The flag serves nothing on purpose: the caller's default applies.
  if (value === undefined) return { value: defaultValue, ...told };
  if (!isOfType<T>(value, type))
    return {
      ...refused(ErrorCode.TYPE_MISMATCH, `flag "${key}": its value is of type ${typeof value}, not ${type}`),
      flagMetadata,
    };
  return { value, ...(variant !== undefined && { variant }), ...told };
}

function isOfType<T>(value: unknown, type: FlagType): value is T {
  return typeof value === type;
}
