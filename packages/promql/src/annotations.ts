import type { Position } from './ast.ts';
import { shortText } from './numbers.ts';
import { placeOf } from './parse/fault.ts';

/** Buckets of a classic histogram whose counts fell, added up over the steps of an evaluation. */
export interface Monotonicity {
  readonly minBucket: number;
  readonly maxBucket: number;
  readonly maxDifference: number;
}

interface Forced extends Monotonicity {
  readonly text: string;
  readonly position: Position;
  readonly samples: number;
  readonly from: number;
  readonly to: number;
}

const quoted = (text: string) => JSON.stringify(text);
const forMetric = (metric: string) => (metric === '' ? '' : ` for metric name ${quoted(metric)}`);

/** What an evaluation reports beside its result, in Prometheus' words (`util/annotations`), each once. */
export class Annotations {
  readonly #warnings = new Set<string>();
  readonly #infos = new Set<string>();
  readonly #known = new Set<string>();
  readonly #forced = new Map<string, Forced>();

  /** Warnings of a source have no position. */
  addWarnings(warnings: readonly string[]): void {
    for (const warning of warnings) this.#warnings.add(warning);
  }

  get warnings(): string[] {
    return [...this.#warnings];
  }

  get infos(): string[] {
    return [...this.#infos, ...[...this.#forced.values()].map(forcedText)];
  }

  #warn(message: string, at: Position): void {
    if (this.#isNew(message, at)) this.#warnings.add(`PromQL warning: ${message} (${placeOf(at.text, at.from)})`);
  }

  #info(message: string, at: Position): void {
    if (this.#isNew(message, at)) this.#infos.add(`PromQL info: ${message} (${placeOf(at.text, at.from)})`);
  }

  /** The same may be reported at each step of each series. */
  #isNew(message: string, { from }: Position): boolean {
    const key = `${from} ${message}`;
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    return true;
  }

  invalidQuantile(quantile: number, at: Position): void {
    this.#warn(`quantile value should be between 0 and 1, got ${shortText(quantile)}`, at);
  }

  badBucketLabel(metric: string, label: string, at: Position): void {
    this.#warn(`bucket label "le" is missing or has a malformed value of ${quoted(label)}${forMetric(metric)}`, at);
  }

  mixedRange(metric: string, at: Position): void {
    this.#warn(`encountered a mix of histograms and floats for metric name ${quoted(metric)}`, at);
  }

  mixedAggregation(at: Position): void {
    this.#warn('encountered a mix of histograms and floats for aggregation', at);
  }

  mixedClassicAndNative(metric: string, at: Position): void {
    this.#warn(`vector contains a mix of classic and native histograms${forMetric(metric)}`, at);
  }

  notCounter(metric: string, at: Position): void {
    this.#warn(`this native histogram metric is not a counter: ${quoted(metric)}`, at);
  }

  notGauge(metric: string, at: Position): void {
    this.#warn(`this native histogram metric is not a gauge: ${quoted(metric)}`, at);
  }

  mixedSchemas(metric: string, at: Position): void {
    this.#warn(
      `vector contains a mix of histograms with exponential and custom buckets schemas for metric name ${quoted(metric)}`,
      at,
    );
  }

  incompatibleBuckets(operator: string, at: Position): void {
    this.#warn(`incompatible bucket layout encountered for binary operator ${operator}`, at);
  }

  sortInRange(at: Position): void {
    this.#warn('sort is ineffective for range queries since results are always ordered by labels', at);
  }

  resetCollision(operation: 'addition' | 'subtraction' | 'aggregation', at: Position): void {
    this.#warn(`conflicting counter resets during histogram ${operation}`, at);
  }

  changedBounds(operation: 'addition' | 'subtraction' | 'aggregation', at: Position): void {
    this.#info(`mismatched custom buckets were reconciled during ${operation}`, at);
  }

  possibleNonCounter(metric: string, at: Position): void {
    this.#info(`metric might not be a counter, name does not end in _total/_sum/_count/_bucket: ${quoted(metric)}`, at);
  }

  incompatibleTypes(left: string, operator: string, right: string, at: Position): void {
    this.#info(
      `incompatible sample types encountered for binary operator ${quoted(operator)}: ${left} ${operator} ${right}`,
      at,
    );
  }

  ignoredHistogram(aggregation: string, at: Position): void {
    this.#info(`ignored histogram in ${aggregation} aggregation`, at);
  }

  ignoredHistograms(metric: string, at: Position): void {
    this.#info(
      `ignored histograms in a range containing both floats and histograms for metric name ${quoted(metric)}`,
      at,
    );
  }

  notANumber(effect: 'result' | 'skew' | 'excluded', metric: string, at: Position): void {
    const effects = {
      result: 'input to histogram_quantile has NaN observations, result is NaN',
      skew: 'input to histogram_quantile has NaN observations, result is skewed higher',
      excluded: 'input to histogram_fraction has NaN observations, which are excluded from all fractions',
    };
    this.#info(effects[effect] + forMetric(metric), at);
  }

  forcedMonotonicity(metric: string, what: Monotonicity, time: number, position: Position): void {
    const text = `input to histogram_quantile needed to be fixed for monotonicity (see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)${forMetric(metric)}`;
    const key = `${text} ${position.from}`;
    const known = this.#forced.get(key);
    this.#forced.set(key, {
      text,
      position,
      minBucket: Math.min(what.minBucket, known?.minBucket ?? what.minBucket),
      maxBucket: Math.max(what.maxBucket, known?.maxBucket ?? what.maxBucket),
      maxDifference: Math.max(what.maxDifference, known?.maxDifference ?? 0),
      samples: (known?.samples ?? 0) + 1,
      from: Math.min(time, known?.from ?? time),
      to: Math.max(time, known?.to ?? time),
    });
  }
}

function forcedText(forced: Forced): string {
  const { text, position, minBucket, maxBucket, maxDifference, samples, from, to } = forced;
  const moment = (time: number) => new Date(Math.floor(time / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
  const buckets = `from buckets ${shortText(minBucket)} to ${shortText(maxBucket)}`;
  const difference = `with a max diff of ${shortText(Number(maxDifference.toPrecision(2)))}`;
  return `PromQL info: ${text}, ${buckets}, ${difference}, over ${samples} samples from ${moment(from)} to ${moment(to)} (${placeOf(position.text, position.from)})`;
}
