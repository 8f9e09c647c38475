import { compilePattern } from '@fanion/flag-engine';

/** Matchers of labels, as Alertmanager has them: a missing label is an empty one, and a pattern matches the whole value. */
export const matcherOperators = ['=', '!=', '=~', '!~'] as const;
export type MatcherOperator = (typeof matcherOperators)[number];

export interface Matcher {
  readonly name: string;
  readonly op: MatcherOperator;
  readonly value: string;
}

export type Labels = Readonly<Record<string, string>>;

export interface CompiledMatchers {
  /** What testing a value costs for each of its characters: instructions of the patterns. */
  readonly size: number;
  /** Whether all matchers hold; without matchers, they do. */
  readonly match: (labels: Labels) => boolean;
}

/** A matcher that cannot be used, in words for its author. */
export interface MatcherProblem {
  readonly at: number;
  readonly problem: string;
}

/** Patterns are RE2, compiled by the code that compiles those of flags: none reaches V8's engine. */
export function compileMatchers(matchers: readonly Matcher[]): CompiledMatchers | MatcherProblem {
  const tests: ((labels: Labels) => boolean)[] = [];
  let size = 0;
  for (const [at, { name, op, value }] of matchers.entries()) {
    if (name === '') return { at, problem: 'has no label name' };
    if (op === '=' || op === '!=') {
      tests.push((labels) => (labelValue(labels, name) === value) === (op === '='));
      continue;
    }
    const pattern = compilePattern(value, { ignoreCase: false });
    if (typeof pattern === 'string') return { at, problem: `the value ${pattern}` };
    size += pattern.size;
    tests.push((labels) => pattern.regex.matches(labelValue(labels, name)) === (op === '=~'));
  }
  return { size, match: (labels) => tests.every((test) => test(labels)) };
}

/** Compiles matchers that were checked when they were stored. */
export function compileStored(matchers: readonly Matcher[]): CompiledMatchers {
  const compiled = compileMatchers(matchers);
  // A pattern that a newer engine refuses matches nothing, rather than everything.
  return 'problem' in compiled ? { size: 0, match: () => false } : compiled;
}

/** Own labels only: a label may be called `constructor`. */
export function labelValue(labels: Labels, name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? '') : '';
}
