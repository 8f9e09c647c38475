import { regexFault } from '../../check/regex.ts';
import type { Value } from '../../check/value.ts';

/** Why a literal argument is not a valid RE2 expression. */
export function patternFault(pattern: Value | undefined): string | undefined {
  if (pattern?.constant?.type !== 'string') return undefined;
  const fault = regexFault(pattern.constant.value);
  return fault === undefined ? undefined : `Invalid regular expression: ${fault}.`;
}
