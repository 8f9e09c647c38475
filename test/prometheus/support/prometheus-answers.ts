import { readFileSync } from 'node:fs';

type Answers = Readonly<Record<string, readonly (number | null)[]>>;

/**
 * The results of a real Prometheus for the counters and histograms of this folder: its query engine and storage (Go
 * module github.com/prometheus/prometheus, v0.315.0, start timestamps off) got the same samples from a separate
 * program, which queried `increase(x[5m])` and `rate(x[5m])` (a 300th of it throughout), `histogram_count`,
 * `histogram_sum` and `histogram_quantile`. Numbers are rounded to twelve digits; null is no answer. Counters and
 * histograms over time have one result for each of `ENDS`, quantiles one for each of `LEVELS`.
 */
export const ANSWERS: Readonly<
  Record<'increases' | 'counts' | 'sums' | 'medians' | 'ninetieths' | 'quantiles', Answers>
> = JSON.parse(readFileSync(new URL('./prometheus-answers.json', import.meta.url), 'utf8'));
