import { readFileSync } from 'node:fs';

type Answers = Readonly<Record<string, readonly (number | null)[]>>;

/**
 * What a real Prometheus answers about the counters and histograms of this folder: its query engine and storage (Go
 * module github.com/prometheus/prometheus, v0.315.0, start timestamps off) were given the same samples by a program
 * beside this project, and asked for `increase(x[5m])` and `rate(x[5m])` (a 300th of it throughout),
 * `histogram_count`, `histogram_sum` and `histogram_quantile`. Numbers are rounded to twelve digits; null is no answer.
 * Of counters and histograms over time there is one for each of `ENDS`, of quantiles one for each of `LEVELS`.
 */
export const ANSWERS: Readonly<
  Record<'increases' | 'counts' | 'sums' | 'medians' | 'ninetieths' | 'quantiles', Answers>
> = JSON.parse(readFileSync(new URL('./prometheus-answers.json', import.meta.url), 'utf8'));
