import { environmentLabels } from '../remote-write/labels.ts';
import { NO_RECORDED_VALUE } from '../wire/fields.ts';
import { WireReader } from '../wire/reader.ts';
import { OtlpWriter } from './otlp-writer.ts';
import {
  type Buckets,
  CUSTOM_BUCKETS,
  type NativeHistogram,
  readHistogram,
  wholeCount,
} from './prometheus-histogram.ts';
import {
  type Exemplar,
  metricType,
  readKey,
  readVersion1,
  readVersion2,
  type Sample,
  type Series,
} from './prometheus-series.ts';
import type { Tally } from './tally.ts';

const CUMULATIVE = 2;
/** Fields of `Metric` (opentelemetry/proto/metrics/v1/metrics.proto). */
const data = { gauge: 5, sum: 7, histogram: 9, exponentialHistogram: 10 } as const;

/**
 * Turns a remote-write request into an OTLP export request. `job` and `instance` become the resource (and stay labels,
 * since people query them); counters become monotonic cumulative sums, all other single numbers gauges; native
 * histograms become exponential ones, those with custom bounds explicit ones; a staleness marker becomes a point
 * without a recorded value.
 * @throws {WireError | TooLarge}
 */
export function prometheusToOtlp(body: Buffer, version: 1 | 2, maxSeries: number): { body: Buffer; tally: Tally } {
  const all = version === 1 ? readVersion1(body, maxSeries) : readVersion2(body, maxSeries);
  giveExemplarsToPoints(all);
  return writeAll(all, body);
}

/** An export request with one sample of the series of this key, for those who want to know what the series is. */
export function keyToOtlp(key: Buffer): Buffer {
  const series = readKey(key);
  series.samples.push({ value: 0, stale: false, time: 1, start: 0 });
  return writeAll([series], key, new OtlpWriter(key.length * 3 + 512)).body;
}

function writeAll(all: readonly Series[], body: Buffer, writer = new OtlpWriter()): { body: Buffer; tally: Tally } {
  const tally: Tally = { kinds: [], exemplars: [] };
  const reader = new WireReader(body);
  for (const ofTarget of byTarget(all).values()) {
    writer.message(1, () => {
      writer.message(1, () => writeTarget(writer, ofTarget[0]?.labels ?? []));
      writer.message(2, () => {
        for (const series of ofTarget) writeSeries(writer, reader, series, tally);
      });
    });
    writer.checkSize();
  }
  return { body: writer.result(), tally };
}

function labelValue(labels: Series['labels'], name: string): string {
  for (const label of labels) if (label.name === name) return label.value;
  return '';
}

function environmentOf(labels: Series['labels']): string {
  return environmentLabels.map((name) => labelValue(labels, name)).find((value) => value !== '') ?? '';
}

function byTarget(all: readonly Series[]): Map<string, Series[]> {
  const targets = new Map<string, Series[]>();
  for (const series of all) {
    const { labels } = series;
    const key = `${labelValue(labels, 'job')}\0${labelValue(labels, 'instance')}\0${environmentOf(labels)}`;
    const known = targets.get(key);
    if (known === undefined) targets.set(key, [series]);
    else known.push(series);
  }
  return targets;
}

/** Prometheus may send exemplars in separate series; in OTLP they belong to points. */
function giveExemplarsToPoints(all: readonly Series[]): void {
  if (all.every(({ exemplars }) => exemplars.length === 0)) return;
  const withPoints = new Map<string, Series>();
  const keyOf = ({ name, labels }: Series) => `${name}\0${labels.map(({ id }) => id).join()}`;
  for (const series of all) {
    if (series.samples.length + series.histograms.length > 0) withPoints.set(keyOf(series), series);
  }
  for (const series of all) {
    if (series.exemplars.length === 0 || series.samples.length + series.histograms.length > 0) continue;
    withPoints.get(keyOf(series))?.exemplars.push(...series.exemplars.splice(0));
  }
}

/** `job` may contain a namespace before a slash. */
function writeTarget(writer: OtlpWriter, labels: Series['labels']): void {
  const job = labelValue(labels, 'job');
  const slash = job.indexOf('/');
  if (slash > 0) writer.attribute(1, 'service.namespace', job.slice(0, slash));
  if (job !== '') writer.attribute(1, 'service.name', slash > 0 ? job.slice(slash + 1) || job : job);
  const instance = labelValue(labels, 'instance');
  if (instance !== '') writer.attribute(1, 'service.instance.id', instance);
  const environment = environmentOf(labels);
  if (environment !== '') writer.attribute(1, 'deployment.environment.name', environment);
}

function writeSeries(writer: OtlpWriter, reader: WireReader, series: Series, tally: Tally): void {
  const { samples, histograms, exemplars } = series;
  const head = () => {
    writer.text(1, series.name);
    writer.text(2, series.help);
    writer.text(3, series.unit);
  };
  if (samples.length > 0) {
    const isSum = isCounter(series);
    writer.message(2, () => {
      head();
      writer.message(isSum ? data.sum : data.gauge, () => {
        for (const [index, sample] of samples.entries()) {
          const own = index === samples.length - 1 ? exemplars : [];
          tally.kinds.push('samples');
          tally.exemplars.push(own.length);
          writer.message(1, () => writeSample(writer, sample, series, own));
        }
        if (isSum) {
          writer.number(2, CUMULATIVE);
          writer.number(3, 1);
        }
      });
    });
  }
  for (const [index, range] of histograms.entries()) {
    const own = samples.length === 0 && index === histograms.length - 1 ? exemplars : [];
    const histogram = readHistogram(reader, range);
    tally.kinds.push('histograms');
    tally.exemplars.push(own.length);
    const isExplicit = histogram.schema === CUSTOM_BUCKETS;
    writer.message(2, () => {
      head();
      writer.message(isExplicit ? data.histogram : data.exponentialHistogram, () => {
        writer.message(1, () => {
          if (isExplicit) writeExplicit(writer, histogram, series, own);
          else writeExponential(writer, histogram, series, own);
        });
        if (!histogram.isGauge) writer.number(2, CUMULATIVE);
      });
    });
    writer.checkSize();
  }
}

/** By its metadata, or else by the suffixes that Prometheus uses for counters. */
function isCounter({ type, name }: Series): boolean {
  switch (type) {
    case metricType.counter:
      return true;
    case metricType.unknown:
      return /_(total|count|sum|bucket)$/.test(name);
    case metricType.histogram:
    case metricType.summary:
      return /_(count|sum|bucket)$/.test(name);
    default:
      return false;
  }
}

function writeSample(writer: OtlpWriter, sample: Sample, series: Series, exemplars: readonly Exemplar[]): void {
  writeTime(writer, 2, sample.start || series.created);
  writeTime(writer, 3, sample.time);
  writer.doubleField(4, sample.value);
  for (const exemplar of exemplars) writer.message(5, () => writeExemplar(writer, exemplar));
  for (const { encoded } of series.labels) writer.encodedAttribute(7, encoded);
  if (sample.stale) writer.number(8, NO_RECORDED_VALUE);
}

function writeExponential(
  writer: OtlpWriter,
  histogram: NativeHistogram,
  series: Series,
  exemplars: readonly Exemplar[],
): void {
  for (const { encoded } of series.labels) writer.encodedAttribute(1, encoded);
  writeTime(writer, 2, histogram.start || series.created);
  writeTime(writer, 3, histogram.time);
  writeCount(writer, 4, histogram.count);
  if (!histogram.stale) writer.doubleField(5, histogram.sum);
  writer.signed(6, histogram.schema);
  writeCount(writer, 7, histogram.zeroCount);
  writer.message(8, () => writeBuckets(writer, histogram.positive));
  writer.message(9, () => writeBuckets(writer, histogram.negative));
  if (histogram.stale) writer.number(10, NO_RECORDED_VALUE);
  for (const exemplar of exemplars) writer.message(11, () => writeExemplar(writer, exemplar));
  writer.doubleField(14, histogram.zeroThreshold);
}

/** OTLP's bucket `i` begins at `base ** i`, where Prometheus's ends. */
function writeBuckets(writer: OtlpWriter, { first, counts }: Buckets): void {
  if (counts.length === 0) return;
  writer.signed(1, first - 1);
  writer.message(2, () => {
    for (const count of counts) writer.varint(count);
  });
}

function writeExplicit(
  writer: OtlpWriter,
  histogram: NativeHistogram,
  series: Series,
  exemplars: readonly Exemplar[],
): void {
  const { bounds, positive } = histogram;
  writeTime(writer, 2, histogram.start || series.created);
  writeTime(writer, 3, histogram.time);
  writeCount(writer, 4, histogram.count);
  if (!histogram.stale) writer.doubleField(5, histogram.sum);
  // Buckets that are not listed are empty; the one after the last bound extends to infinity.
  writer.message(6, () => {
    for (let i = 0; i <= bounds.length; i++) writer.fixed64(BigInt(positive.counts[i - positive.first] ?? 0));
  });
  writer.message(7, () => {
    for (const bound of bounds) writer.double(bound);
  });
  for (const exemplar of exemplars) writer.message(8, () => writeExemplar(writer, exemplar));
  for (const { encoded } of series.labels) writer.encodedAttribute(9, encoded);
  if (histogram.stale) writer.number(10, NO_RECORDED_VALUE);
}

function writeExemplar(writer: OtlpWriter, { labels, value, time }: Exemplar): void {
  writeTime(writer, 2, time);
  writer.doubleField(3, value);
  for (const [name, text] of labels) {
    const field = name === 'trace_id' ? 5 : name === 'span_id' ? 4 : 0;
    if (field > 0 && text.length === (field === 5 ? 32 : 16) && /^[0-9a-f]+$/i.test(text)) {
      writer.bytesField(field, Buffer.from(text, 'hex'));
    } else writer.attribute(7, name, text);
  }
}

function writeTime(writer: OtlpWriter, field: number, millis: number): void {
  if (millis !== 0) writer.fixed(field, BigInt(Math.trunc(millis)) * 1_000_000n);
}

function writeCount(writer: OtlpWriter, field: number, count: number): void {
  writer.fixed(field, BigInt(wholeCount(count)));
}
