import type { Evaluation, EvaluationContext } from '@fanion/flag-engine';
import { Report } from '../../packages/cli/src/files/report.ts';
import { convertAll, converters } from '../../packages/cli/src/flags/import/index.ts';
import { evaluator } from '../../packages/cli/src/flags/testing/serve.ts';

/** The outcome of one case of a vendor's suite. */
export interface Outcome {
  readonly name: string;
  readonly held: boolean;
  /** What the import said about it. */
  readonly why: string;
}

export interface Imported {
  evaluate(flag: string, context: EvaluationContext): Evaluation;
  /** What the import said about a flag. */
  notesOf(flag: string): string;
}

/** Imports a configuration as `fanion import` does, without a server. */
export function importOf(product: string, content: unknown): Imported {
  const converter = converters[product];
  if (converter === undefined) throw new Error(product);
  const report = new Report();
  const set = convertAll(converter, [{ name: 'suite', content }], report);
  return {
    evaluate: evaluator(set, 'default'),
    notesOf: (flag) =>
      report.notes
        .filter(({ where }) => where.split(',')[0] === `flag ${flag}` || /^(segment|all (flags|clauses)\b)/.test(where))
        .map(({ what }) => what)
        .join('; '),
  };
}

export function outcome(name: string, expected: unknown, actual: unknown, notes: string): Outcome {
  return { name, held: JSON.stringify(expected) === JSON.stringify(actual), why: notes };
}
