import { type Evaluation, type Expression, type Labels, METRIC_NAME, typeOf } from '@fanion/promql';
import { fail } from '../../../platform/fail.ts';

/** A series in the answer of a rule, without the name of its metric. */
export interface RuleSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly times: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Why no rule can use the answers of an expression; undefined: one can. */
export function ruleProblem(expression: Expression): string | undefined {
  switch (typeOf(expression)) {
    case 'matrix':
      return 'The expression returns a range vector. Use a function that makes it numbers, such as `rate(x[5m])`.';
    case 'string':
      return 'The expression returns a string. A rule needs numbers.';
    default:
      return undefined;
  }
}

/**
 * What a source left out of an answer, so that no rule can rely on it; undefined: nothing. The engine's own notes and equal labels are
 * about what is there.
 */
export function lackOf({ warnings }: Pick<Evaluation, 'warnings'>): string | undefined {
  return warnings.find((text) => !text.startsWith('PromQL ') && !text.startsWith('several series of '));
}

/** The numbers of an evaluation, by series. A scalar is one series without labels. @throws `PROMQL_FAILED` for histograms */
export function ruleSeries({ result }: Pick<Evaluation, 'result'>): RuleSeries[] {
  switch (result.type) {
    case 'scalar':
      return [{ labels: {}, times: [result.time], values: [result.value] }];
    case 'string':
      throw notNumbers('a string');
    case 'vector':
      return result.samples.map(({ labels, time, value, histogram }) => {
        if (histogram !== undefined) throw notNumbers('native histograms');
        return { labels: namelessLabels(labels), times: [time], values: [value] };
      });
    case 'matrix':
      return result.series.map(({ labels, times, values, histograms }) => {
        if (histograms?.some((one) => one !== undefined)) throw notNumbers('native histograms');
        return { labels: namelessLabels(labels), times, values };
      });
  }
}

function namelessLabels(labels: Labels): Readonly<Record<string, string>> {
  return Object.fromEntries([...labels].filter(([name]) => name !== METRIC_NAME));
}

function notNumbers(what: string) {
  const reason = `the expression returns ${what}, and a rule needs numbers: use histogram_quantile, histogram_count or similar`;
  return fail('PROMQL_FAILED', { reason });
}
