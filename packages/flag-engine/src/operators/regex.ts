import { RE2JS } from 're2js';
import { EvaluationFailure } from '../failure.ts';
import type { Scalar } from '../ruleset.ts';
import { anyOf, type Comparison, checkString, MAX_TRIED_VALUES, type Operator } from './operator.ts';

/** Longest pattern, in UTF-16 code units. */
export const MAX_PATTERN_LENGTH = 1_000;

/** Most instructions that a pattern may compile to: `(a{100}){10}` is short and has a thousand. */
export const MAX_PATTERN_SIZE = 1_000;

/**
 * `matches`: an RE2 pattern found anywhere in a string (anchor it with ^ and $). RE2 has no backtracking: `(a+)+$`
 * costs V8 seconds at 28 characters and RE2 nothing, so patterns that users write never reach V8's engine.
 */
export const matches: Operator = {
  check: (value, how) => {
    const wrong = checkString(value);
    if (wrong !== undefined) return wrong;
    const pattern = compilePattern(value, how);
    return typeof pattern === 'string' ? pattern : undefined;
  },
  compares: 'text',
  foldsCase: true,
  maxValues: MAX_TRIED_VALUES,
  compile: (values, how) => {
    const patterns = values.map((value) => compilePattern(value, how)).filter((pattern) => typeof pattern !== 'string');
    return anyOf(patterns, (actual, pattern, scope) => {
      if (typeof actual !== 'string') return false;
      scope.regexSteps -= pattern.size * actual.length;
      if (scope.regexSteps < 0) {
        throw new EvaluationFailure('GENERAL', 'the regular expressions of this evaluation exceed the work limit');
      }
      return pattern.regex.test(actual);
    });
  },
};

export interface Pattern {
  readonly regex: RE2JS;
  /** Instructions: what a test costs for each character. */
  readonly size: number;
}

/** The pattern, or its problem. */
export function compilePattern(value: Scalar, { ignoreCase }: Pick<Comparison, 'ignoreCase'>): Pattern | string {
  const source = String(value);
  if (source.length > MAX_PATTERN_LENGTH) return `must have at most ${MAX_PATTERN_LENGTH} characters`;
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    return `is not an RE2 pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
  const size = regex.programSize();
  return size > MAX_PATTERN_SIZE ? `is too large: ${size} instructions of ${MAX_PATTERN_SIZE}` : { regex, size };
}
