import type { Scope } from '../compiled.ts';
import type { Scalar } from '../ruleset.ts';

/** Whether one element of the attribute matches any of the clause's values. Never called with a missing attribute. */
export type Matcher = (actual: Scalar, scope: Scope) => boolean;

/** How one operator compares. */
export interface Operator {
  /** The problem of a value of the clause, as the end of the sentence "the value …"; undefined if it is valid. */
  readonly check: (value: Scalar, how: Comparison) => string | undefined;
  /** The type it compares, so that a clause can only request meaningful conversions. */
  readonly compares: 'any' | 'text' | 'number' | 'time';
  /** Supports `ignore_case`. */
  readonly foldsCase?: boolean;
  /** Most values that a clause may list: fewer if each is tried than if they are looked up at once. */
  readonly maxValues: number;
  /** Creates the matcher. The values have passed `check`. */
  readonly compile: (values: readonly Scalar[], how: Comparison) => Matcher;
}

/** How a clause compares its values. */
export interface Comparison {
  readonly ignoreCase: boolean;
  /** Versions may have a leading `v`. */
  readonly version: boolean;
}

/** A text for comparisons that ignore case: Unicode's lower case, without the rules of any one language. */
export function fold(value: Scalar): Scalar {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** Limit for values that are looked up in one step. */
export const MAX_LISTED_VALUES = 10_000;

/** Limit for values that are tried one after another. */
export const MAX_TRIED_VALUES = 200;

/** A matcher that tries one value after another, without a loop for the usual single value. */
export function anyOf<T>(values: readonly T[], matches: (actual: Scalar, value: T, scope: Scope) => boolean): Matcher {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return (actual, scope) => matches(actual, only, scope);
  return (actual, scope) => {
    for (const value of values) if (matches(actual, value, scope)) return true;
    return false;
  };
}

export function checkString(value: Scalar): string | undefined {
  return typeof value === 'string' ? undefined : 'must be a string';
}
